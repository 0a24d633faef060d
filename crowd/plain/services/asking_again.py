"""Rows whose answers do not agree enough are asked of one person more, within the project's bounds."""

from collections.abc import Mapping
from datetime import datetime

import structlog
from django.db.models import F, QuerySet

from crowd.plain.domain import ASK
from crowd.plain.models import Description, Project, Row
from hits import families
from hits.batches.services.top_up import GROWING, grow_newest
from hits.studies.models import Batch, Study
from hits.work.queries.items import batches_wanting
from hits.work.services.answers_needed import want_answers
from hits.work.services.counting_answers import answers_that_count
from hits.work.services.locking import held, lock_items
from scoring.quality.asking_bounds import Enough
from scoring.quality.enough_answers import unsure_items
from scoring.queries.judged_answers import judged_crowd

log = structlog.get_logger()


def ask_where_unsure(*, now: datetime) -> int:
    """Ask about every row again that is not sure yet; return how many. Batches grow to the new answers."""
    asked = 0
    for project in Project.objects.filter(answers_most__isnull=False).order_by("pk"):
        if _to_weigh(project).exists():
            asked += _weigh(project)
    _grow_batches(now=now)
    return asked


def _to_weigh(project: Project) -> QuerySet[Row]:
    """Rows whose wanted answers are in or on their way, and that were not looked at with as many."""
    return _settled(project).filter(weighed_answers__lt=F("item__answers_needed")).select_related("item")


def _settled(project: Project) -> QuerySet[Row]:
    newest = Description.objects.filter(project=project, asked_at__isnull=False).order_by("-version")
    settled = Row.objects.filter(item__wanted=0, item__pulled_at=None, role="")
    return settled.filter(description=newest.values("pk")[:1])


def _weigh(project: Project) -> int:
    with held(project) as locked:
        enough = locked.enough
        if enough is None:
            return 0
        waiting = {row.item: row for row in _to_weigh(locked) if row.item}
        answers = answers_that_count([item.pk for item in waiting])
        ripe = {item.pk: row for item, row in waiting.items() if len(answers[item.pk]) >= item.answers_needed}
        if not ripe:
            return 0
        unsure = _answers_to_unsure(locked, enough)
        lock_items(unsure)
        want_answers({item: count + 1 for item, count in unsure.items()})
        for item, row in ripe.items():
            row.weighed_answers = len(answers[item])
        Row.objects.bulk_update(ripe.values(), ["weighed_answers"], batch_size=500)
    log.info("plain.weighed", study=str(project.study.public_id), rows=len(ripe), unsure=len(unsure))
    return len(unsure)


def _answers_to_unsure(project: Project, enough: Enough) -> Mapping[int, int]:
    """Return how many answers each item has that is not sure, whose answers are in, and may have another.

    Items that were sure are among them again where their workers are trusted less by now.
    """
    found = unsure_rows(project.study, enough)
    rows = _settled(project).filter(item__answers_needed__lt=enough.most)
    items = rows.values_list("item", "item__public_id", "item__answers_needed")
    needed = {item: count for item, name, count in items if item is not None and str(name) in found}
    answers = answers_that_count(needed)
    return {item: len(answers[item]) for item, count in needed.items() if len(answers[item]) >= count}


def unsure_rows(study: Study, enough: Enough) -> set[str]:
    """Return the public ids of items of which some question is not sure yet, by the newest answers."""
    crowd = judged_crowd(families.get(ASK), Batch.objects.filter(study=study, task=ASK))
    return {thing.item for labels in crowd.questions.values() for thing in unsure_items(labels, enough)}


def _grow_batches(*, now: datetime) -> None:
    """Give the newest batch of each such study the places that its rows need, as far as the money lasts."""
    running = Batch.objects.filter(
        study__plain__answers_most__isnull=False, task=ASK, status__in=GROWING, launched_by__isnull=False
    )
    wanting = batches_wanting(running).select_related("study", "launched_by")
    grow_newest(wanting.order_by("pk"), now=now)
