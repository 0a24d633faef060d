"""Filters that every template has without loading them."""

from collections.abc import Mapping
from decimal import Decimal

from django import template

from hits.common.currencies import in_dollars, in_each, in_money, name_of

register = template.Library()


@register.filter
def dollars(amount: Decimal | int | str | None) -> str:
    """Show money of the marketplace, and nothing where there is no amount."""
    return "" if amount is None or amount == "" else in_dollars(amount)


@register.filter
def money(amount: Decimal | int | str | None, currency: str) -> str:
    """Show money in its currency, and nothing where there is no amount."""
    return "" if amount is None or amount == "" else in_money(amount, currency)


@register.filter
def each_currency(sums: Mapping[str, Decimal]) -> str:
    """Show sums of several currencies, each by itself."""
    return in_each(sums or {})


@register.filter
def currency_name(currency: str) -> str:
    """Name a currency as the head of a column does: Dollars."""
    named = name_of(currency)
    return f"{named[:1].upper()}{named[1:]}"
