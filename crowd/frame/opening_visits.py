"""The step from a visit to its assignment. A visit that is refused or waits writes nothing at all."""

from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import CharField, QuerySet
from django.utils.translation import gettext as _

from crowd.frame.visit_authentication import Visit
from crowd.frame.visit_problems import (
    AGAIN,
    AcceptanceAwaited,
    Expired,
    Ineligible,
    NotOffered,
    UnverifiedVisit,
)
from hits.common.kept_queries import Given, KeptQuery, given_id
from hits.core.domain.sameness import is_same_moment
from hits.core.errors import RuleBroken
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.sync.services import event_inbox
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.queries.items import batches_wanting
from hits.work.services import eligibility, leasing
from hits.work.services.locking import lock_hit

Status = Assignment.Status
OWN_ATTEMPTS = KeptQuery(
    lambda: (
        Assignment.objects.filter(
            account=given_id("account"),
            external_id=Given("assignment", CharField()),
            worker__external_id_index=Given("worker", CharField()),
        )
        .select_related("worker")
        .order_by("-attempt")
    )
)


def open_visit(visit: Visit, *, now: datetime) -> Assignment:
    """The assignment of a visit.

    Open or saved work goes on; only new work checks the worker's eligibility.
    """
    if not visit.is_proven and _hears_events(visit.hit.batch):
        assignment = _open_as_told(visit, now=now)
    else:
        assignment = _find_known(visit) or _open(visit, now=now)
    if assignment.hit_id != visit.hit.pk:
        raise UnverifiedVisit(_("The address belongs to other work."), AGAIN)
    assignment.hit = visit.hit  # with its batch and account, read already
    return assignment


def refuse_preview(hit: HIT) -> None:
    """Raise NotOffered if a worker who accepted now would do so in vain."""
    if eligibility.is_over(hit) or hit.batch.status in (Batch.Status.DRAINING, Batch.Status.COMPLETE):
        raise NotOffered(_("This work is over, and nobody can start it any more. Please choose other work."))
    if hit.batch.status == Batch.Status.PAUSED:
        raise NotOffered(_("The people who offer this work have paused it. Please come back later."))
    if not batches_wanting(Batch.objects.filter(pk=hit.batch_id)).exists():
        raise NotOffered(
            _("Everything here has been answered, or other people are answering it right now."),
            _("Please choose other work."),
        )


def _find_known(visit: Visit) -> Assignment | None:
    """The worker's assignment of this acceptance, if its time is known; else one that still goes on."""
    own = _own_attempts(visit)
    if visit.accepted_at is None:
        return own[0] if own and own[0].status != Status.GONE else None
    return next((one for one in own if is_same_moment(one.accepted_at, visit.accepted_at)), None)


def _open(visit: Visit, *, now: datetime) -> Assignment:
    """Open a new assignment. The worker's row too is written only if the work may be opened."""
    with transaction.atomic():
        lock_hit(visit.hit.pk)  # before the worker's row, as everywhere
        worker = Worker.objects.known(account=visit.hit.batch.account, external_id=visit.worker_id)
        try:
            eligibility.refuse_entry(hit=visit.hit, worker=worker, now=now)
        except RuleBroken as refusal:
            raise Ineligible(str(refusal), code=refusal.code) from refusal
        return leasing.open_assignment(
            hit=visit.hit,
            worker=worker,
            external_id=visit.assignment_id,
            accepted_at=visit.accepted_at,
            deadline_at=visit.deadline_at,
            now=now,
        )


def _open_as_told(visit: Visit, *, now: datetime) -> Assignment:
    """Open without a ticket: the provider's event is the proof, and one acceptance opens one assignment.

    The event does not name the worker. The first worker who comes with the assignment's id has it.
    """
    with transaction.atomic():
        lock_hit(visit.hit.pk)  # of two visits with one acceptance one is first
        accepted_at = event_inbox.find_acceptance(hit=visit.hit, assignment_id=visit.assignment_id)
        if accepted_at and not _was_used(visit, accepted_at):
            return _open(_proven(visit, accepted_at=accepted_at, now=now), now=now)
    own = _own_attempts(visit)
    if own and own[0].status != Status.GONE:
        return own[0]
    raise AcceptanceAwaited(
        _("This page goes on by itself as soon as the platform has told us that you accepted the work."),
        _("If that takes longer than a few minutes, please return the work: it does not count against you."),
    )


def _was_used(visit: Visit, accepted_at: datetime) -> bool:
    """Whether any worker has used it: an acceptance older than the id's latest attempt is used."""
    attempts = _attempts(visit).values_list("accepted_at", "opened_at")
    moments = [told or opened for told, opened in attempts]
    return any(is_same_moment(moment, accepted_at) or moment > accepted_at for moment in moments)


def _proven(visit: Visit, *, accepted_at: datetime, now: datetime) -> Visit:
    deadline_at = accepted_at + timedelta(seconds=visit.hit.batch.duration_s)
    if now >= deadline_at:
        raise Expired(_("The work is given to others. Nothing you do here counts any more."))
    return replace(visit, accepted_at=accepted_at, deadline_at=deadline_at)


def _attempts(visit: Visit) -> QuerySet[Assignment]:
    """Attempts of any worker with this assignment's id."""
    return Assignment.objects.filter(account=visit.hit.batch.account, external_id=visit.assignment_id)


def _own_attempts(visit: Visit) -> list[Assignment]:
    """The visiting worker's attempts, the latest first."""
    return OWN_ATTEMPTS.rows(
        account=visit.hit.batch.account_id, assignment=visit.assignment_id, worker=visit.worker_index
    )


def _hears_events(batch: Batch) -> bool:
    """Whether events can arrive: until the provider knows their target, no visit waits for one in vain."""
    return batch.notified_at is not None and event_inbox.can_hear(batch.account)
