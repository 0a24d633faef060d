"""An association is final once every wanted solver has answered, and open again if an answer is taken out."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

import structlog
from django.db import transaction

from crowd.winogavil import domain
from crowd.winogavil.models import Association, Solution
from hits.models import Item
from hits.services.locking import lock_items
from hits.services.working import find_recounts, take_recounts
from scoring import domain as scores
from scoring.models import Score
from scoring.services.judging import counting_scores

AT_ONCE = 500
FINDINGS = ("final_at", "solvers_numerator", "solvers_denominator", "solvable")
log = structlog.get_logger()


def finalize_associations(*, now: datetime) -> int:
    """Those whose last wanted solver has been judged, after reopening those that have lost an answer."""
    reopen_associations()
    live = Association.objects.exclude(source=Association.Source.RECORDED)
    ripe = live.filter(final_at=None, item__task=domain.SOLVE, item__wanted=0).order_by("pk")
    final, seen = 0, 0
    while some := list(ripe.filter(pk__gt=seen).values_list("pk", "item_id")[:AT_ONCE]):
        seen = some[-1][0]
        final += _finalize([item for _, item in some], now=now)
    return final


def reopen_associations() -> int:
    """Where an answer that counted was kept out or rejected, nothing is final before there is another."""
    reopened = 0
    while some := find_recounts(tasks=[domain.SOLVE], most=AT_ONCE):
        reopened += _reopen(some)
    if reopened:
        log.info("association.reopened", count=reopened)
    return reopened


def _reopen(recounted: Collection[int]) -> int:
    with transaction.atomic():
        items = take_recounts(recounted)
        Solution.objects.filter(association__item__in=items, assignment__isnull=False).delete()
        return Association.objects.filter(item__in=items, final_at__isnull=False).update(
            final_at=None, solvers_numerator=None, solvers_denominator=None, solvable=None, told_at=None
        )


def settle(association: Association, solutions: Sequence[Solution], *, now: datetime) -> None:
    """What its solvers make of it. The caller saves it."""
    values = [solution.value for solution in solutions]
    mean = scores.mean(values)
    association.final_at = now
    association.solvers_numerator, association.solvers_denominator = mean.numerator, mean.denominator
    association.solvable = scores.is_solvable(values)


def _finalize(items: Collection[int], *, now: datetime) -> int:
    """Under the items' locks: whoever takes an answer out waits, and then finds it final and reopens it."""
    with transaction.atomic():
        held = [item.pk for item in lock_items(Item.objects.filter(pk__in=items, wanted=0))]
        open_ones = Association.objects.filter(item__in=held, final_at=None).select_related("item")
        counted = _scores_by_item(held)
        settled, solutions = [], []
        for association in open_ones.prefetch_related("places__picture").order_by("pk"):
            found = counted[association.item_id]
            if len(found) >= domain.SOLVERS_WANTED:
                answers = [_solution_of(association, score) for score in found]
                settle(association, answers, now=now)
                settled.append(association)
                solutions += answers
        Association.objects.bulk_update(settled, FINDINGS)
        Solution.objects.bulk_create(solutions)
    if settled:
        log.info("association.final", count=len(settled))
    return len(settled)


def _scores_by_item(items: Iterable[int]) -> defaultdict[int, list[Score]]:
    found: defaultdict[int, list[Score]] = defaultdict(list)
    counting = counting_scores(items=items, measure=domain.JACCARD)
    for score in counting.select_related("assignment").order_by("pk"):
        found[score.item_id].append(score)
    return found


def _solution_of(association: Association, score: Score) -> Solution:
    answer = score.assignment.answer or {}
    picks = set(answer.get(str(association.item.public_id), ()))
    places = association.places.all()
    return Solution(
        association=association,
        worker_id=score.assignment.worker_id,
        assignment=score.assignment,
        picked=[place.position for place in places if place.picture and place.picture.key in picks],
        numerator=score.numerator,
        denominator=score.denominator,
    )
