from django import template

from crowd.marketplace import queries
from crowd.marketplace.models.parties import Worker

register = template.Library()


@register.simple_tag
def count_unread(worker: Worker) -> int:
    """Messages that wait to be read, up to ten: every page of the site says so."""
    return queries.count_unread(worker=worker)
