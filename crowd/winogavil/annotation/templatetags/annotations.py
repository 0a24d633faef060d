from fractions import Fraction

from django import template

register = template.Library()


@register.filter
def per_cent(value: Fraction | float | None) -> str:
    """Percentage with one digit; a dash where nothing was measured."""
    return "–" if value is None else f"{float(100 * value):.1f}"


@register.filter
def decimal(value: Fraction | float | None) -> str:
    return "–" if value is None else f"{float(value):.2f}"
