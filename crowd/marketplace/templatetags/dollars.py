from decimal import Decimal

from django import template

register = template.Library()


@register.filter
def dollars(amount: Decimal) -> str:
    """Format money as $1,234.50, with a real minus sign if it is negative."""
    sign = "−" if amount < 0 else ""
    return f"{sign}${abs(amount):,.2f}"
