"""Questions that one worker may get, and how many workers an example needs."""

from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from crowd.winoground.domain import MOST_ITEMS, PLACES, VALIDATE
from crowd.winoground.models import Pairing, Project
from hits.work.models.items import Item
from hits.work.models.leases import Lease


def one_of_each_example(items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
    """Free items for this worker: one of each example, unless another of it was seen of late.

    The worker's row is held, so no other request changes the leases that are read here. Items that were given
    back count as seen. Of an example's items, the one that lacks most answers is chosen: they fill up side by
    side. Only the oldest items, as many as fill a page, are looked at.
    """
    project = Project.objects.filter(study__in=items.order_by().values("study")[:1]).first()
    if project is None:
        return items.none()
    seen = _sights(project, worker_id=worker_id)
    met = Pairing.objects.filter(item__in=seen.values("item"))
    others = met.filter(example=OuterRef("winoground_pairing__example")).exclude(item=OuterRef("pk"))
    # An item that was given back may come again, as long as no other item of its example was seen.
    again = Q(pk__in=seen.values("item")) & ~Exists(others)
    free = items.filter(~Q(winoground_pairing__example__in=met.values("example")) | again)
    oldest = free.order_by("pk")[: MOST_ITEMS * len(PLACES)]
    rank = Window(
        RowNumber(),
        partition_by="winoground_pairing__example",
        order_by=[F("wanted").desc(), F("pk").asc()],
    )
    ranked = Item.objects.filter(pk__in=oldest.values("pk")).annotate(rank=rank)
    return items.filter(pk__in=ranked.filter(rank=1).values("pk"))


def workers_needed(project: Project) -> int:
    """The number of different workers that one example needs to get all its answers."""
    each = project.answers_wanted
    return each * len(PLACES) if project.apart == Project.Apart.NEVER else each


def _sights(project: Project, *, worker_id: int) -> QuerySet[Lease]:
    """Leases that rule out an example for this worker: all, or with a gap those not yet followed by one."""
    leases = Lease.objects.filter(worker=worker_id, item__study=project.study_id, item__task=VALIDATE)
    if project.apart == Project.Apart.NEVER:
        return leases
    since = _gap_begins(project, worker_id=worker_id)
    return leases if since is None else leases.filter(Q(ended_at=None) | Q(ended_at__gte=since))


def _gap_begins(project: Project, *, worker_id: int) -> datetime | None:
    """The end of the latest leases that a whole gap of answered questions follows. None: there are none.

    Only pages that began after a lease had ended count: within a page the order is the worker's own.
    """
    answered = Lease.objects.filter(
        worker=worker_id, item__study=project.study_id, item__task=VALIDATE, status=Lease.Status.ANSWERED
    )
    begun = answered.order_by("-leased_at").values_list("leased_at", flat=True)
    return next(iter(begun[project.least_gap - 1 : project.least_gap]), None)
