"""How shares of one are written for people."""

from fractions import Fraction

from django import template
from django.utils.formats import number_format

register = template.Library()


@register.filter
def share(value: Fraction | float | None) -> str:
    """In per cent with one digit; a dash where there is nothing yet."""
    return "–" if value is None else f"{_rounded(float(100 * value))} %"


@register.filter
def per_cent(value: float | None) -> str:
    """Of what is in per cent already."""
    return "–" if value is None else f"{_rounded(float(value))} %"


def _rounded(value: float) -> str:
    """Django's own cuts what is too much off."""
    return number_format(round(value, 1), 1)
