"""A work's time and scores beside the latest of its batch: in words, and as a strip."""

from fractions import Fraction
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from hits.admin.review.work_spread import percent, spreads_of
from hits.review.queries import batch_spread
from hits.work.models.assignments import Assignment
from scoring.models import Score
from tests.factories import make_batch
from tests.hits.review.test_review_pages import make_works

pytestmark = pytest.mark.django_db


def make_timed(*seconds: int, **changes: Any) -> list[Assignment]:
    """Make works of one batch that took so long."""
    works = make_works(count=len(seconds), batch=make_batch(status="open", review_by="hand"), **changes)
    for work, worked_s in zip(works, seconds, strict=True):
        Assignment.objects.filter(pk=work.pk).update(worked_s=worked_s)
        work.worked_s = worked_s
    return works


def give_score(work: Assignment, *, numerator: int, measure: str = "jaccard") -> None:
    Score.objects.create(
        assignment=work,
        item=work.leases.get().item,
        measure=measure,
        numerator=numerator,
        denominator=4,
        scored_at=timezone.now(),
    )


def place_of(work: Assignment) -> str:
    (spread,) = spreads_of(work)
    return f"{spread.value}, {spread.place}"


def test_place_of_a_time_is_said_in_words() -> None:
    works = make_timed(6, 40, 50, 60, 60, 300)

    assert place_of(works[0]) == "6 s, faster than all 5 others"
    assert place_of(works[1]) == "40 s, faster than 80 % of 5 others"
    assert place_of(works[5]) == "5 min, slower than all 5 others"


def test_the_best_of_many_equals_does_not_read_as_the_middle() -> None:
    works = make_timed(*[60] * 7)
    for work, numerator in zip(works, (4, 4, 4, 4, 1, 1, 1), strict=True):
        give_score(work, numerator=numerator)

    (_, score) = spreads_of(works[0])

    assert (score.value, score.place) == ("100 %", "higher than 50 % of 6 others, and none is higher")


def test_equal_times_have_no_place() -> None:
    assert place_of(make_timed(*[60] * 6)[0]) == "60 s, about the same as the 5 others"


def test_active_time_counts_where_the_page_has_measured_it() -> None:
    works = make_timed(*[100] * 6)
    works[0].active_s = 30

    assert place_of(works[0]) == "30 s, faster than all 5 others"


def test_few_others_are_no_measure() -> None:
    (spread,) = spreads_of(make_timed(6, 40, 50, 60, 60)[0])

    assert (spread.place, spread.strip) == ("too few others to compare it with", None)


def test_each_score_is_compared_with_the_same_measure() -> None:
    works = make_timed(*[60] * 7)
    for work, numerator in zip(works, (1, 4, 4, 4, 3, 1, 4), strict=True):
        give_score(work, numerator=numerator)
    give_score(works[0], numerator=4, measure="fool")

    found = [(one.value, one.place) for one in spreads_of(works[0])]

    assert found == [
        ("60 s", "about the same as the 6 others"),
        ("100 %", "too few others to compare it with"),
        ("25 %", "lower than 83 % of 6 others, and none is lower"),
    ]


def test_score_reads_as_the_bound_that_it_has_reached() -> None:
    assert [percent(Fraction(n, 100)) for n in (29, 57, 58)] == ["29 %", "57 %", "58 %"]
    assert percent(Fraction(2, 3)) == "66 %"


def test_strip_has_every_other_work_and_marks_its_own() -> None:
    works = make_timed(10, 40, 40, 40, 50, 5000)

    (first,), (last,) = spreads_of(works[0]), spreads_of(works[5])

    assert first.strip
    assert last.strip
    assert [bar.height for bar in first.strip.bars] == [26, 9, 9]
    assert (first.strip.own_x, first.strip.high) == (36, "100 s or more")
    assert last.strip.own_x == 324


def test_no_others_than_the_latest_are_read_and_those_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_spread, "LATEST", 6)
    works = make_timed(1, 2, 3, 40, 40, 40, 40, 50, 60)

    shown = Assignment.objects.select_related("hit").filter(pk__in=[work.pk for work in works[-2:]])
    with CaptureQueriesContext(connection) as queries:
        places = [place_of(work) for work in shown.order_by("pk")]

    assert places == ["50 s, slower than 80 % of 5 others", "60 s, slower than all 5 others"]
    # Both works, the scores of each, and the times and scores of the batch.
    assert len(queries) == 5


def test_others_are_read_again_after_a_while() -> None:
    works = make_timed(*[60] * 5)
    before = place_of(works[0])
    make_works(count=1, batch=works[0].hit.batch)
    remembered = place_of(works[0])
    cache.clear()

    assert before == remembered
    assert place_of(works[0]) == "60 s, about the same as the 5 others"
