"""The clock, faults, and the current state of a requester's money and work."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from crowd.marketplace import clock
from crowd.marketplace.delivery.sweep import deliver_events, unsent
from crowd.marketplace.models import HIT, ClockShift, Fault, LedgerEntry
from crowd.marketplace.models.parties import Requester
from crowd.marketplace.operations.hits import describe_hit
from crowd.marketplace.parameter_validation import service_model, write_output
from crowd.marketplace.services import faults, work
from crowd.marketplace.tools.control.control_actions import verb
from crowd.marketplace.tools.control.fields import Fields, Wrong

TEN_YEARS_S = 315_360_000
LONGEST_WAIT_S = 120
MOST_FAULTS = 10_000
ONE_ROW = 1


@verb("clock")
def turn_clock(fields: Fields, now: datetime) -> dict[str, Any]:
    """Set the clock with `ahead`, turn it further with `advance`, or only read it. It is never behind."""
    advance = fields.number("advance", default=0, low=0, high=TEN_YEARS_S)
    ahead = fields.number("ahead", default=clock.ahead().total_seconds(), low=0, high=TEN_YEARS_S)
    fields.finish()
    if ahead + advance > TEN_YEARS_S:
        raise Wrong("The clock would be more than ten years ahead.")
    turned = timedelta(seconds=ahead + advance)
    ClockShift.objects.update_or_create(pk=ONE_ROW, defaults={"ahead": turned})
    now = timezone.now() + turned
    work.settle(now=now)
    return {"ahead": turned.total_seconds(), "now": now.timestamp()}


@verb("faults")
def set_faults(fields: Fields, now: datetime) -> dict[str, Any]:
    """Add a fault or clear all faults, if the action says so; always list those still to happen."""
    action = fields.choice("action", among=("add", "list", "clear"))
    if action == "add":
        fault = _read_fault(fields)
        fields.finish()
        fault.save()
    else:
        fields.finish()
    if action == "clear":
        Fault.objects.all().delete()
    left = Fault.objects.filter(remaining__gt=0).order_by("pk")
    return {"faults": list(left.values("operation", "kind", "seconds", "remaining"))}


def _read_fault(fields: Fields) -> Fault:
    kind = fields.choice("kind", among=Fault.Kind.values)
    subject = fields.text("operation", default="", longest=64)
    is_event = kind in faults.NOTIFICATIONS
    if subject and subject not in (_event_types() if is_event else service_model().operation_names):
        noun = "event type" if is_event else "operation"
        raise Wrong(f"There is no {noun} {subject!r}. Leave it empty for every one.")
    return Fault(
        operation=subject,
        kind=kind,
        seconds=fields.number("seconds", default=0, low=0, high=LONGEST_WAIT_S),
        remaining=fields.whole("remaining", default=1, low=1, high=MOST_FAULTS),
    )


def _event_types() -> list[str]:
    shape = service_model().shape_for("EventType")
    return list(getattr(shape, "enum", ()))


@verb("settle")
def settle(fields: Fields, now: datetime) -> dict[str, Any]:
    """Do now everything that the clock has made due, and send the events that are due."""
    fields.finish()
    work.settle(now=now)
    deliver_events(now=now)
    return {"events_waiting": unsent().count()}


@verb("state")
def read_state(fields: Fields, now: datetime) -> dict[str, Any]:
    """Show whether the books agree with the work: sums per account, and every HIT with its counters."""
    name = fields.text("requester", longest=64)
    fields.finish()
    work.settle(now=now)
    requester = Requester.objects.filter(external_id=name).first()
    if not requester:
        raise Wrong(f"There is no requester {name!r}.", status=404)
    entries = list(LedgerEntry.objects.filter(requester=requester))
    hits = HIT.objects.filter(requester=requester).select_related("hit_type").order_by("pk")
    return {
        "available": f"{requester.available:.2f}",
        "accounts": _sums((entry.account, entry.amount) for entry in entries),
        "transfers_that_do_not_balance": sum(
            amount != "0.00" for amount in _sums((str(e.transfer), e.amount) for e in entries).values()
        ),
        "hits": [_describe(hit, now=now) for hit in hits],
    }


def _describe(hit: HIT, *, now: datetime) -> dict[str, Any]:
    counters = {name: getattr(hit, name) for name in ("pending", "submitted", "approved", "rejected")}
    shown: dict[str, Any] = write_output(describe_hit(hit, now=now))
    return {
        "hit": hit.external_id,
        "status": shown["HITStatus"],
        "max_assignments": hit.max_assignments,
        "available": shown["NumberOfAssignmentsAvailable"],
        "reward": f"{hit.hit_type.reward:.2f}",
        "fee": f"{hit.fee:.2f}",
        "is_closed": hit.closed_at is not None,
        **counters,
    }


def _sums(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, str]:
    """Sums by key, added in Python: SQLite would add decimals as floats."""
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for key, amount in amounts:
        sums[key] += amount
    return {key: f"{amount:.2f}" for key, amount in sorted(sums.items())}
