"""The rules of money and work that need no database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

CENT = Decimal("0.01")
MOST_BONUS = Decimal("9999.99")
LONGEST_NAME = 64


@dataclass(frozen=True, kw_only=True)
class BonusRule:
    """A line of a study's bonus table: this amount where this measure is at least this many per cent."""

    name: str
    measure: str
    at_least: int
    amount: Decimal

    def owes(self, scores: Mapping[str, Fraction]) -> bool:
        score = scores.get(self.measure)
        return score is not None and 100 * score >= self.at_least


def read_bonus_rules(data: Any) -> list[BonusRule]:
    """The table as a researcher wrote it. Raises ValueError with the line and what is wrong with it."""
    if not isinstance(data, list):
        raise ValueError("The bonus table must be a list of rules.")  # noqa: TRY004
    rules = [_read_rule(row, number) for number, row in enumerate(data, start=1)]
    if len({rule.name for rule in rules}) < len(rules):
        raise ValueError("Every rule needs a name of its own.")
    return rules


def _read_rule(row: Any, number: int) -> BonusRule:
    wanted = {"name", "measure", "at_least", "amount"}
    if not isinstance(row, dict) or set(row) != wanted:
        raise ValueError(f"Rule {number} needs exactly these fields: {', '.join(sorted(wanted))}.")
    try:
        amount = Decimal(str(row["amount"]))
    except InvalidOperation:
        raise ValueError(f"Rule {number}: the amount {row['amount']!r} is not a number.") from None
    if not amount.is_finite() or not CENT <= amount <= MOST_BONUS or amount != amount.quantize(CENT):
        raise ValueError(f"Rule {number}: the amount must be whole cents, from {CENT} to {MOST_BONUS}.")
    if not isinstance(row["at_least"], int) or not 0 <= row["at_least"] <= 100:
        raise ValueError(f"Rule {number}: at_least must be a whole number from 0 to 100.")
    for field in ("name", "measure"):
        text = row[field]
        if not isinstance(text, str) or not 0 < len(text) <= LONGEST_NAME or not text.isprintable():
            raise ValueError(f"Rule {number}: {field} must be a text of 1 to {LONGEST_NAME} characters.")
    return BonusRule(name=row["name"], measure=row["measure"], at_least=row["at_least"], amount=amount)


def is_same_moment(ours: datetime | None, theirs: datetime | None) -> bool:
    """Providers send whole seconds or milliseconds. An unknown moment is any."""
    return ours is None or theirs is None or abs(ours - theirs) < timedelta(seconds=1.5)


@dataclass(frozen=True, kw_only=True)
class FeeSchedule:
    """What a provider adds to every reward and bonus."""

    rate: Decimal
    many_rate: Decimal
    minimum: Decimal

    def on_reward(self, reward: Decimal, *, assignments_per_hit: int) -> Decimal:
        many = self.many_rate if assignments_per_hit >= 10 else Decimal(0)
        return max(self.minimum, round_to_cents(reward * (self.rate + many)))

    def on_bonus(self, bonus: Decimal) -> Decimal:
        return max(self.minimum, round_to_cents(bonus * self.rate))


FEES = {
    "none": FeeSchedule(rate=Decimal(0), many_rate=Decimal(0), minimum=Decimal(0)),
    "amazon": FeeSchedule(rate=Decimal("0.20"), many_rate=Decimal("0.20"), minimum=CENT),
}


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a batch can cost at most."""

    rewards: Decimal
    fees: Decimal
    bonuses: Decimal

    @property
    def total(self) -> Decimal:
        return self.rewards + self.fees + self.bonuses


def cost_of_batch(
    *,
    hits: int,
    assignments_per_hit: int,
    reward: Decimal,
    rules: Sequence[BonusRule],
    fees: FeeSchedule,
) -> Cost:
    """Every place filled, and every rule owed to everybody."""
    assignments = hits * assignments_per_hit
    fee = fees.on_reward(reward, assignments_per_hit=assignments_per_hit)
    bonus_fees = sum((fees.on_bonus(rule.amount) for rule in rules), Decimal(0))
    return Cost(
        rewards=assignments * reward,
        fees=assignments * (fee + bonus_fees),
        bonuses=assignments * sum((rule.amount for rule in rules), Decimal(0)),
    )


def round_to_cents(amount: Decimal) -> Decimal:
    """Half up, as providers do. Sums that SQLite made carry its floats' noise until here."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)
