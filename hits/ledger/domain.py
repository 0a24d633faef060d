"""Balance that the provider must have, computed from the books alone."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, kw_only=True)
class Expected:
    """Parts of the expected balance. `explained`: the share of it that known differences account for."""

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
        """Parts as they are stored and shown."""
        return {name: f"{value:.2f}" for name, value in vars(self).items()}
