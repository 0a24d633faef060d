"""The paper's bonus table on the authors' recorded scores gives the same cents, to the last association."""

import csv
import json
from collections import Counter, defaultdict
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from crowd.winogavil.domain import WINOGAVIL_TIERS
from hits.core.domain import bonus_rules, bonus_tables
from scoring.domain import fool_the_ai, jaccard, mean

DATA = Path(__file__).parents[4] / "shared" / "data" / "winogavil"
pytestmark = [
    pytest.mark.pure,
    pytest.mark.skipif(not DATA.is_dir(), reason="the recorded data of ../shared is not here"),
]


def read(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def recorded() -> list[dict[str, Fraction]]:
    """The scores of each recorded association: its fool score, and how solvable it was."""
    picks: dict[str, list[set[str]]] = defaultdict(list)
    for row in read("solutions.csv"):
        picks[row["association"]].append(set(json.loads(row["selected"])))
    found = []
    for row in read("associations.csv"):
        chosen = set(json.loads(row["selected"]))
        fool = fool_the_ai(chosen=chosen, predicted=set(json.loads(row["rival_prediction"])))
        solvers = [jaccard(picked, chosen) for picked in picks[row["association"]]]
        found.append({"fool": Fraction(fool, 100), "solvable": mean(solvers)})
    return found


def test_the_table_comes_to_what_was_recorded() -> None:
    expected = json.loads((DATA / "expected.json").read_text())
    rules = bonus_tables.read_bonus_rules(list(WINOGAVIL_TIERS))

    amounts = [
        earned.amount
        for scores in recorded()
        for earned in bonus_rules.evaluate(rules, work=bonus_rules.Work(items=[scores]))
    ]

    by_cents = Counter(str(int(100 * amount)) for amount in amounts)
    assert (len(amounts), by_cents) == (expected["associations"], Counter(expected["bonus_cents_by_tier"]))
    assert sum(amounts) == Decimal(expected["bonus_total"])


def test_two_associations_of_one_submission_come_to_the_same_sum() -> None:
    expected = json.loads((DATA / "expected.json").read_text())
    (rule,) = bonus_tables.read_bonus_rules(list(WINOGAVIL_TIERS))
    scores = recorded()

    amounts = [
        bonus_rules.evaluate([rule], work=bonus_rules.Work(items=scores[first : first + 2]))[0].amount
        for first in range(0, len(scores), 2)
    ]

    assert sum(amounts) == Decimal(expected["bonus_total"])
    assert max(amounts) == rule.most(items=2) == Decimal("0.54")
