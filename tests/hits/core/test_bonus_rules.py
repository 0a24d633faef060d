"""The bonus table as data: what it reads, what it refuses, and the bonuses it gives, to the cent."""

import json
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.winogavil.domain import WINOGAVIL_TIERS
from hits.core.domain import bonus_tables, money
from hits.core.domain.bonus_rules import Work, evaluate, pay_of_item
from hits.payments.services.bonus_words import reason_of, score_in_words, steps_of

pytestmark = pytest.mark.pure
CONDITION: dict[str, Any] = {"name": "c", "measure": "jaccard", "at_least": 100, "amount": "0.01"}
FLAT: dict[str, Any] = {"name": "f", "kind": "flat", "amount": "0.05"}
EACH: dict[str, Any] = {"name": "e", "kind": "per_item", "measure": "fool", "at_least": 80, "amount": "0.02"}
TIERS: dict[str, Any] = dict(WINOGAVIL_TIERS[0])
WAGE: dict[str, Any] = {"name": "w", "kind": "wage", "at_most": "1.00", "hourly": "12.00"}
SHARES = st.fractions(min_value=0, max_value=1, max_denominator=300)


def tiers(*rows: dict[str, Any]) -> dict[str, Any]:
    return {**TIERS, "tiers": list(rows)}


def come_to(*table: dict[str, Any], **work: Any) -> list[Decimal]:
    earned = evaluate(bonus_tables.read_bonus_rules(list(table)), work=Work(**work))
    return [each.amount for each in earned]


def items(*scores: Any, solvable: Any = 1) -> Sequence[dict[str, Fraction]]:
    return [{"fool": Fraction(score), "solvable": Fraction(solvable)} for score in scores]


@pytest.mark.parametrize("kind", sorted(bonus_tables.EXAMPLES))
def test_every_example_is_a_rule_of_its_kind(kind: str) -> None:
    (rule,) = bonus_tables.read_bonus_rules([bonus_tables.EXAMPLES[kind]])

    assert rule.kind == kind
    assert rule.in_words(currency="USD")


def test_a_table_of_before_there_were_kinds_is_read_as_conditions() -> None:
    (old, new) = bonus_tables.read_bonus_rules([CONDITION, {**CONDITION, "name": "n", "kind": "condition"}])

    assert (old.kind, new.kind) == ("condition", "condition")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            {**FLAT, "kind": "lottery"},
            "there is no kind 'lottery'. Use condition, flat, per_item, tiers, wage",
        ),
        ({**FLAT, "kind": ["flat"]}, "there is no kind"),
        ({"name": "f", "kind": "flat"}, 'amount, kind, name. For example {"name": "thank you"'),
        ({**FLAT, "measure": "fool"}, "needs exactly these fields"),
        ({**EACH, "at_least": True}, "at_least must be a whole number from 0 to 100"),
        ({**EACH, "at_least": 66.67}, "at_least must be a whole number from 0 to 100"),
        ({**TIERS, "tiers": []}, "tiers must be a list"),
        (tiers({"from": 50}), "tier 1 needs exactly these fields: from, amount, and may have below"),
        (tiers({"from": 60, "below": 60, "amount": "1"}), r"from \(60\) must be less than below \(60\)"),
        (tiers({"from": 0, "below": 101, "amount": "1"}), "below must be a whole number"),
        (tiers({"from": 0, "amount": "0.005"}), "tier 1: the amount must be whole cents"),
        (
            tiers({"from": 50, "below": 61, "amount": "1"}, {"from": 60, "below": 70, "amount": "2"}),
            "the tiers from 50 and from 60 overlap. Write below 60 or less in the first",
        ),
        (
            tiers({"from": 90, "below": 95, "amount": "1"}, {"from": 80, "amount": "2"}),
            "the tiers from 80 and from 90 overlap",
        ),
        ({**TIERS, "when": {"measure": "solvable"}}, "when must be such as"),
        ({**TIERS, "when": {"measure": "solvable", "at_least": -1}}, "at_least must be a whole number"),
        ({**WAGE, "at_most": "0"}, "the at_most must be whole cents"),
        ({**WAGE, "hourly": "much"}, "the hourly 'much' is not a number"),
        ({"name": "w", "kind": "wage", "hourly": "1"}, "at_most, kind, name, and may have hourly"),
        (CONDITION, "is called “c” as rule 1 is"),
    ],
)
def test_reading_names_the_line_and_how_to_mend_it(row: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=rf"Rule 2.*{words}"):
        bonus_tables.read_bonus_rules([CONDITION, row])


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (EACH, "nothing is measured as fool. Known: jaccard, speed."),
        ({**TIERS, "measure": "jaccard"}, "nothing is measured as solvable"),
        ({**FLAT, "name": "appeal"}, "“appeal” is kept for bonuses that people decide"),
        ({**FLAT, "name": "wage top-up"}, "“wage top-up” is kept"),
    ],
)
def test_a_table_to_come_names_only_what_is_known(row: dict[str, Any], words: str) -> None:
    rules = bonus_tables.read_bonus_rules([CONDITION, row])

    with pytest.raises(ValueError, match=f"Rule 2: .*{words}"):
        bonus_tables.check_names(rules, known=["jaccard", "speed"])


@pytest.mark.parametrize(
    ("score", "amount"),
    [
        ("0", "0"),
        ("49/100", "0"),
        ("4999/10000", "0"),
        ("50/100", "0.03"),
        ("5999/10000", "0.03"),
        ("60/100", "0.07"),
        ("2/3", "0.07"),  # 66.67 per cent
        ("6699/10000", "0.07"),
        ("67/100", "0.18"),
        ("75/100", "0.18"),
        ("7999/10000", "0.18"),
        ("80/100", "0.27"),
        ("1", "0.27"),
    ],
)
def test_a_tier_takes_its_lower_edge_and_leaves_the_upper_one(score: str, amount: str) -> None:
    assert come_to(TIERS, items=items(score)) == [Decimal(amount)]


@pytest.mark.parametrize(
    ("solvable", "amount"), [("7999/10000", "0"), ("79/100", "0"), ("4/5", "0.27"), ("1", "0.27")]
)
def test_a_gate_opens_at_its_threshold_exactly(solvable: str, amount: str) -> None:
    assert come_to(TIERS, items=items(1, solvable=solvable)) == [Decimal(amount)]


def test_tiers_are_added_up_over_the_items_of_a_submission() -> None:
    gate_missing: dict[str, Fraction] = {"fool": Fraction(1)}
    score_missing: dict[str, Fraction] = {"solvable": Fraction(1)}

    assert come_to(TIERS, items=items("1", "67/100")) == [Decimal("0.45")]
    assert come_to(TIERS, items=[gate_missing, score_missing, *items("1/2")]) == [Decimal("0.03")]


def test_one_item_is_told_what_it_pays_by_the_rules_of_its_measures() -> None:
    rules = bonus_tables.read_bonus_rules([FLAT, CONDITION, EACH])

    assert pay_of_item(rules, {"fool": Fraction(4, 5)}) == Decimal("0.02")
    assert pay_of_item(rules, {"fool": Fraction(1, 2)}) == 0
    assert pay_of_item(rules, {"jaccard": Fraction(1)}) is None


def test_tiers_may_leave_gaps_and_stand_in_any_order() -> None:
    table = tiers({"from": 80, "below": 100, "amount": "2"}, {"from": 10, "below": 20, "amount": "1"})

    amounts = [come_to(table, items=items(score))[0] for score in ("1/10", "1/5", "1/2", "4/5", "1")]

    assert amounts == [1, 0, 0, 2, 0]


def test_each_item_is_paid_by_itself_and_a_condition_once_by_the_mean() -> None:
    condition = {**CONDITION, "measure": "fool", "at_least": 75}

    assert come_to(EACH, condition, items=items("4/5", "79/100", "1")) == [Decimal("0.04"), Decimal("0.01")]
    assert come_to(EACH, condition, items=items("4/5", "2/3")) == [Decimal("0.02"), 0]
    assert come_to(EACH, condition, FLAT) == [0, 0, Decimal("0.05")]


@pytest.mark.parametrize(
    ("seconds", "amount"),
    [
        (None, "0"),
        (0, "0"),
        (60, "0"),  # twenty cents by the hour, and the reward is twenty
        (61, "0.01"),  # a third of a cent is a whole one
        (63, "0.01"),
        (64, "0.02"),
        (180, "0.40"),
        (360, "1.00"),
        (100_000, "1.00"),
    ],
)
def test_a_wage_is_what_the_pay_lacks_rounded_up_and_never_above_its_most(
    seconds: int | None, amount: str
) -> None:
    assert come_to(WAGE, reward=Decimal("0.20"), seconds=seconds) == [Decimal(amount)]


def test_a_wage_counts_the_other_bonuses_wherever_it_stands_in_the_table() -> None:
    work = {"items": items(1), "reward": Decimal("0.10"), "seconds": 180}

    assert come_to(WAGE, FLAT, TIERS, **work) == [Decimal("0.18"), Decimal("0.05"), Decimal("0.27")]
    assert come_to(TIERS, FLAT, WAGE, **work) == [Decimal("0.27"), Decimal("0.05"), Decimal("0.18")]


def test_a_wage_counts_what_is_owed_already_though_its_score_has_fallen() -> None:
    owed = {TIERS["name"]: Decimal("0.27"), "appeal": Decimal("0.03"), "w": Decimal("0.10")}
    work = {"items": items("1/2"), "reward": Decimal("0.10"), "seconds": 180, "owed": owed}

    assert come_to(TIERS, WAGE, **work) == [Decimal("0.03"), Decimal("0.20")]


def test_a_wage_without_a_figure_of_its_own_has_the_floor_of_the_launch() -> None:
    lean = {"name": "w", "kind": "wage", "at_most": "1.00"}

    assert bonus_tables.wants_floor(bonus_tables.read_bonus_rules([FLAT, lean]))
    assert not bonus_tables.wants_floor(bonus_tables.read_bonus_rules([FLAT, WAGE]))
    assert bonus_tables.with_floor([FLAT, lean, WAGE], floor=Decimal(9)) == [
        FLAT,
        {**lean, "hourly": "9.00"},
        WAGE,
    ]
    assert bonus_tables.with_floor([lean], floor=None) == [lean]
    assert come_to(lean, seconds=3600) == [0]


@given(scores=st.lists(st.tuples(SHARES, SHARES), max_size=10), seconds=st.none() | st.integers(0, 10**6))
def test_what_is_set_aside_covers_whatever_can_be_owed(
    scores: list[tuple[Fraction, Fraction]], seconds: int | None
) -> None:
    rules = bonus_tables.read_bonus_rules([{**CONDITION, "measure": "fool"}, FLAT, EACH, TIERS, WAGE])
    work = Work(items=[{"fool": fool, "solvable": solvable} for fool, solvable in scores], seconds=seconds)
    prices = money.Prices(
        reward=Decimal(1), rules=rules, fees=money.FEES["amazon"], items=max(1, len(scores))
    )

    earned = evaluate(rules, work=work)

    owed = [each.amount for each in earned if each.amount]
    assert sum(owed) <= prices.most_bonus
    assert sum(prices.fees.on_bonus(amount) for amount in owed) <= prices.most_bonus_fee
    assert all(amount == amount.quantize(Decimal("0.01")) > 0 for amount in owed)
    assert json.loads(json.dumps([each.figures for each in earned])) == [each.figures for each in earned]


def test_a_place_costs_at_most_what_every_rule_comes_to_for_every_item() -> None:
    rules = bonus_tables.read_bonus_rules([CONDITION, FLAT, EACH, TIERS, WAGE])
    prices = money.Prices(reward=Decimal(1), rules=rules, fees=money.FEES["amazon"], items=2)

    cost = money.cost_of([3], prices=prices)

    assert [rule.most(items=2) for rule in rules] == [
        Decimal(amount) for amount in ("0.01", "0.05", "0.04", "0.54", "1.00")
    ]
    assert (cost.bonuses, cost.bonus_fees) == (3 * Decimal("1.64"), 3 * Decimal("0.34"))


def test_figures_tell_every_step_exactly() -> None:
    (rule,) = bonus_tables.read_bonus_rules([TIERS])

    (earned,) = evaluate([rule], work=Work(items=items("67/100", "2/5", solvable="8/9")))

    assert earned.figures == {
        "kind": "tiers",
        "measure": "fool",
        "when": {"measure": "solvable", "at_least": 80},
        "items": [
            {"score": "67/100", "when": "8/9", "from": 67, "below": 80, "amount": "0.18"},
            {"score": "2/5", "when": "8/9", "amount": "0.00"},
        ],
        "amount": "0.18",
    }


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (FLAT, "Bonus “f” for work that was approved."),
        (EACH, "Bonus “e”: 1 of 2 answers scored at least 80 % (fool)."),
        (
            {**CONDITION, "measure": "fool", "at_least": 50},
            "Bonus “c”: your answers scored at least 50 % (fool).",
        ),
        (
            TIERS,
            (
                "Bonus “fools the model” by score (fool), for each question: "
                "66.66 % (solvable 100 %): $0.07, 80 % (solvable 100 %): $0.27."
            ),
        ),
        (
            WAGE,
            (
                "Bonus “w”: your work took 4 min 10 s. With the reward of $0.10 and other bonuses of $0.00 "
                "this lifts your pay to $12.00 an hour."
            ),
        ),
        (
            {**WAGE, "at_most": "0.50"},
            (
                "Bonus “w”: your work took 4 min 10 s. With the reward of $0.10 and other bonuses of $0.00, "
                "$0.74 were missing to $12.00 an hour; this rule pays at most $0.50."
            ),
        ),
    ],
    ids=["flat", "per_item", "condition", "tiers", "wage", "wage-capped"],
)
def test_a_worker_reads_what_was_earned_and_why(row: dict[str, Any], words: str) -> None:
    work = Work(items=items("2/3", "4/5"), reward=Decimal("0.10"), seconds=250)

    (earned,) = evaluate(bonus_tables.read_bonus_rules([row]), work=work)

    assert reason_of(earned.rule, earned.figures, currency="USD") == words


def test_steps_list_each_question() -> None:
    (earned,) = evaluate(bonus_tables.read_bonus_rules([EACH]), work=Work(items=[*items("4/5"), {}]))

    assert steps_of(earned.figures, currency="USD") == [
        "Question 1: 80 %, $0.02",
        "Question 2: no score, $0.00",
    ]


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (None, "no score"),
        ("1", "100 %"),
        ("2/3", "66.66 %"),
        ("79999/100000", "79.99 %"),
        ("401/500", "80.20 %"),
    ],
)
def test_a_score_never_reads_like_a_threshold_it_has_not_reached(score: str | None, words: str) -> None:
    assert score_in_words(score) == words
