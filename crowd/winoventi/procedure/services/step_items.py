"""Posting: rows that a step has let through become items of the next one, by themselves or on a click."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import structlog
from django.db.models import Exists, OuterRef, Q, QuerySet

from crowd.winoventi import domain
from crowd.winoventi.models import Alternative, Choice, Generic, Judgement, Premise, Project, Prompt, Step
from crowd.winoventi.services.locks import AT_ONCE
from hits.core import crypto
from hits.core.errors import RuleBroken
from hits.work.models.items import Item
from hits.work.services.answers_needed import ask_about, new_item
from hits.work.services.locking import held

Kind = Step.Kind
Post = Callable[[Project, Any], None]
log = structlog.get_logger()


def advance_steps(*, now: datetime) -> int:
    """Post for every step that goes on by itself, and return how many rows went on."""
    return sum(_post(step.project, step.kind, most=None, now=now) for step in _steps_to_post())


def advance(*, project: Project, kind: str, most: int | None = None, now: datetime) -> int:
    """Post as many as these, or all that wait, on a person's click. Raises RuleBroken where nothing waits."""
    posted = _post(project, kind, most=most, now=now)
    if not posted:
        raise RuleBroken("nothing_waits", f"Nothing waits for the step “{Kind(kind).label}” now.")
    return posted


def waiting_for(
    *, project: Project, kind: str
) -> QuerySet[Generic] | QuerySet[Alternative] | QuerySet[Premise]:
    """Rows that the step before has let through and that nobody has been asked about yet."""
    return _waiting(kind).filter(project=project)


def _steps_to_post() -> list[Step]:
    """Steps that go on by themselves and have rows to post. One query: mostly there are none."""
    found = Q()
    for kind in POSTING:
        found |= Q(Exists(_waiting(kind).filter(project=OuterRef("project"))), kind=kind)
    return list(Step.objects.filter(found, by_itself=True).select_related("project").order_by("pk"))


def _waiting(kind: str) -> QuerySet[Generic] | QuerySet[Alternative] | QuerySet[Premise]:
    """Waiting rows of all projects."""
    waiting: dict[str, QuerySet[Generic] | QuerySet[Alternative] | QuerySet[Premise]] = {
        # A rank shows that the cut has been made; the best come first.
        Kind.EXCEPTIONS: Generic.objects.filter(state=Generic.State.FOUND, rank__isnull=False).order_by(
            "k", "rank", "pk"
        ),
        Kind.PREMISES: Alternative.objects.filter(
            state=Alternative.State.PASSED, has_premise=False, item=None
        ).order_by("pk"),
        Kind.VALIDATIONS: Premise.objects.filter(state=Premise.State.WAITING, item=None).order_by("pk"),
        Kind.CHOICES: Premise.objects.filter(state=Premise.State.VALID, is_prompted=False).order_by("pk"),
    }
    return waiting[kind]


def _post(project: Project, kind: str, *, most: int | None, now: datetime) -> int:
    posted = 0
    while most is None or posted < most:
        size = AT_ONCE if most is None else min(AT_ONCE, most - posted)
        with held(project) as locked:
            some: Any = list(waiting_for(project=locked, kind=kind)[:size])
            if not some:
                break
            POSTING[kind](locked, some)
        posted += len(some)
    if posted:
        log.info("winoventi.posted", study=str(project.study.public_id), step=kind, count=posted)
    return posted


def _post_generics(project: Project, rows: Sequence[Generic]) -> None:
    Generic.objects.filter(pk__in=[row.pk for row in rows]).update(state=Generic.State.POSTED)
    ask_about(rows, partial(_item, project, domain.EXCEPTIONS))


def _post_alternatives(project: Project, rows: Sequence[Alternative]) -> None:
    ask_about(rows, partial(_item, project, domain.PREMISES))


def _post_premises(project: Project, rows: Sequence[Premise]) -> None:
    """Post premises. Authors are no judges unless the project says so: the database refuses the lease."""
    there = Counter(Judgement.objects.filter(premise__in=rows).values_list("premise_id", flat=True))

    def item_of(row: Premise) -> Item:
        author = None if project.judges == Project.Judges.ANYBODY else row.worker_id
        needed = project.answers_wanted - there[row.pk]
        return _item(project, domain.VALIDATE, row, needed=needed, author_id=author)

    ask_about(rows, item_of)


def _post_prompts(project: Project, rows: Sequence[Premise]) -> None:
    """Post both prompts of each pair. A recording's prompts are there already.

    Items are asked in their order, so it is shuffled: a worker who does many would get one kind each time.
    """
    Prompt.objects.bulk_create(
        (Prompt(premise=row, kind=kind) for row in rows for kind in Prompt.Kind.values), ignore_conflicts=True
    )
    lacking = Prompt.objects.filter(premise__in=rows, item=None, is_answered=False)
    prompts = sorted(lacking, key=lambda prompt: crypto.blind_index("prompt", str(prompt.pk)))
    there = Counter(Choice.objects.filter(prompt__in=prompts).values_list("prompt_id", flat=True))

    def item_of(prompt: Prompt) -> Item:
        return _item(project, domain.CHOOSE, prompt, needed=project.choices_wanted - there[prompt.pk])

    ask_about(prompts, item_of)
    Premise.objects.filter(pk__in=[row.pk for row in rows]).update(is_prompted=True)


def _item(project: Project, task: str, row: object, *, needed: int = 1, author_id: int | None = None) -> Item:
    return new_item(study_id=project.study_id, task=task, answers_needed=max(0, needed), author_id=author_id)


POSTING: dict[str, Post] = {
    Kind.EXCEPTIONS: _post_generics,
    Kind.PREMISES: _post_alternatives,
    Kind.VALIDATIONS: _post_premises,
    Kind.CHOICES: _post_prompts,
}
