"""When the last copy was made, and when one was last tried by a drill: two events of the audit trail."""

from datetime import datetime

from django.apps import apps
from django.db import DatabaseError
from django.utils import timezone


def last_copy() -> datetime | None:
    return _last("copy.made")


def last_drill() -> datetime | None:
    """Return when a drill last found that a copy can be relied on."""
    return _last("copy.drilled")


def note_copy(address: str) -> bool:
    return _note("copy.made", f"Everything was copied to {address}.")


def note_drill(address: str) -> bool:
    return _note("copy.drilled", f"A drill has restored the copy {address}, and it can be relied on.")


def _last(kind: str) -> datetime | None:
    """Look at one entry of the index. The marketplace alone has no audit trail."""
    if not apps.is_installed("hits"):
        return None
    from hits.core.models.audit_events import AuditEvent  # noqa: PLC0415 - not installed everywhere

    return AuditEvent.objects.filter(kind=kind).order_by("-pk").values_list("at", flat=True).first()


def _note(kind: str, words: str) -> bool:
    """Write it down; return whether that was possible."""
    if not apps.is_installed("hits"):
        return False
    from hits.core import audit_trail  # noqa: PLC0415 - not installed everywhere

    try:
        audit_trail.note(kind, words, by=None, now=timezone.now())
    except DatabaseError:
        return False
    return True
