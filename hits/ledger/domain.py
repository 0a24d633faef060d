"""What the provider's balance must be, from the books alone."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The parts of the sum. `explained`: what differences that are known already make of the balance."""

    deposits: Decimal
    held: Decimal
    rewards: Decimal
    bonuses: Decimal
    explained: Decimal

    @property
    def balance(self) -> Decimal:
        return self.deposits - self.held - self.rewards - self.bonuses + self.explained

    @property
    def parts(self) -> dict[str, str]:
        """As they are kept, and shown."""
        return {name: f"{value:.2f}" for name, value in vars(self).items()}
