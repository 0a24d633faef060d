from datetime import datetime

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def moment(instant: datetime) -> SafeString:
    """Write the instant in UTC; a script of the page says it in the reader's own time zone."""
    return format_html(
        '<time datetime="{}" data-moment>{} UTC</time>',
        instant.isoformat(),
        date_format(instant, "DATETIME_FORMAT"),
    )
