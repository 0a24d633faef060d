"""Money as every page shows it; files of data hold plain numbers instead."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def in_dollars(amount: Decimal | int | str) -> str:
    """Return $1,234.50, or -$3.20. Sums that SQLite made carry the noise of its floats until here."""
    cents = Decimal(amount).quantize(CENT, rounding=ROUND_HALF_UP)
    return f"{'-' if cents < 0 else ''}${abs(cents):,.2f}"
