from datetime import UTC, datetime, timedelta

from django import template
from django.utils.timesince import timesince
from django.utils.translation import ngettext

register = template.Library()
MINUTE_S = 60
EPOCH = datetime(2001, 1, 1, tzinfo=UTC)  # no leap year


@register.filter
def in_words(seconds: int) -> str:
    """The one or two largest units: "15 minutes", "1 week, 2 days"."""
    if seconds < MINUTE_S:
        return ngettext("%d second", "%d seconds", seconds) % seconds
    return timesince(EPOCH, EPOCH + timedelta(seconds=seconds))
