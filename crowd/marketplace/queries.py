"""What the worker site shows, in a total order."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Sum
from django.db.models.functions import Coalesce

from crowd.marketplace.domain import round_half_up
from crowd.marketplace.models import HIT, Assignment, BonusPayment, HITType, Worker


def open_hits(*, worker: Worker, now: datetime) -> QuerySet[HIT]:
    """HITs with a place left that this worker neither holds nor has done."""
    done = F("pending") + F("submitted") + F("approved") + F("rejected")
    held = Assignment.objects.filter(hit=OuterRef("pk"), worker=worker, status__in=Assignment.HOLDING)
    return HIT.objects.filter(
        ~Exists(held), closed_at=None, expires_at__gt=now, max_assignments__gt=done
    ).order_by("pk")


def open_groups(*, worker: Worker, now: datetime) -> list[HITType]:
    """HIT types with open HITs, newest first, each with its number of them as `hits`."""
    counted = dict(
        open_hits(worker=worker, now=now)
        .order_by("hit_type")
        .values_list("hit_type")
        .annotate(hits=Count("pk"))
    )
    groups = list(HITType.objects.filter(pk__in=counted).select_related("requester").order_by("-pk"))
    for group in groups:
        group.hits = counted[group.pk]  # type: ignore[attr-defined]
    return groups


def next_hit(*, group: HITType, worker: Worker, now: datetime) -> HIT | None:
    return open_hits(worker=worker, now=now).filter(hit_type=group).first()


def accepted_work(*, worker: Worker) -> QuerySet[Assignment]:
    return (
        Assignment.objects.filter(worker=worker, status=Assignment.Status.ACCEPTED)
        .select_related("hit__hit_type__requester")
        .order_by("deadline_at", "pk")
    )


def history(*, worker: Worker) -> QuerySet[Assignment]:
    """What the worker handed in, newest first, each with `bonus`, the sum of its bonuses."""
    shown = ("Submitted", "Approved", "Rejected")
    return (
        Assignment.objects.filter(worker=worker, status__in=shown)
        .select_related("hit__hit_type__requester")
        .annotate(bonus=Sum("bonuses__amount"))
        .order_by("-pk")
    )


def earnings(*, worker: Worker) -> dict[str, Any]:
    approved = Assignment.objects.filter(worker=worker, status=Assignment.Status.APPROVED)
    zero = Decimal(0)
    rewards = approved.aggregate(sum=Coalesce(Sum("hit__hit_type__reward"), zero))["sum"]
    bonuses = BonusPayment.objects.filter(worker=worker).aggregate(sum=Coalesce(Sum("amount"), zero))["sum"]
    rewards, bonuses = round_half_up(rewards), round_half_up(bonuses)  # SQLite sums as floats
    return {"rewards": rewards, "bonuses": bonuses, "total": rewards + bonuses}
