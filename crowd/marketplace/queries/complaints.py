"""A worker's own reports of HITs to those who run the marketplace."""

from django.db.models import QuerySet

from crowd.marketplace.models import HIT, Complaint
from crowd.marketplace.models.parties import Worker
from hits.common.kept_queries import Given, KeptQuery, given_id

MOST = 20


def complaints_about(hit: HIT | Given, *, worker: Worker | Given) -> QuerySet[Complaint]:
    """What this worker has reported of the HIT, the newest first."""
    return Complaint.objects.filter(worker=worker, hit=hit).order_by("-pk")[:MOST]


# Asked on every page of one's own work, where nearly always there is none.
REPORTED = KeptQuery(lambda: complaints_about(given_id("hit"), worker=given_id("worker"))[:1])
