from datetime import timedelta

from django import template
from django.utils.translation import ngettext

register = template.Library()


@register.filter
def in_words(seconds: int) -> str:
    """The one or two largest units: "15 minutes", "1 day 12 hours"."""
    span = timedelta(seconds=seconds)
    hours, rest = divmod(span.seconds, 3600)
    minutes, left = divmod(rest, 60)
    parts = [
        ngettext("%d day", "%d days", span.days) % span.days if span.days else "",
        ngettext("%d hour", "%d hours", hours) % hours if hours else "",
        ngettext("%d minute", "%d minutes", minutes) % minutes if minutes else "",
        ngettext("%d second", "%d seconds", left) % left if left else "",
    ]
    return " ".join([part for part in parts if part][:2])
