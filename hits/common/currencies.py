"""Money as every page shows it, in the currency it is in; files of data hold plain numbers instead."""

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum

CENT = Decimal("0.01")


class Currency(StrEnum):
    """Currencies of studies and accounts. Nothing adds or converts one to another."""

    USD = "USD"
    GBP = "GBP"


CHOICES = [(one.value, one.value) for one in Currency]
DEFAULT = Currency.USD.value

SIGNS: Mapping[str, str] = {Currency.USD: "$", Currency.GBP: "£"}
NAMES: Mapping[str, str] = {Currency.USD: "dollars", Currency.GBP: "pounds"}


def in_money(amount: Decimal | int | str, currency: str) -> str:
    """Return $1,234.50, or -£3.20. Sums that SQLite made carry the noise of its floats until here."""
    cents = Decimal(amount).quantize(CENT, rounding=ROUND_HALF_UP)
    minus, figure = "-" if cents < 0 else "", f"{abs(cents):,.2f}"
    # An account of a version before may have a currency that is not offered any more.
    return f"{minus}{SIGNS[currency]}{figure}" if currency in SIGNS else f"{minus}{figure} {currency}"


def in_dollars(amount: Decimal | int | str) -> str:
    """Return money of the marketplace, which holds dollars alone, or of a paper."""
    return in_money(amount, Currency.USD)


def name_of(currency: str) -> str:
    """Return dollars, as labels of fields say it."""
    return NAMES.get(currency, currency)


def sign_of(currency: str) -> str:
    return SIGNS.get(currency, currency)


def in_each(sums: Mapping[str, Decimal]) -> str:
    """Return sums by their currency in words: $12.00, or $12.00 and £3.50."""
    return " and ".join(in_money(sums[one], one) for one in in_order(sums)) or in_money(0, Currency.USD)


def sum_each(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """Return the sum of the amounts of each currency."""
    sums: dict[str, Decimal] = {}
    for currency, amount in amounts:
        sums[currency] = sums.get(currency, Decimal(0)) + amount
    return sums


def in_order(currencies: Iterable[str]) -> list[str]:
    """Return the currencies as lists show them: those that are offered first."""
    return sorted(set(currencies), key=lambda one: (one not in SIGNS, [*SIGNS, one].index(one), one))
