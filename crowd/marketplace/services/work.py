"""The life of an assignment. Lock order: HIT, assignment, requester, worker, HIT type."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, TypeVar

import structlog
from django.db import DatabaseError
from django.db.models import DateTimeField, Exists, F, Min, Model, OuterRef, QuerySet
from django.utils.translation import gettext as _

from crowd.marketplace import domain
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import APIError, RequestError
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import Block, Worker
from crowd.marketplace.services import events, hit_creation, hit_endings, review_policies, reviewing
from crowd.marketplace.services.qualifying import requirements
from crowd.marketplace.services.qualifying.qualifications import settle_tests, started_tests
from crowd.marketplace.services.workers import say_suspended
from hits.common.kept_queries import Given, KeptQuery, given_id
from hits.common.kept_writes import insert, update

log = structlog.get_logger()
Status = Assignment.Status
Row = TypeVar("Row", bound=Model)
MOST_AT_ONCE = 200
MOST_TURNS = 100
ATTEMPTS = KeptQuery(
    lambda: Assignment.objects.filter(hit=given_id("hit"), worker=given_id("worker")).order_by("-attempt")
)
STANDING = KeptQuery(
    lambda: Worker.objects.filter(pk=given_id("worker")).annotate(
        is_blocked=Exists(Block.objects.filter(requester=given_id("requester"), worker=OuterRef("pk")))
    )
)
# Pages look for what is due at most once in it. None depends on that: each checks the times of its own work.
LOOK_EVERY = timedelta(seconds=1)


@dataclass(frozen=True, kw_only=True)
class DueAfter:
    """Rows that become due a certain delay after the instant in one of their columns."""

    rows: QuerySet[Any]
    column: str
    delay: timedelta = timedelta(0)

    def due(self, *, now: datetime) -> QuerySet[Any]:
        return self.rows.filter(**{f"{self.column}__lte": now - self.delay})

    def next_due(self) -> datetime | None:
        first: datetime | None = self.rows.aggregate(first=Min(self.column))["first"]
        return first + self.delay if first else None


class NotAvailable(Exception):
    """The worker cannot have this HIT now; the message is for the worker."""


class NotForWorker(NotAvailable):
    """The worker can have no HIT of this type."""


@dataclass(kw_only=True)
class _Look:
    """When this process last looked for what is due."""

    at: datetime | None = None


_last_look = _Look()


def accept_hit(*, hit_id: int, worker: Worker, now: datetime) -> Assignment:
    """The worker's open assignment of this HIT, made now unless there is one already (a double click)."""
    with atomic():
        hit = hit_creation.lock_hit(hit_id)
        earlier = ATTEMPTS.rows(hit=hit.pk, worker=worker.pk)
        if held := next((one for one in earlier if one.status in Assignment.HOLDING), None):
            if held.status == Status.ACCEPTED:
                return held
            raise NotAvailable(_("You have already done this HIT."))
        refuse_worker(hit=hit, worker=worker)
        if hit.closed_at or hit.expires_at <= now:
            raise NotAvailable(_("This HIT has expired."))
        if hit.counts.available < 1:
            raise NotAvailable(_("Other workers have taken every place in this HIT."))
        assignment = Assignment(
            hit=hit,
            worker=worker,
            external_id=hit.free_ids.pop() if hit.free_ids else domain.new_id(),
            attempt=(earlier[0].attempt if earlier else 0) + 1,
            accepted_at=now,
            deadline_at=now + timedelta(seconds=hit.hit_type.assignment_duration_s),
        )
        insert(assignment)
        hit.pending += 1
        update(hit, "pending", "free_ids")
        events.record(hit=hit, event_type="AssignmentAccepted", assignment=assignment, now=now)
    return assignment


def refuse_worker(*, hit: HIT, worker: Worker) -> None:
    """Raise NotForWorker with the reason if this worker, as the database has it now, may not do this HIT."""
    worker, is_blocked = _read_again(worker, requester_id=hit.requester_id)
    if worker.suspended_at or worker.erased_at:
        raise NotForWorker(say_suspended())
    if worker.waits_since:
        raise NotForWorker(_("No operator has agreed to your registration yet."))
    if is_blocked:
        raise NotForWorker(_("This requester has blocked you from their work."))
    if wanted := hit.hit_type.requirements:
        unmet = requirements.find_unmet(wanted, standing=requirements.standing_of(worker))
        if unmet:
            raise NotForWorker(" ".join(one.reason for one in unmet))


def _read_again(worker: Worker, *, requester_id: int) -> tuple[Worker, bool]:
    """The worker as the database has them now, and whether this requester has blocked them."""
    [found] = STANDING.rows(worker=worker.pk, requester=requester_id)
    return found, found.is_blocked


def return_assignment(*, assignment: Assignment, now: datetime) -> bool:
    return _give_up(assignment_id=assignment.pk, status=Status.RETURNED, now=now)


def submit_assignment(*, assignment: Assignment, answer: str, now: datetime) -> bool:
    """True if this call submitted it; False if it was no longer open (second click, deadline)."""
    with atomic():
        hit = hit_creation.lock_hit(assignment.hit_id)
        delay = timedelta(seconds=hit.hit_type.auto_approval_delay_s)
        moved = Assignment.objects.filter(
            pk=assignment.pk, status=Status.ACCEPTED, deadline_at__gt=now
        ).update(status=Status.SUBMITTED, submitted_at=now, auto_approval_at=now + delay, answer=answer)
        if not moved:
            return False
        hit.pending -= 1
        hit.submitted += 1
        update(hit, "pending", "submitted")
        events.record(hit=hit, event_type="AssignmentSubmitted", assignment=assignment, now=now)
        if not delay:
            reviewing.approve_assignment(assignment=assignment, feedback="", override=False, now=now)
        review_policies.judge_submission(hit=hit, assignment_id=assignment.pk, now=now)
        is_stale = not delay or hit.assignment_review_policy is not None
        hit_endings.end_if_over(hit_creation.lock_hit(hit.pk) if is_stale else hit, now=now)
        # Last: moving money locks the requester's row, and that lock comes before the worker's.
        Worker.objects.filter(pk=assignment.worker_id).update(submitted=F("submitted") + 1)
    return True


def settle(*, now: datetime, most: int = MOST_AT_ONCE) -> bool:
    """Do what the clock alone has made due, the oldest first. True if more of it waits.

    Nothing due, as nearly always, costs one look at a few indexes. After a long stop much is due: then each
    call does its part, and no page waits for all of it.
    """
    if not SOME_DUE.rows(**{_name(one): now - one.delay for one in _waiting()}):
        return False
    overdue, to_approve, expired, to_dispose, _tests = (one.due(now=now) for one in _waiting())
    # In the order of their instants and dated by them: it does not matter when the clock was looked at.
    steps: list[tuple[datetime | None, Callable[..., object], int]] = [
        *((at, _abandon, pk) for at, pk in _oldest(overdue, "deadline_at", most)),
        *((at, _approve_by_time, pk) for at, pk in _oldest(to_approve, "auto_approval_at", most)),
        *((at, hit_endings.expire_if_due, pk) for at, pk in _oldest(expired, "expires_at", most)),
    ]
    steps.sort(key=lambda one: one[0] or now)
    for at, step, pk in steps[:most]:
        try:
            step(pk, now=at or now)
        except (APIError, DatabaseError):  # one row that cannot be settled must not keep the others
            log.exception("marketplace.settle.failed", step=step.__name__, row=pk)
    disposable = list(to_dispose[:most])
    for hit in disposable:
        hit_endings.dispose_if_still_over(hit_id=hit.pk, now=now)
    settle_tests(now=now)
    return len(steps) >= most or len(disposable) == most


def settle_unless_just_done(*, now: datetime) -> None:
    """Settle what is due, unless this process has looked a moment ago."""
    before = _last_look.at
    if before is None or not before <= now < before + LOOK_EVERY:
        _last_look.at = now
        settle(now=now)


def settle_all(*, now: datetime) -> None:
    """Settle everything, for the sweep: no page waits. Bounded, in case a row is due again and again."""
    for _turn in range(MOST_TURNS):
        if not settle(now=now):
            return


def next_settlement(*, now: datetime) -> datetime | None:
    """The next instant at which the clock alone makes something due."""
    return min(filter(None, (one.next_due() for one in _waiting())), default=None)


@cache
def _waiting() -> tuple[DueAfter, DueAfter, DueAfter, DueAfter, DueAfter]:
    """The due rows: open work, work to review, open HITs, HITs that are over, open tests."""
    over = HIT.objects.filter(closed_at__isnull=False, disposed_at=None, pending=0, submitted=0)
    return (
        DueAfter(rows=Assignment.objects.filter(status=Status.ACCEPTED), column="deadline_at"),
        DueAfter(rows=Assignment.objects.filter(status=Status.SUBMITTED), column="auto_approval_at"),
        DueAfter(rows=HIT.objects.filter(closed_at=None), column="expires_at"),
        DueAfter(rows=over, column="closed_at", delay=hit_creation.DISPOSED_AFTER),
        DueAfter(rows=started_tests(), column="deadline_at"),
    )


def _some_due() -> QuerySet[Any, Any]:
    """One of the due rows, whichever it is."""
    due, *more = (
        one.rows.filter(**{f"{one.column}__lte": Given(_name(one), DateTimeField())}).values_list("pk")
        for one in _waiting()
    )
    return due.union(*more, all=True)[:1]


def _name(one: DueAfter) -> str:
    return f"{one.rows.model.__name__}.{one.column}"


SOME_DUE = KeptQuery(_some_due)


def _oldest(rows: QuerySet[Row], column: str, most: int) -> list[tuple[datetime, int]]:
    return list(rows.order_by(column).values_list(column, "pk")[:most])


def _abandon(assignment_id: int, *, now: datetime) -> None:
    _give_up(assignment_id=assignment_id, status=Status.ABANDONED, now=now)


def _approve_by_time(assignment_id: int, *, now: datetime) -> None:
    assignment = Assignment.objects.get(pk=assignment_id)
    with suppress(RequestError):  # it was reviewed between the look-up and the lock
        reviewing.approve_assignment(assignment=assignment, feedback="", override=False, now=now)


def _give_up(*, assignment_id: int, status: Status, now: datetime) -> bool:
    """End an open assignment; free its place and id. Its money is released only if the HIT has closed."""
    with atomic():
        assignment = Assignment.objects.get(pk=assignment_id)
        hit = hit_creation.lock_hit(assignment.hit_id)
        open_work = Assignment.objects.filter(pk=assignment_id, status=Status.ACCEPTED)
        if status == Status.RETURNED:
            open_work = open_work.filter(deadline_at__gt=now)
        if not open_work.update(status=status):
            return False
        hit.pending -= 1
        hit.free_ids.append(assignment.external_id)
        hit.save(update_fields=["pending", "free_ids"])
        events.record(hit=hit, event_type=f"Assignment{status}", assignment=assignment, now=now)
        if hit.closed_at:
            hit_creation.release_places(hit, places=1, now=now)
            hit_endings.end_if_over(hit, now=now)
    return True
