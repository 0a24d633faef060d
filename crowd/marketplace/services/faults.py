"""Faults made on purpose, for tests and rehearsals. Without a control key the database is not even asked."""

import time
from collections.abc import Collection

from django.conf import settings
from django.db.models import F, Q

from crowd.marketplace.errors import ServiceFault, Throttled
from crowd.marketplace.models import Fault

Kind = Fault.Kind
BEFORE = (Kind.THROTTLE, Kind.FAIL_BEFORE)
AFTER = (Kind.FAIL_AFTER, Kind.TIMEOUT, Kind.DELAY)
NOTIFICATIONS = (Kind.DUPLICATE, Kind.REORDER, Kind.LATE)


def before(operation: str) -> None:
    """Apply a fault outside any transaction, before the operation: such a failure has changed nothing."""
    fault = take(operation, kinds=BEFORE)
    if fault is None:
        return
    if fault.kind == Kind.THROTTLE:
        raise Throttled("Rate exceeded")
    raise ServiceFault("The service failed before it did anything (a requested fault).")


def after(operation: str) -> None:
    """Apply a fault after the operation's commit: keep the caller waiting, or report a failure."""
    fault = take(operation, kinds=AFTER)
    if fault is None:
        return
    time.sleep(fault.seconds)
    if fault.kind != Kind.DELAY:
        raise ServiceFault("The service failed after it had done the work (a requested fault).")


def take(operation: str, *, kinds: Collection[str]) -> Fault | None:
    """Use up one occurrence of the oldest fault for this. Two calls at once never share the last one."""
    if not settings.MARKETPLACE_CONTROL_KEY:
        return None
    meant = Fault.objects.filter(Q(operation=operation) | Q(operation=""), kind__in=kinds, remaining__gt=0)
    for fault in meant.order_by("pk"):
        taken = Fault.objects.filter(pk=fault.pk, remaining__gt=0).update(remaining=F("remaining") - 1)
        if taken:
            return fault
    return None
