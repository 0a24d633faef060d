"""Judged work is approved at the provider. Asking twice approves once."""

from datetime import datetime

import structlog

from hits.errors import ProviderError
from hits.gateway import provider_for
from hits.models import Assignment
from hits.states import move

Status = Assignment.Status
log = structlog.get_logger()


def mark_judged(*, assignment: Assignment, now: datetime) -> bool:
    """Called by whoever recorded the scores, in the same transaction."""
    unjudged = Assignment.objects.filter(pk=assignment.pk, judged_at=None)
    return bool(unjudged.update(judged_at=now))


def approve_judged(*, now: datetime) -> int:
    judged = Assignment.objects.filter(status=Status.SUBMITTED, judged_at__isnull=False)
    return sum(
        approve_assignment(assignment=assignment, now=now)
        for assignment in judged.select_related("account").order_by("pk")
    )


def approve_assignment(*, assignment: Assignment, now: datetime) -> bool:
    try:
        provider_for(assignment.account).approve_assignment(assignment.external_id)
    except ProviderError as error:
        log.warning("assignment.approve_failed", assignment=str(assignment.public_id), error=str(error))
        return False
    return move(assignment, Status.APPROVED, approved_at=now)
