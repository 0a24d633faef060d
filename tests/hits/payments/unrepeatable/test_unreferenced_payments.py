from collections import Counter
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hits.payments.domain.unreferenced_payments import Payable, Standing, attribute
from tests.factories import NOW

CENT = Decimal("0.01")
LATER = NOW + timedelta(minutes=1)
amounts = st.sampled_from([CENT, CENT * 2, CENT * 3])
bonuses = st.lists(
    st.tuples(amounts, st.sampled_from(Standing), st.none() | st.integers(0, 9)), max_size=6
).map(
    lambda rows: [
        bonus(str(place), standing, amount=amount, asked_at=None if at is None else NOW + timedelta(days=at))
        for place, (amount, standing, at) in enumerate(rows)
    ]
)


def bonus(token: str, standing: Standing, **changes: Any) -> Payable:
    return Payable(**{"token": token, "amount": CENT, "standing": standing, "asked_at": NOW, **changes})


@pytest.mark.parametrize(
    ("paid", "found"),
    [
        (0, []),
        (1, ["confirmed"]),
        (2, ["confirmed", "sent"]),
        (3, ["confirmed", "sent", "on its way"]),
        (4, ["confirmed", "sent", "on its way", "unclear"]),
        (6, ["confirmed", "sent", "on its way", "unclear", "later", "unpaid"]),
        (7, ["confirmed", "sent", "on its way", "unclear", "later", "unpaid", "later"]),
    ],
)
def test_attribute_gives_payments_to_what_is_known_best(paid: int, found: list[str]) -> None:
    known = [
        bonus("unpaid", Standing.UNPAID, asked_at=None),
        bonus("later", Standing.UNCLEAR, asked_at=LATER),
        bonus("unclear", Standing.UNCLEAR),
        bonus("on its way", Standing.ON_ITS_WAY),
        bonus("sent", Standing.SENT),
        bonus("confirmed", Standing.CONFIRMED),
    ]

    assert attribute([CENT] * paid, known) == found


def test_attribute_leaves_an_amount_that_no_bonus_has_without_one() -> None:
    assert attribute([CENT * 2], [bonus("a", Standing.UNCLEAR)]) == [""]


@given(paid=st.lists(amounts, max_size=6), known=bonuses)
def test_attribute_counts_exactly_the_payments_of_each_amount(
    paid: list[Decimal], known: list[Payable]
) -> None:
    by_token = {one.token: one for one in known}

    found = attribute(paid, known)

    given_to = Counter(by_token[token].amount for token in found if token)
    have_any = Counter(amount for amount in paid if any(one.amount == amount for one in known))
    assert given_to == have_any
    for amount, count in have_any.items():
        same = [one for one in known if one.amount == amount]
        tokens = {token for token in found if token and by_token[token].amount == amount}
        assert len(tokens) == min(count, len(same))
