from django import template

from crowd.marketplace import queries
from crowd.marketplace.models.parties import Worker

register = template.Library()


@register.simple_tag
def count_unread(worker: Worker) -> int:
    """Unread messages of this worker, counted up to ten; shown on every page of the site."""
    return queries.count_unread(worker=worker)
