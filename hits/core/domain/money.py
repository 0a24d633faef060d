"""Fees, and the most that work can cost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, ROUND_UP, Decimal

from hits.core.domain.bonus_rules import CENT, NOTHING, BonusRule

MANY = 10  # places of one HIT from which fees rise, and which adding places may not cross


@dataclass(frozen=True, kw_only=True)
class FeeSchedule:
    """Fees that a provider adds to every reward and bonus."""

    rate: Decimal
    many_rate: Decimal
    masters_rate: Decimal
    minimum: Decimal

    def on_reward(self, reward: Decimal, *, assignments_per_hit: int, masters: bool = False) -> Decimal:
        rate = self.rate
        if assignments_per_hit >= MANY:
            rate += self.many_rate
        if masters:
            rate += self.masters_rate
        return max(self.minimum, round_to_cents(reward * rate))

    def on_bonus(self, bonus: Decimal) -> Decimal:
        return max(self.minimum, round_to_cents(bonus * self.rate))


# Fees of Prolific (September 2026), for firms and for universities, and both with a VAT of 20 % on the fee.
PROLIFIC_FEES = {
    "prolific": Decimal("0.428"),
    "prolific, VAT": Decimal("0.5136"),
    "academic": Decimal("0.333"),
    "academic, VAT": Decimal("0.3996"),
}


def _flat(rate: Decimal) -> FeeSchedule:
    return FeeSchedule(rate=rate, many_rate=NOTHING, masters_rate=NOTHING, minimum=NOTHING)


FEES = {
    "none": FeeSchedule(rate=NOTHING, many_rate=NOTHING, masters_rate=NOTHING, minimum=NOTHING),
    "amazon": FeeSchedule(
        rate=Decimal("0.20"), many_rate=Decimal("0.20"), masters_rate=Decimal("0.05"), minimum=CENT
    ),
    **{name: _flat(rate) for name, rate in PROLIFIC_FEES.items()},
}


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Prices of one place of a HIT: known before the launch, and never changed after it."""

    reward: Decimal
    rules: Sequence[BonusRule]
    fees: FeeSchedule
    masters: bool = False
    items: int = 1  # scored of one submission: some rules pay for each

    def fee(self, *, assignments_per_hit: int) -> Decimal:
        return self.fees.on_reward(self.reward, assignments_per_hit=assignments_per_hit, masters=self.masters)

    @property
    def most_bonus(self) -> Decimal:
        """The most that one submission can earn in bonuses: every rule owed, for every item."""
        return sum(self._most_by_rule, NOTHING)

    @property
    def most_bonus_fee(self) -> Decimal:
        return sum((self.fees.on_bonus(most) for most in self._most_by_rule), NOTHING)

    @property
    def _most_by_rule(self) -> list[Decimal]:
        return [rule.most(items=self.items) for rule in self.rules]

    def place(self, *, assignments_per_hit: int) -> Decimal:
        """The most that one place can cost."""
        fee = self.fee(assignments_per_hit=assignments_per_hit)
        return self.reward + fee + self.most_bonus + self.most_bonus_fee


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The most that work can cost: every place filled, and every rule owed to everybody."""

    rewards: Decimal
    fees: Decimal
    bonuses: Decimal
    bonus_fees: Decimal

    @property
    def total(self) -> Decimal:
        return self.rewards + self.fees + self.bonuses + self.bonus_fees


def cost_of(sizes: Iterable[int], *, prices: Prices) -> Cost:
    """Cost of HITs with these numbers of places."""
    sizes = list(sizes)
    places = sum(sizes)
    return Cost(
        rewards=places * prices.reward,
        fees=sum((size * prices.fee(assignments_per_hit=size) for size in sizes), NOTHING),
        bonuses=places * prices.most_bonus,
        bonus_fees=places * prices.most_bonus_fee,
    )


def shards(workers: int) -> list[int]:
    """Split workers into HITs of at most nine places each, for providers charge more from ten on."""
    full, rest = divmod(workers, MANY - 1)
    return [MANY - 1] * full + ([rest] if rest else [])


def round_up_to_cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, rounding=ROUND_UP)


def round_to_cents(amount: Decimal) -> Decimal:
    """Round half up, as providers do. Sums that SQLite made carry the noise of its floats until here."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)
