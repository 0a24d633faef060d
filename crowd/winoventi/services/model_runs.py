"""What projects have models asked: opened by a click or by itself, closed when every answer was taken."""

from collections.abc import Iterator
from datetime import datetime

import structlog

from crowd.winoventi.models import Project
from crowd.winoventi.models.model_runs import Inquiry
from crowd.winoventi.services.model_questions import Standing
from scoring.models import RegisteredRival
from scoring.services.pending_work import pause_after

log = structlog.get_logger()


def open_inquiry(*, project: Project, rival: RegisteredRival, purpose: str, now: datetime) -> Inquiry:
    """The one there is, opened again if it was closed: there may be new rows."""
    inquiry, _ = Inquiry.objects.update_or_create(
        project=project,
        rival=rival,
        purpose=purpose,
        defaults={
            "is_open": True,
            "started_at": now,
            "done_at": None,
            "problem": "",
            "looks": 0,
            "look_at": None,
        },
    )
    return inquiry


def open_inquiries(purpose: str) -> Iterator[Inquiry]:
    rows = Inquiry.objects.filter(is_open=True, purpose=purpose).order_by("pk")
    return rows.select_related("rival", "project").iterator()


def note_standing(inquiry: Inquiry, standing: Standing, *, now: datetime, upto: int = 0) -> bool:
    """Closes it once nothing waits; True if this call did. What is known already is not written again."""
    is_done = not standing.waiting
    noted = {"is_open": not is_done, "upto": upto, **standing.noted}
    rows = Inquiry.objects.filter(pk=inquiry.pk, is_open=True).exclude(**noted)
    look_at = now + pause_after(0) if is_done and standing.failed else None
    changed = rows.update(**noted, done_at=now if is_done else None, look_at=look_at)
    if changed and is_done:
        log.info("inquiry.done", inquiry=inquiry.pk, purpose=inquiry.purpose, failed=standing.failed)
    return bool(changed) and is_done


def put_off(inquiry: Inquiry, *, now: datetime) -> None:
    """Nothing is new of what it has no answer for: it looks again later, and ever more rarely."""
    looks = inquiry.looks + 1
    look_at = now + pause_after(looks)
    Inquiry.objects.filter(pk=inquiry.pk, is_open=False, looks=inquiry.looks).update(
        looks=looks, look_at=look_at
    )
