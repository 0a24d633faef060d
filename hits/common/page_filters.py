"""Filters that every template has without loading them."""

from decimal import Decimal

from django import template

from hits.common.dollars import in_dollars

register = template.Library()


@register.filter
def dollars(amount: Decimal | int | str | None) -> str:
    """Show money, and nothing where there is no amount."""
    return "" if amount is None or amount == "" else in_dollars(amount)
