"""Rows that the desk shows, in a total order."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import reduce
from itertools import chain
from operator import or_
from typing import TypedDict

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django_stubs_ext import WithAnnotations

from crowd.marketplace.domain import round_half_up
from crowd.marketplace.models import HIT, Assignment, Complaint, Email, Event, LedgerEntry, Payout
from crowd.marketplace.models.parties import AuditEntry, Block, Requester, Worker
from crowd.marketplace.queries.records import is_taken_back
from crowd.marketplace.services.oversight.take_downs import latest_taken_down
from crowd.marketplace.services.workers import waiting_workers

ZERO = Decimal(0)
# What the log calls it; its note ends with the reason, behind a colon.
TAKEN_BACK = "payout taken back"
AN_ID = re.compile("[A-Za-z0-9]{20,64}")
# So many people of a name are looked for in the log.
MOST_CALLED = 20
REQUESTER_SORTS = {
    "name": ("name",),
    "newest": ("-id",),
    "available": ("-available", "id"),
    "on_hold": ("-on_hold", "id"),
}
WORKER_SORTS = {
    "newest": ("-id",),
    "name": ("name", "id"),
    "submitted": ("-submitted", "id"),
    "owed": ("-owed", "id"),
}
OWED_SORTS = {"owed": ("-owed", "id"), "name": ("name", "id")}
WORKER_FILTERS = {
    "all": Q(erased_at=None, waits_since=None),
    "suspended": Q(suspended_at__isnull=False),
    "owed": Q(owed__gt=0),
    "erasure": Q(erasure_requested_at__isnull=False, erased_at=None),
    "erased": Q(erased_at__isnull=False),
}

WORK_FILTERS = {
    "all": Q(),
    "bonus": Q(bonus__gt=0),
    # Also what was approved in the end: the requester's reason went with that, the day is kept.
    "rejected": Q(rejected_at__isnull=False),
}

COMPLAINT_FILTERS = {
    "all": Q(),
    "open": Q(answered_at=None),
    "answered": Q(answered_at__isnull=False),
}


class Giver(TypedDict):
    source: str


class TakenBack(TypedDict):
    is_taken_back: bool


class Bonuses(TypedDict):
    bonus: Decimal | None


@dataclass(frozen=True, kw_only=True)
class Overview:
    open_hits: int
    workers: int
    to_answer: int  # complaints
    to_pay: int
    owed: Decimal
    to_admit: int
    to_erase: int
    given_up: int  # events that no receiver accepted
    late: int  # events that are tried again
    emails_given_up: int
    emails_late: int

    @property
    def is_anything_waiting(self) -> bool:
        return bool(self.to_answer or self.to_admit or self.to_pay or self.to_erase)


def overview(*, now: datetime) -> Overview:
    workers = Worker.objects.filter(WORKER_FILTERS["all"])
    emails = Email.objects.filter(sent_at=None)
    events = Event.objects.filter(delivered_at=None)
    to_pay = owed_workers().aggregate(count=Count("pk"), sum=Coalesce(Sum("owed"), ZERO))
    return Overview(
        open_hits=hits_on_offer(now=now).count(),
        workers=workers.count(),
        to_answer=Complaint.objects.filter(COMPLAINT_FILTERS["open"]).count(),
        to_pay=to_pay["count"],
        owed=round_half_up(to_pay["sum"]),
        to_admit=waiting_workers().count(),
        to_erase=Worker.objects.filter(WORKER_FILTERS["erasure"]).count(),
        **events.aggregate(
            given_up=Count("pk", filter=Q(given_up_at__isnull=False)),
            late=Count("pk", filter=Q(given_up_at=None, attempts__gt=0)),
        ),
        **emails.aggregate(
            emails_given_up=Count("pk", filter=Q(given_up_at__isnull=False)),
            emails_late=Count("pk", filter=Q(given_up_at=None) & ~Q(last_error="")),
        ),
    )


def books() -> dict[str, Decimal]:
    """The sum of every account, in one pass. SQLite sums as floats, so each is rounded to the cent."""
    sums = LedgerEntry.objects.order_by().values_list("account").annotate(sum=Sum("amount"))
    found = {account: round_half_up(amount) for account, amount in sums}
    return {account.value: found.get(account.value, ZERO) for account in LedgerEntry.Account}


def requesters(*, search: str, sort: str) -> QuerySet[Requester]:
    found = Requester.objects.filter(Q(name__icontains=search) | Q(external_id__iexact=search))
    return found.order_by(*REQUESTER_SORTS[sort])


def hits(*, now: datetime, search: str = "", only: str = "all", of: Requester | None = None) -> QuerySet[HIT]:
    """HITs by their title, the newest first; by its id one is found whatever the filters."""
    found = HIT.objects.select_related("hit_type", "requester").order_by("-id")
    if AN_ID.fullmatch(search) and (exact := found.filter(external_id=search.upper())):
        return exact
    if of:
        found = found.filter(requester=of)
    on_offer = Q(closed_at=None, expires_at__gt=now)
    if only == "offer":
        found = found.filter(on_offer)
    elif only == "ended":
        found = found.exclude(on_offer)
    elif only == "down":
        found = found.filter(~on_offer, external_id__in=latest_taken_down())
    return found.filter(hit_type__title__icontains=search) if search else found


def hits_on_offer(*, now: datetime) -> QuerySet[HIT]:
    """HITs whose time is not over, also those of which every place is taken."""
    return hits(now=now, only="offer")


def requesters_with_offers(*, now: datetime) -> QuerySet[Requester]:
    offers = HIT.objects.filter(requester=OuterRef("pk"), closed_at=None, expires_at__gt=now)
    return Requester.objects.filter(Exists(offers)).order_by("name")


def transfers(*, requester: Requester) -> "QuerySet[WithAnnotations[LedgerEntry, Giver]]":
    """The receiving side of each transfer, newest first, with the giving account as `source`."""
    giver = LedgerEntry.objects.filter(transfer=OuterRef("transfer"), amount__lt=0)
    return (
        LedgerEntry.objects.filter(requester=requester, amount__gt=0)
        .annotate(source=Subquery(giver.values("account")[:1]))
        .order_by("-id")
    )


def workers(*, search: str, sort: str, only: str) -> QuerySet[Worker]:
    """Workers by their names or ids, or by the id of a HIT or an assignment that is theirs."""
    found = Worker.objects.filter(WORKER_FILTERS[only])
    fits = _named(search)
    if AN_ID.fullmatch(search):
        for column in ("external_id", "hit__external_id"):
            fits |= Q(pk__in=Assignment.objects.filter(**{column: search.upper()}).values("worker"))
    return found.filter(fits).order_by(*WORKER_SORTS[sort])


def registrations(*, search: str = "") -> QuerySet[Worker]:
    """Workers who wait for an operator, the longest waiting first."""
    return waiting_workers().filter(_named(search)).select_related("email_address").order_by("id")


def owed_workers(*, search: str = "", sort: str = "owed") -> QuerySet[Worker]:
    return Worker.objects.filter(_named(search), owed__gt=0).order_by(*OWED_SORTS[sort])


def owed_sum() -> Decimal:
    return round_half_up(owed_workers().aggregate(sum=Coalesce(Sum("owed"), ZERO))["sum"])


def payouts(*, search: str) -> "QuerySet[WithAnnotations[Payout, TakenBack]]":
    found = Payout.objects.select_related("worker").annotate(is_taken_back=is_taken_back()).order_by("-id")
    return found.filter(
        Q(worker__external_id__iexact=search)
        | Q(worker__name__icontains=search)
        | Q(reference__icontains=search)
    )


@dataclass(frozen=True, kw_only=True)
class TakeBack:
    at: datetime
    reason: str  # empty once its worker is erased


def with_take_backs(payouts: Iterable[Payout]) -> list[tuple[Payout, TakeBack | None]]:
    """Return each with when and why it was taken back. The ledger knows when, and the log of then why."""
    rows = list(payouts)
    subjects = {f"payout {row.pk} taken back": row for row in rows}
    entries = LedgerEntry.objects.filter(
        worker__in={row.worker_id for row in rows},
        account=LedgerEntry.Account.PAID,
        subject__in=list(subjects),
    )
    at = {subjects[subject].pk: when for subject, when in entries.values_list("subject", "created_at")}
    taken_back = [row.worker.external_id for row in rows if row.pk in at]
    log = list(AuditEntry.objects.filter(what=TAKEN_BACK, about__in=taken_back)) if taken_back else []

    def reason_of(row: Payout) -> str:
        of = [entry for entry in log if entry.about == row.worker.external_id]
        nearest = min(of, key=lambda entry: abs(entry.done_at - at[row.pk]), default=None)
        return nearest.note.partition(": ")[2] if nearest else ""

    return [(row, TakeBack(at=at[row.pk], reason=reason_of(row)) if row.pk in at else None) for row in rows]


def works_of(worker: Worker, *, only: str = "all") -> "QuerySet[WithAnnotations[Assignment, Bonuses]]":
    """What the worker has accepted, newest first, each with the sum of its bonuses."""
    found = Assignment.objects.filter(worker=worker).select_related("hit__hit_type", "hit__requester")
    return found.annotate(bonus=Sum("bonuses__amount")).filter(WORK_FILTERS[only]).order_by("-id")


def bonuses_of(worker: Worker) -> Decimal:
    return round_half_up(worker.bonuses.aggregate(sum=Coalesce(Sum("amount"), ZERO))["sum"])


def complaints(*, search: str = "", only: str = "all") -> QuerySet[Complaint]:
    """Workers' complaints, the longest open first, then those that were answered last."""
    related = ("worker", "hit__hit_type", "hit__requester", "answered_by")
    found = Complaint.objects.filter(COMPLAINT_FILTERS[only]).select_related(*related)
    found = found.order_by(F("answered_at").desc(nulls_first=True), "id")
    if not search:
        return found
    fits = Q(hit__hit_type__title__icontains=search) | Q(hit__requester__name__icontains=search)
    for column in ("hit", "assignment", "worker"):
        fits |= Q(**{f"{column}__external_id": search.upper()})
    return found.filter(fits | Q(worker__name__icontains=search) | Q(text__icontains=search))


def blocks(*, search: str) -> QuerySet[Block]:
    found = Block.objects.select_related("requester", "worker").order_by("-id")
    return found.filter(
        Q(requester__name__icontains=search)
        | Q(worker__name__icontains=search)
        | Q(worker__external_id__iexact=search)
    )


def audit_entries(*, search: str = "") -> QuerySet[AuditEntry]:
    """The actions of operators, newest first."""
    found = AuditEntry.objects.select_related("operator").order_by("-id")
    if not search:
        return found
    fits = (
        Q(what__icontains=search)
        | Q(about__iexact=search)
        | Q(note__icontains=search)
        | Q(operator__sign_in_name__iexact=search)
    )
    called: chain[Worker | Requester] = chain(
        Worker.objects.filter(name__icontains=search)[:MOST_CALLED],
        Requester.objects.filter(name__icontains=search)[:MOST_CALLED],
    )
    return found.filter(reduce(or_, map(_is_about, called), fits))


def audit_entries_of(one: Worker | Requester) -> QuerySet[AuditEntry]:
    return audit_entries().filter(_is_about(one))


def _is_about(one: Worker | Requester) -> Q:
    return Q(about=one.external_id) | Q(note__contains=one.external_id)


def _named(search: str) -> Q:
    return Q(name__icontains=search) | Q(sign_in_name__icontains=search) | Q(external_id__iexact=search)
