"""Template filters that write shares of one for people."""

from fractions import Fraction

from django import template
from django.utils.formats import number_format

register = template.Library()


@register.filter
def share(value: Fraction | float | None) -> str:
    """Share of one in percent with one digit; a dash where there is nothing yet."""
    return "–" if value is None else f"{_rounded(float(100 * value))} %"


@register.filter
def per_cent(value: float | None) -> str:
    """Value that is in percent already, with one digit; a dash where there is nothing yet."""
    return "–" if value is None else f"{_rounded(float(value))} %"


@register.filter
def whole(value: Fraction) -> int:
    """Share of one in whole percent, rounded down: nothing but all is 100."""
    return int(100 * value)


def _rounded(value: float) -> str:
    """Number rounded to one digit; Django's own formatting would cut digits off instead."""
    return number_format(round(value, 1), 1)
