"""Step 5: whether a pair is unambiguous, and whether its words give the outcome away."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import F, Q

from crowd.winoventi.domain.answers import read_objections
from crowd.winoventi.domain.outcomes import QUESTIONS
from crowd.winoventi.models import Judgement, Premise, Project
from crowd.winoventi.services.locks import items_of_premises
from crowd.winoventi.services.pair_states import settle_premises
from hits.work.services.answers_needed import want_answers
from hits.work.services.counting_answers import CountingAnswer, answers_that_count, on_their_way
from hits.work.services.locking import lock_items

Answers = Mapping[Premise, Sequence[CountingAnswer]]


def count_judgements(*, owner: Project, rows: Sequence[Premise], now: datetime) -> int:
    """Take judgements from the raw answers that count now, whatever was taken from them before.

    Judgements that were recorded elsewhere stay beside them.
    """
    items = [premise.item_id for premise in rows if premise.item_id]
    found = answers_that_count(items)
    live = Judgement.objects.filter(premise__in=[one.pk for one in rows], assignment__isnull=False)
    live.delete()
    take_judgements(
        project=owner,
        answers={one: found[one.item_id] for one in rows if one.item_id},
        now=now,
    )
    _want(owner, [one for one in rows if one.item_id])
    return len(rows)


def judge_anew(*, project: Project, rows: Sequence[Premise], now: datetime) -> None:
    """Decide again by the current rules: whose judgements count, how many are needed, what they come to.

    Where an answer is on its way, all of them are counted once it has arrived.
    """
    if project.judges != Project.Judges.ANYBODY:
        own = Judgement.objects.filter(premise__in=[one.pk for one in rows], worker=F("premise__worker"))
        own.delete()
    lock_items(items_of_premises([one.pk for one in rows]))
    items = [one.item_id for one in rows if one.item_id]
    awaited = set(on_their_way().filter(item__in=items).values_list("item_id", flat=True))
    count_judgements(owner=project, rows=[one for one in rows if one.item_id not in awaited], now=now)
    _want(project, [one for one in rows if one.item_id in awaited])
    others = Q(item=None) | Q(item__in=awaited)
    left = Premise.objects.filter(others, pk__in=[one.pk for one in rows])
    settle_premises(project=project, premises=left, now=now)


def take_judgements(*, project: Project, answers: Answers, now: datetime) -> int:
    """Add judgements that are not there yet, and return how many were refused.

    Nobody judges an own premise, unless the project lets anybody judge. The caller holds the project.
    """
    refused, rows = 0, []
    for premise, given in answers.items():
        for one in given:
            if one.worker_id == premise.worker_id and project.judges != Project.Judges.ANYBODY:
                refused += 1
            else:
                rows.append(_judgement(premise, one))
    Judgement.objects.bulk_create(rows, ignore_conflicts=True)
    judged = Premise.objects.filter(pk__in=[premise.pk for premise in answers])
    settle_premises(project=project, premises=judged, now=now)
    return refused


def _want(project: Project, rows: Sequence[Premise]) -> None:
    """Ask for missing judgements. An author who may not judge brings none: another worker is asked."""
    recorded = Judgement.objects.filter(premise__in=[one.pk for one in rows], assignment=None)
    there = Counter(recorded.values_list("premise_id", flat=True))
    wanted = {one.item_id: project.answers_wanted - there[one.pk] for one in rows if one.item_id}
    is_open = project.judges == Project.Judges.ANYBODY
    want_answers(wanted, refused=None if is_open else Q(worker=F("item__premise__worker")))


def _judgement(premise: Premise, given: CountingAnswer) -> Judgement:
    objections = read_objections(given.raw)
    return Judgement(
        premise=premise,
        worker_id=given.worker_id,
        assignment_id=given.assignment_id,
        **{question.value: question in objections for question in QUESTIONS},
    )
