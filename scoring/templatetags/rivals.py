from collections.abc import Mapping

from django import template

register = template.Library()


@register.filter
def at(values: Mapping[int, float], key: int) -> float | None:
    return values.get(key)


@register.filter
def share(value: float | None) -> str:
    """Percent with one digit; a dash where nothing was measured."""
    return "–" if value is None else f"{value:.1f}"
