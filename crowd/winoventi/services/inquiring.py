"""What projects have models asked: opened by a click or by itself, closed when every answer was taken."""

from collections.abc import Iterator
from datetime import datetime

import structlog

from crowd.winoventi.models import Inquiry, Project
from crowd.winoventi.services.consulting import Standing
from scoring.models import RegisteredRival

log = structlog.get_logger()


def open_inquiry(*, project: Project, rival: RegisteredRival, purpose: str, now: datetime) -> Inquiry:
    """The one there is, opened again if it was closed: there may be new rows."""
    inquiry, _ = Inquiry.objects.update_or_create(
        project=project,
        rival=rival,
        purpose=purpose,
        defaults={"is_open": True, "started_at": now, "done_at": None, "problem": ""},
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
    changed = rows.update(**noted, done_at=now if is_done else None)
    if changed and is_done:
        log.info("inquiry.done", inquiry=inquiry.pk, purpose=inquiry.purpose, failed=standing.failed)
    return bool(changed) and is_done
