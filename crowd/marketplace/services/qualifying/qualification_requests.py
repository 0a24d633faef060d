"""Workers' qualification requests: a grant by hand, one given at once, or a test.

Lock order: worker, type, request.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from crowd.marketplace.database import atomic
from crowd.marketplace.models import HITType, Qualification, QualificationRequest, QualificationType
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.questions.answer_key import read_answer_key, score
from crowd.marketplace.questions.answers import read_answers
from crowd.marketplace.services.qualifying.qualifications import grant
from crowd.marketplace.services.qualifying.ways_in import work_that_gives
from crowd.marketplace.services.workers import say_suspended

Status = QualificationRequest.Status


class NotAskable(Exception):
    """The worker cannot ask for this now; the message is for the worker."""


@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """The reason why a worker cannot ask now. `until` is None if it will not pass by itself."""

    reason: str
    until: datetime | None = None


def ask(*, type_: QualificationType, worker: Worker, now: datetime) -> QualificationRequest:
    """Ask for a qualification, granted at once or left to the requester.

    Idempotent (a double click): the open request is returned if there is one.
    """
    with atomic():
        if opened := _lock_and_find_open(type_, worker, now=now):
            return opened
        fresh = _refuse_obstacle(type_, worker, now=now)
        if fresh.test:
            raise NotAskable(_("This qualification now has a test. Read about the test first."))
        request = QualificationRequest(type=fresh, worker=worker, started_at=now, submitted_at=now)
        value = fresh.auto_granted_value if fresh.is_auto_granted else None
        _settle(request, value=value, now=now)
    return request


def begin_test(*, type_: QualificationType, worker: Worker, now: datetime) -> QualificationRequest:
    """Begin a test; its time runs from here. Returns the open attempt if there is one (a double click)."""
    with atomic():
        if opened := _lock_and_find_open(type_, worker, now=now):
            return opened
        fresh = _refuse_obstacle(type_, worker, now=now)
        if not fresh.test:
            raise NotAskable(_("There is no test for this qualification."))
        return QualificationRequest.objects.create(
            type=fresh,
            worker=worker,
            status=Status.STARTED,
            started_at=now,
            deadline_at=now + timedelta(seconds=fresh.test_duration_s or 0),
        )


def submit_test(*, request_id: int, answer: str, now: datetime) -> QualificationRequest:
    """Submit a test; score it and grant at once if there is an answer key. Raises NotAskable if over."""
    with atomic():
        locked = QualificationRequest.objects.select_for_update(of=("self",), no_key=True)
        request = locked.select_related("type", "worker").get(pk=request_id)
        refuse_if_over(request, now=now)
        request.answer, request.submitted_at = answer, now
        key = request.type.answer_key
        value = score(read_answer_key(key), read_answers(answer)) if key else None
        _settle(request, value=value, now=now)
    return request


def refuse_if_over(request: QualificationRequest, *, now: datetime) -> None:
    """Raise NotAskable unless the test may still be submitted."""
    if request.submitted_at:
        raise NotAskable(_("You have already submitted this test. Nothing changed."))
    if request.status != Status.STARTED or not request.deadline_at or request.deadline_at <= now:
        raise NotAskable(_("The time for this test is over. Nothing was submitted."))


def withdraw(*, type_: QualificationType, worker: Worker, now: datetime) -> bool:
    """Withdraw a waiting request; False if there is none. A submitted test still counts as an attempt."""
    waiting = QualificationRequest.objects.filter(type=type_, worker=worker, status=Status.PENDING)
    return bool(waiting.update(status=Status.WITHDRAWN, decided_at=now))


def find_obstacle(*, type_: QualificationType, worker: Worker, now: datetime) -> Obstacle | None:
    if type_.disposed_at or type_.status != QualificationType.Status.ACTIVE:
        return Obstacle(reason=_("This qualification is not given any more."))
    if worker.suspended_at:
        return Obstacle(reason=say_suspended())
    if not type_.test and Qualification.objects.filter(type=type_, worker=worker, revoked_at=None).exists():
        return Obstacle(reason=_("You have this qualification."))
    work = [] if type_.test or type_.is_auto_granted else _work_that_gives(type_)
    if work or (type_.is_given_for_work and not type_.test and not type_.is_auto_granted):
        listed = [one.title for one in work if one.is_listed]
        words = _("You get it by “%(title)s”, in the list of work, and not by asking.")
        closed = _("You get it by a test, not by asking. It is not open now: look again later.")
        return Obstacle(reason=words % {"title": listed[0]} if listed else closed)
    attempt = last_attempt(type_=type_, worker=worker)
    return _too_soon(type_, attempt, now=now) if attempt else None


def _work_that_gives(type_: QualificationType) -> list[HITType]:
    return work_that_gives([type_.external_id]).get(type_.external_id, [])


def last_attempt(*, type_: QualificationType, worker: Worker) -> QualificationRequest | None:
    """The worker's last request. A withdrawn one does not count, unless a test was submitted with it."""
    requests = QualificationRequest.objects.filter(type=type_, worker=worker)
    return requests.exclude(status=Status.WITHDRAWN, deadline_at=None).order_by("-pk").first()


def again_at(type_: QualificationType, attempt: QualificationRequest) -> datetime | None:
    """The instant when another attempt is allowed; None if one attempt is all there is."""
    if type_.retry_delay_s is None:
        return None
    return (attempt.submitted_at or attempt.started_at) + timedelta(seconds=type_.retry_delay_s)


def _too_soon(type_: QualificationType, attempt: QualificationRequest, *, now: datetime) -> Obstacle | None:
    until = again_at(type_, attempt)
    if until is None:
        return Obstacle(reason=_("You can ask for this qualification only once, and you have done so."))
    if until <= now:
        return None
    when = date_format(until.astimezone(UTC), "DATETIME_FORMAT")
    return Obstacle(reason=_("You may try again from %(when)s UTC.") % {"when": when}, until=until)


def _lock_and_find_open(
    type_: QualificationType, worker: Worker, *, now: datetime
) -> QualificationRequest | None:
    """Lock the worker, so that requests come one after the other; return the open one, if there is one."""
    Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)
    mine = QualificationRequest.objects.filter(
        type=type_, worker=worker, status__in=QualificationRequest.OPEN
    )
    opened = mine.first()
    if opened and opened.deadline_at and opened.status == Status.STARTED and opened.deadline_at <= now:
        mine.filter(pk=opened.pk).update(status=Status.LAPSED, decided_at=opened.deadline_at)
        return None
    return opened


def _refuse_obstacle(type_: QualificationType, worker: Worker, *, now: datetime) -> QualificationType:
    """The current type, locked so that it is neither changed nor deleted. Raises NotAskable."""
    fresh = QualificationType.objects.select_for_update(no_key=True).get(pk=type_.pk)
    if obstacle := find_obstacle(type_=fresh, worker=worker, now=now):
        raise NotAskable(obstacle.reason)
    return fresh


def _settle(request: QualificationRequest, *, value: int | None, now: datetime) -> None:
    """Save the request: granted if there is a value, unless the requester once revoked the qualification.

    A revoked qualification is given again only by hand; otherwise asking would undo the revocation.
    """
    was_revoked = Qualification.objects.filter(
        type=request.type, worker=request.worker, revoked_at__isnull=False
    ).exists()
    if value is None or was_revoked:
        request.status = Status.PENDING
    else:
        request.status, request.decided_at = Status.GRANTED, now
        grant(type_=request.type, worker=request.worker, value=value, now=now)
    request.save()
