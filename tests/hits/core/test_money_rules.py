from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from hits.core.domain import bonus_rules, bonus_tables, money

pytestmark = pytest.mark.pure
RULE: dict[str, Any] = {"name": "all right", "measure": "jaccard", "at_least": 100, "amount": "0.01"}


@pytest.mark.parametrize(
    "changes",
    [
        {"name": ""},
        {"name": "x" * 65},
        {"name": "a\x00b"},
        {"measure": 7},
        {"at_least": 101},
        {"at_least": "100"},
        {"amount": "0.001"},
        {"amount": "0"},
        {"amount": "-1"},
        {"amount": "1e27"},
        {"amount": "10000"},
        {"amount": "NaN"},
        {"amount": "much"},
        {"extra": 1},
    ],
)
def test_read_bonus_rules_names_the_bad_line(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Rule 2"):
        bonus_tables.read_bonus_rules([{**RULE, "name": "first"}, {**RULE, **changes}])


@pytest.mark.parametrize("data", [None, {}, "text", [1], [RULE, RULE]])
def test_read_bonus_rules_refuses_what_is_no_table(data: Any) -> None:
    with pytest.raises(ValueError, match=r"[Rr]ule"):
        bonus_tables.read_bonus_rules(data)


@pytest.mark.parametrize(
    ("score", "owed"), [(Fraction(67, 100), True), (Fraction(2, 3), False), (Fraction(1), True)]
)
def test_rule_owes_from_its_threshold_on_exactly(score: Fraction, owed: bool) -> None:
    (rule,) = bonus_tables.read_bonus_rules([{**RULE, "at_least": 67}])

    (found,) = bonus_rules.evaluate([rule], work=bonus_rules.Work(items=[{"jaccard": score}]))
    (other,) = bonus_rules.evaluate([rule], work=bonus_rules.Work(items=[{"another": score}]))

    assert (found.amount > 0, other.amount > 0) == (owed, False)


def test_cost_counts_every_place_and_every_rule() -> None:
    prices = money.Prices(
        reward=Decimal(1), rules=bonus_tables.read_bonus_rules([RULE]), fees=money.FEES["amazon"]
    )

    cost = money.cost_of([10, 10], prices=prices)

    assert (cost.rewards, cost.bonuses) == (Decimal(20), Decimal("0.20"))
    assert (cost.fees, cost.bonus_fees) == (Decimal("8.00"), Decimal("0.20"))
    assert cost.total == Decimal("28.40")
