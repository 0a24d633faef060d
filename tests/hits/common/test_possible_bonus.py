from decimal import Decimal

import pytest

from hits.common.possible_bonus import LONGEST, add_bonus, read_bonus


def test_the_bonus_is_said_at_the_end_and_read_there() -> None:
    told = add_bonus("Pick them.", most=Decimal("0.54"))

    assert told == "Pick them. · Bonus of up to $0.54"
    assert read_bonus(told) == ("Pick them.", Decimal("0.54"))


def test_nothing_is_said_of_no_bonus_nor_beyond_what_a_description_holds() -> None:
    full = "x" * (LONGEST - 3)

    assert add_bonus("Pick them.", most=Decimal(0)) == "Pick them."
    assert add_bonus("Pick.", most=Decimal(1), currency="GBP") == "Pick. · Bonus of up to £1.00"
    assert add_bonus(full, most=Decimal("0.54")) == full


@pytest.mark.parametrize(
    "description",
    [
        "",
        "Pick them.",
        "Bonus of up to $0.54",
        "Pick. · Bonus of up to $0.54 or more",
        "Pick. · Bonus of up to $0.00",
        "Pick. · Bonus of up to $٠.٥٤",
        "Pick. · Bonus of up to $99999999.00",
    ],
)
def test_other_words_promise_nothing(description: str) -> None:
    assert read_bonus(description) == (description, None)
