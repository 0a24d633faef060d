"""Workers' qualifications: granted, changed and revoked by the requester, or earned by a test."""

from datetime import datetime

from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import does_not_exist, wrong_state
from crowd.marketplace.models import Qualification, QualificationRequest, QualificationType
from crowd.marketplace.models.parties import Message, Worker

Status = QualificationRequest.Status


def grant(
    *, type_: QualificationType, worker: Worker, value: int, reason: str = "", now: datetime
) -> Qualification:
    """Grant a qualification. A second grant changes the value; after a revocation it is a new one."""
    with atomic():
        held, is_new = Qualification.objects.select_for_update(no_key=True).get_or_create(
            type=type_, worker=worker, defaults={"value": value, "reason": reason, "granted_at": now}
        )
        if not is_new:
            held.granted_at = now if held.revoked_at else held.granted_at
            held.value, held.revoked_at, held.reason = value, None, reason
            held.save(update_fields=["value", "granted_at", "revoked_at", "reason"])
    return held


def tell_of_grant(qualification: Qualification, *, now: datetime) -> None:
    """Send the message that AssociateQualificationWithWorker sends unless it is asked not to."""
    Message.objects.create(
        worker=qualification.worker,
        requester=qualification.type.requester,
        subject=_("You have a new qualification"),
        text=_("You were given the qualification “%(name)s”.") % {"name": qualification.type.plain_name},
        sent_at=now,
    )


def revoke(*, type_: QualificationType, worker: Worker, reason: str, now: datetime) -> None:
    """Revoke a qualification. Raises RequestError if the worker does not hold it."""
    with atomic():
        held = find_granted(type_=type_, worker_id=worker.external_id, is_locked=True)
        held.revoked_at, held.reason = now, reason
        held.save(update_fields=["revoked_at", "reason"])


def find_granted(*, type_: QualificationType, worker_id: str, is_locked: bool = False) -> Qualification:
    """The qualification a worker holds. Raises RequestError, worded differently if it was revoked."""
    rows = Qualification.objects.filter(type=type_, worker__external_id=worker_id)
    if is_locked:
        rows = rows.select_for_update(of=("self",), no_key=True)
    held = rows.select_related("type", "worker").first()
    if not held:
        raise does_not_exist("Qualification", f"{type_.external_id} of worker {worker_id}")
    if held.revoked_at:
        raise wrong_state("Qualification", allowed="Granted")
    return held


def accept_request(*, request_id: int, value: int, now: datetime) -> None:
    with atomic():
        request = _lock_pending(request_id)
        request.status, request.decided_at = Status.GRANTED, now
        request.save(update_fields=["status", "decided_at"])
        grant(type_=request.type, worker=request.worker, value=value, now=now)


def reject_request(*, request_id: int, reason: str, now: datetime) -> None:
    with atomic():
        request = _lock_pending(request_id)
        request.status, request.decided_at, request.reason = Status.REJECTED, now, reason
        request.save(update_fields=["status", "decided_at", "reason"])


def settle_tests(*, now: datetime) -> None:
    """End the tests whose time ran out, dated by their deadline."""
    overdue = started_tests().filter(deadline_at__lte=now)
    overdue.update(status=Status.LAPSED, decided_at=F("deadline_at"))


def started_tests() -> QuerySet[QualificationRequest]:
    return QualificationRequest.objects.filter(status=Status.STARTED)


def _lock_pending(request_id: int) -> QualificationRequest:
    locked = QualificationRequest.objects.select_for_update(of=("self",), no_key=True)
    request = locked.select_related("type", "worker").get(pk=request_id)
    if request.status != Status.PENDING:
        raise wrong_state("QualificationRequest", allowed=Status.PENDING, current=request.status)
    return request
