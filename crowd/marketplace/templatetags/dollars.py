from decimal import Decimal

from django import template

register = template.Library()


@register.filter
def dollars(amount: Decimal) -> str:
    """$1,234.50, and with a real minus sign where it is one."""
    sign = "−" if amount < 0 else ""
    return f"{sign}${abs(amount):,.2f}"
