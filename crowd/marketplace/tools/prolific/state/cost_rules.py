"""What things cost: an amount, the platform's fee on it, and VAT on the fee, in whole sub-units."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

# The fee by the kind of the workspace, as the price page has it.
FEES = {"corporate": Decimal("0.428"), "academic": Decimal("0.333")}
VAT = Decimal("0.20")
# The least reward per hour, in sub-units of the workspace's currency.
FLOORS = {"GBP": 600, "USD": 800}


@dataclass(frozen=True, kw_only=True)
class Cost:
    rewards: int
    fees: int
    vat: int

    @property
    def total(self) -> int:
        return self.rewards + self.fees + self.vat

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(
            rewards=self.rewards - other.rewards, fees=self.fees - other.fees, vat=self.vat - other.vat
        )


def cost_of(amount: int, *, fee_rate: Decimal) -> Cost:
    """The cost of paying this amount. Rounded once, so it is asked for sums and not added up."""
    fees = _rounded(amount * fee_rate)
    return Cost(rewards=amount, fees=fees, vat=_rounded(fees * VAT))


def cost_of_more(amount: int, *, beside: int, fee_rate: Decimal) -> Cost:
    """The cost of this amount after another was paid: the two together cost what their sum does."""
    return cost_of(beside + amount, fee_rate=fee_rate) - cost_of(beside, fee_rate=fee_rate)


def split_balance(total: int, *, fee_rate: Decimal) -> Cost:
    """A balance as the rewards that it can pay, with their fees and VAT."""
    rewards = int(total / (1 + fee_rate + fee_rate * VAT))
    fees = _rounded(rewards * fee_rate)
    return Cost(rewards=rewards, fees=fees, vat=total - rewards - fees)


def hourly_rate(*, reward: int, minutes: int) -> int:
    return reward * 60 // minutes


def _rounded(amount: Decimal) -> int:
    return int(amount.quantize(Decimal(1), rounding=ROUND_HALF_UP))
