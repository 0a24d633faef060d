"""The cost of bonuses about to be owed, as a page says it and as the form sends back what was seen."""

from dataclasses import replace
from decimal import Decimal

import pytest
from django.http import QueryDict

from hits.admin.sums import Sum, read_seen, sum_up
from tests.factories import make_batch, make_study

FOUR = Sum(count=4, total=Decimal("0.30"), fees=Decimal("0.06"), left=Decimal("0.36"), currency="USD")


@pytest.mark.django_db
def test_sum_counts_adds_and_knows_what_is_left() -> None:
    batch = make_batch(study=make_study(budget=Decimal(1)))

    found = sum_up(batch, [Decimal("0.10"), Decimal("0.20")])

    assert (found.count, found.total, found.left) == (2, Decimal("0.30"), batch.study.budget_left)
    assert found.fees == sum(batch.prices.fees.on_bonus(Decimal(cents) / 10) for cents in (1, 2))


@pytest.mark.parametrize(
    ("left", "problem"),
    [
        ("0.36", ""),
        (
            "0.35",
            "That is more than is left. Raise the study's budget first; nothing is owed",
        ),
        (None, "The study has no budget. Give it one first."),
    ],
)
def test_sum_above_the_budget_is_a_problem(left: str | None, problem: str) -> None:
    cost = replace(FOUR, left=None if left is None else Decimal(left))

    assert cost.is_over_budget == bool(problem)
    assert cost.problem(done="owed").startswith(problem)


def test_sum_is_said_and_read_as_it_was_seen() -> None:
    sent = QueryDict(mutable=True)
    sent.update(dict(FOUR.seen))

    assert "That costs <strong>$0.36</strong>" in FOUR.cost
    assert FOUR.fees_in_words == ", and $0.06 of fees"
    assert read_seen(sent) == (4, Decimal("0.30"))


@pytest.mark.parametrize("sent", ["", "count=x&total=junk", "count=-4&total=NaN", "total=Infinity&count=99"])
def test_what_cannot_be_read_was_seen_by_nobody(sent: str) -> None:
    assert read_seen(QueryDict(sent))[1] == 0
