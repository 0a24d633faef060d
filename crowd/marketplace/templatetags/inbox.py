from django import template

from crowd.marketplace import clock, queries
from crowd.marketplace.models.parties import Worker

register = template.Library()


@register.simple_tag
def count_unread(worker: Worker) -> int:
    """Unread messages of this worker, counted up to ten; shown on every page of the site."""
    return queries.count_unread(worker=worker)


@register.simple_tag
def count_accepted(worker: Worker) -> int:
    """Pieces of work that this worker has accepted and may still submit; shown on every page of the site."""
    return queries.accepted_work(worker=worker).filter(deadline_at__gt=clock.now()).count()
