"""Audit trail of money: one row for each act, written in the transaction of the act itself."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

import structlog

from hits.core.models.audit_events import AuditEvent

if TYPE_CHECKING:
    from hits.identity.models.users import User

LONGEST = 1000
log = structlog.get_logger()


def note(kind: str, words: str, *, by: "User | None", now: datetime, **about: Any) -> None:
    """Write an audit event. `about` names the study, account, run or bonus; `words` no provider's id."""
    AuditEvent.objects.create(kind=kind, words=words[:LONGEST], by=by, at=now, **about)
    log.info("money.audited", kind=kind, by=str(by.public_id) if by else None)
