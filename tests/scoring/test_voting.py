"""Tallies of the answers to an item. Only work that counts is counted."""

from fractions import Fraction
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from scoring.models import Score
from scoring.queries import vote_tallies
from scoring.queries.vote_tallies import Tally, tallies
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_study

pytestmark = pytest.mark.django_db


def make_items(count: int, *, study: Study | None = None) -> list[Item]:
    study = study or make_study()
    return [Item.objects.create(study=study, task="winoground.validate", wanted=0) for _ in range(count)]


def vote(item: Item, value: int, *, hit: HIT, measure: str = "yes", **changes: Any) -> Assignment:
    """Answer the item as a new worker; submitted, unless changed."""
    assignment = make_assignment(hit=hit, **{"status": "submitted", **changes})
    Lease.objects.create(
        item=item, assignment=assignment, worker=assignment.worker, status="answered", leased_at=NOW
    )
    Score.objects.create(
        assignment=assignment, item=item, measure=measure, numerator=value, denominator=1, scored_at=NOW
    )
    return assignment


@pytest.fixture
def hit() -> HIT:
    return make_hit(batch=make_batch(status="open", task="winoground.validate"))


def test_tallies_count_by_item_and_measure(hit: HIT) -> None:
    first, second, unanswered = make_items(3)
    for value in (1, 1, 0):
        vote(first, value, hit=hit)
    vote(first, 1, hit=hit, measure="other")
    vote(second, 0, hit=hit)

    found = tallies([first.pk, second.pk, unanswered.pk])

    assert found == {
        (first.pk, "yes"): Tally(yes=2, answers=3),
        (first.pk, "other"): Tally(yes=1, answers=1),
        (second.pk, "yes"): Tally(yes=0, answers=1),
    }


def test_tallies_of_some_measures_only(hit: HIT) -> None:
    (item,) = make_items(1)
    vote(item, 1, hit=hit)
    vote(item, 1, hit=hit, measure="other")

    assert tallies([item.pk], measures=["other"]) == {(item.pk, "other"): Tally(yes=1, answers=1)}


@pytest.mark.parametrize(
    ("changes", "answers"),
    [
        ({}, 2),
        ({"status": "approved"}, 2),
        ({"status": "rejected"}, 1),
        ({"status": "approved", "kept_out": True}, 1),
    ],
)
def test_tallies_leave_out_what_is_kept_out_or_rejected(
    changes: dict[str, Any], answers: int, hit: HIT
) -> None:
    (item,) = make_items(1)
    vote(item, 1, hit=hit)
    vote(item, 1, hit=hit, **changes)

    assert tallies([item.pk]) == {(item.pk, "yes"): Tally(yes=answers, answers=answers)}


def test_tallies_leave_out_an_answer_whose_place_went_to_somebody_else(hit: HIT) -> None:
    (item,) = make_items(1)
    vote(item, 0, hit=hit)
    given_away = vote(item, 1, hit=hit)
    Lease.objects.filter(assignment=given_away).update(status="released", ended_at=NOW)

    assert tallies([item.pk]) == {(item.pk, "yes"): Tally(yes=0, answers=1)}


def test_tallies_leave_out_shares_that_are_no_votes(hit: HIT) -> None:
    (item,) = make_items(1)
    share = vote(item, 1, hit=hit)
    Score.objects.filter(assignment=share).update(denominator=3)

    assert tallies([item.pk]) == {}


def test_tallies_of_a_query_are_one_query(
    hit: HIT, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    study = make_study()
    items = make_items(4, study=study)
    for item in items:
        vote(item, 1, hit=hit)
    vote(make_items(1)[0], 1, hit=hit)

    with django_assert_num_queries(1):
        found = tallies(Item.objects.filter(study=study))

    assert found == {(item.pk, "yes"): Tally(yes=1, answers=1) for item in items}


def test_tallies_of_nothing_are_none() -> None:
    assert tallies([]) == {}


def test_more_than_a_query_can_name_is_refused() -> None:
    with pytest.raises(ValueError, match="with a query"):
        tallies(range(vote_tallies.MOST_NAMED + 1))


@pytest.mark.parametrize(
    ("yes", "answers", "share", "is_majority", "is_unanimous"),
    [
        (0, 3, Fraction(0), False, True),
        (1, 3, Fraction(1, 3), False, False),
        (2, 4, Fraction(1, 2), False, False),
        (2, 3, Fraction(2, 3), True, False),
        (3, 3, Fraction(1), True, True),
    ],
)
def test_tally_knows_majority_and_agreement(
    yes: int, answers: int, share: Fraction, is_majority: bool, is_unanimous: bool
) -> None:
    tally = Tally(yes=yes, answers=answers)

    assert (tally.no, tally.share) == (answers - yes, share)
    assert (tally.is_majority, tally.is_unanimous) == (is_majority, is_unanimous)
