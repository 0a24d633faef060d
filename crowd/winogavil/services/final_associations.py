"""An association is final once every wanted solver has answered, and open again if an answer is taken out."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Prefetch

from crowd.winogavil import domain
from crowd.winogavil.models import Association, Place, Solution
from hits.studies.models import Study
from hits.work.models.items import Item
from hits.work.services.answer_collection import Collect, collect_answers
from hits.work.services.answers_needed import want_answers
from hits.work.services.counting_answers import CountingAnswer
from scoring import domain as scores
from scoring.models import Score
from scoring.services.score_recording import counting_scores

FINDINGS = ("final_at", "solvers_numerator", "solvers_denominator", "told_at")
Answer = TypeVar("Answer", Score, CountingAnswer)


def finalize_associations(*, now: datetime) -> int:
    """Settle associations whose last wanted solver was judged, and those that lost or regained an answer."""
    return collect_answers([SOLVING], now=now)


def count_solutions(*, owner: Study, rows: Sequence[Association], now: datetime) -> int:
    found = _scores_by_item(row.item_id for row in rows)
    changed, solutions = [], []
    for row, counting in with_other_answers(rows, found, made="solutions"):
        given = [_solution_of(row, score) for score in counting]
        settle(row, given, now=now)
        row.told_at = None
        changed.append(row)
        solutions += given
    Solution.objects.filter(association__in=changed).delete()
    Association.objects.bulk_update(changed, FINDINGS)
    Solution.objects.bulk_create(solutions)
    want_answers({row.item_id: row.item.answers_needed for row in changed})
    return sum(bool(row.final_at) for row in changed)


def with_other_answers(
    rows: Iterable[Any], found: Mapping[int, Sequence[Answer]], *, made: str
) -> Iterator[tuple[Any, Sequence[Answer]]]:
    """Yield rows with the answers that count now, if `made` has others; none counts until all are in."""
    for row in rows:
        counting = found[row.item_id] if len(found[row.item_id]) >= row.item.answers_needed else []
        if {one.assignment_id for one in counting} != {one.assignment_id for one in getattr(row, made).all()}:
            yield row, counting


def settle(association: Association, solutions: Sequence[Solution], *, now: datetime) -> None:
    """Set an association's result from its solutions; without any it is open. The caller saves it."""
    association.final_at = None
    association.solvers_numerator = association.solvers_denominator = None
    if values := [solution.value for solution in solutions]:
        mean = scores.mean(values)
        association.final_at = now
        association.solvers_numerator, association.solvers_denominator = mean.numerator, mean.denominator


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


# Recorded associations are left out: what was solved elsewhere stays as it was recorded.
_ASKED = Association.objects.exclude(source=Association.Source.RECORDED)
SOLVING = Collect(
    tasks=[domain.SOLVE],
    owners=Study,
    owner="item__study",
    rows=_ASKED.select_related("item").prefetch_related(
        "solutions", Prefetch("places", Place.objects.select_related("picture"))
    ),
    ripe=[_ASKED.filter(final_at=None, item__task=domain.SOLVE, item__wanted=0)],
    items=lambda keys: Item.objects.filter(association__in=keys).values_list("pk", flat=True),
    count=count_solutions,
)
