"""What one worker may be asked, and how many workers it takes."""

from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from crowd.winoground.domain import MOST_ITEMS, PLACES, VALIDATE
from crowd.winoground.models import Pairing, Project
from hits.work.models.items import Item
from hits.work.models.leases import Lease


def one_of_each_example(items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
    """Of items that are free for this worker: of each example one, unless another of it was seen of late.

    The worker's row is held, so what is read here of the worker's leases is not overtaken. What was handed
    out and given back was seen. Of the four the one that lacks most answers: they fill up side by side.
    The oldest that are enough for a page are looked at, however many there are.
    """
    project = Project.objects.filter(study__in=items.order_by().values("study")[:1]).first()
    if project is None:
        return items.none()
    seen = _sights(project, worker_id=worker_id)
    met = Pairing.objects.filter(item__in=seen.values("item"))
    others = met.filter(example=OuterRef("winoground_pairing__example")).exclude(item=OuterRef("pk"))
    # What was given back may come again, as long as nothing else of its example was seen.
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
    """So many different people it takes to answer all there is about one example."""
    each = project.answers_wanted
    return each * len(PLACES) if project.apart == Project.Apart.NEVER else each


def _sights(project: Project, *, worker_id: int) -> QuerySet[Lease]:
    """That close an example to this worker: all there were, or with a gap those that no gap lies behind."""
    leases = Lease.objects.filter(worker=worker_id, item__study=project.study_id, item__task=VALIDATE)
    if project.apart == Project.Apart.NEVER:
        return leases
    since = _gap_begins(project, worker_id=worker_id)
    return leases if since is None else leases.filter(Q(ended_at=None) | Q(ended_at__gte=since))


def _gap_begins(project: Project, *, worker_id: int) -> datetime | None:
    """What was over by then lies behind as many answered questions as the rule says. None: nothing does.

    Only pages that began after the other one was over count: within a page the order is the worker's own.
    """
    answered = Lease.objects.filter(
        worker=worker_id, item__study=project.study_id, item__task=VALIDATE, status=Lease.Status.ANSWERED
    )
    begun = answered.order_by("-leased_at").values_list("leased_at", flat=True)
    return next(iter(begun[project.least_gap - 1 : project.least_gap]), None)
