from django import template
from django.utils.translation import pgettext

register = template.Library()
DIGITS = "1234567890"


@register.filter
def key_of(number: int, value: str = "") -> str:
    """The key that chooses an answer by its number, 0 for the tenth; yes and no have their letters."""
    if value == "yes":
        return pgettext("the key that says yes", "y")
    if value == "no":
        return pgettext("the key that says no", "n")
    return DIGITS[number - 1 : number]
