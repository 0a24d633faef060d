from django import template

from crowd.marketplace import clock, queries
from crowd.marketplace.models.parties import Worker

register = template.Library()


@register.simple_tag
def count_waiting(worker: Worker) -> queries.Waiting:
    """What waits for this worker; shown on every page of the site."""
    return queries.count_waiting(worker=worker, now=clock.now())
