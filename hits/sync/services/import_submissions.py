"""Import of work submitted at the provider: once, for the right worker, and payable from then on."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, TypeVar

import structlog
from django.db import transaction
from django.db.models.functions import Coalesce

from hits import families
from hits.core import crypto
from hits.core.domain.sameness import is_same_moment
from hits.core.errors import InvalidAnswer, ProviderRefused, StandsStill
from hits.core.states import move
from hits.identity.models.workers import Worker
from hits.providers.gateway.interface import Provider, ProviderAssignment
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.studies.services import mark_stale
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from hits.work.models.hits import HIT
from hits.work.services.leasing import UNSETTLED, answer_leases, items_served, release_items

# Far longer than any answer of our pages.
LONGEST_ANSWER = 100_000
PAGE = 100
# A list may be older than our decision by this much.
HEARD_WITHIN = timedelta(minutes=10)
Status = Assignment.Status
# Our states that agree with each of theirs; our decision may be newer than the page that was read.
AGREEING = {
    "Submitted": {Status.SUBMITTED, Status.APPROVED, Status.REJECTED},
    "Approved": {Status.APPROVED},
    "Rejected": {Status.REJECTED, Status.APPROVED},
}
Key = tuple[str, str]
Known = tuple[datetime | None, str, datetime | None]
Row = TypeVar("Row")
log = structlog.get_logger()


def pages(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield lists of a hundred rows, with never more in memory."""
    left = iter(rows)
    while page := list(islice(left, PAGE)):
        yield page


def read_assignments(*, hit: HIT, provider: Provider, now: datetime) -> None:
    """Import a HIT's assignments, page by page. One page of known work costs one query."""
    for page in pages(provider.list_assignments(hit.external_id)):
        known = _known(page, hit=hit)
        for found in page:
            agreeing = [row for row in known[_key(found, hit.batch.account)] if _agrees(row, found)]
            if not agreeing and _is_purged(hit):
                log.info("assignment.not_taken", hit=str(hit.public_id))  # whose it is was erased here
            elif not agreeing:
                record_submission(hit=hit, found=found, now=now)
            elif any(_was_not_heard(row, found, now=now) for row in agreeing):
                _tell_again(hit=hit, found=found, provider=provider)


def record_submission(*, hit: HIT, found: ProviderAssignment, now: datetime) -> Assignment:
    """Make submitted work payable. If its answer never reached us, the provider's copy is taken.

    Where the provider keeps none, a person decides on the work without an answer.
    """
    worker = Worker.objects.known(account=hit.batch.account, external_id=found.worker_external_id)
    with transaction.atomic():
        HIT.objects.select_for_update(no_key=True).get(pk=hit.pk)
        assignment = _match(hit=hit, worker=worker, found=found, now=now)
        if assignment.status in (*UNSETTLED, Status.GONE):
            _submit(assignment, found=found, now=now)
        _mirror_review(assignment, found=found, now=now)
        mark_stale(hit.batch_id)
    return assignment


def _is_purged(hit: HIT) -> bool:
    return Batch.objects.filter(pk=hit.batch_id, study__purged_at__isnull=False).exists()


def _key(found: ProviderAssignment, account: Account) -> Key:
    return found.external_id, crypto.blind_index(str(account.public_id), found.worker_external_id)


def _known(page: Sequence[ProviderAssignment], *, hit: HIT) -> dict[Key, list[Known]]:
    known: dict[Key, list[Known]] = defaultdict(list)
    ids = [found.external_id for found in page]
    ours = Assignment.objects.filter(account=hit.batch.account, external_id__in=ids, hit=hit)
    decided = Coalesce("approved_at", "rejected_at")
    rows = ours.values_list("external_id", "worker__external_id_index", "accepted_at", "status", decided)
    for external_id, index, accepted_at, status, decided_at in rows:
        known[external_id, index].append((accepted_at, status, decided_at))
    return known


def _agrees(row: Known, found: ProviderAssignment) -> bool:
    accepted_at, status, _ = row
    return is_same_moment(accepted_at, found.accepted_at) and status in AGREEING.get(found.status, ())


def _was_not_heard(row: Known, found: ProviderAssignment, *, now: datetime) -> bool:
    """Whether it was decided here long ago, and is undecided there: our decision did not get through."""
    _, status, decided_at = row
    is_decided = status in (Status.APPROVED, Status.REJECTED)
    return found.status == "Submitted" and is_decided and (decided_at or now) < now - HEARD_WITHIN


def _tell_again(*, hit: HIT, found: ProviderAssignment, provider: Provider) -> None:
    """Send our decision again; the gateway makes it idempotent. Raises ProviderUnavailable."""
    work = Assignment.objects.filter(account=hit.batch.account, external_id=found.external_id, hit=hit)
    ours = work.filter(status__in=(Status.APPROVED, Status.REJECTED)).order_by("-attempt").first()
    if ours is None:
        return
    last = ours.decisions.filter(status=Decision.Status.DONE).order_by("-pk").first()
    reason = last.reason if last else ""
    log.warning("assignment.told_again", assignment=str(ours.public_id), status=ours.status)
    try:
        if ours.status == Status.APPROVED:
            provider.approve_assignment(found.external_id, feedback=reason)
        elif reason:  # a rejection without one was not ours
            category = last.category if last else ""
            provider.reject_assignment(found.external_id, feedback=reason, category=category)
    except ProviderRefused as refusal:
        log.warning("assignment.not_told", assignment=str(ours.public_id), code=refusal.code)
    except StandsStill:  # it is read again once a person has confirmed
        log.info("assignment.waits", assignment=str(ours.public_id))


def _match(*, hit: HIT, worker: Worker, found: ProviderAssignment, now: datetime) -> Assignment:
    """Return our attempt with this accept time, else one that has none yet, else a new one."""
    attempts = Assignment.objects.filter(
        account=hit.batch.account, external_id=found.external_id, worker=worker
    ).order_by("-attempt")
    for assignment in attempts:
        # Without a ticket, anybody may have given this id on another HIT's page.
        if assignment.hit_id == hit.pk and is_same_moment(assignment.accepted_at, found.accepted_at):
            assignment.hit = hit
            return assignment
    return Assignment.objects.create(
        account=hit.batch.account,
        hit=hit,
        worker=worker,
        external_id=found.external_id,
        attempt=len(attempts) + 1,
        accepted_at=found.accepted_at,
        deadline_at=now,
        opened_at=now,
    )


def _submit(assignment: Assignment, *, found: ProviderAssignment, now: datetime) -> None:
    worked = found.submitted_at - (assignment.accepted_at or found.accepted_at)
    changes: dict[str, Any] = {
        "submitted_at": found.submitted_at,
        "auto_approves_at": found.auto_approves_at,
        "worked_s": max(0, int(worked.total_seconds())),
    }
    if assignment.accepted_at is None:
        changes["accepted_at"] = found.accepted_at
    if assignment.answer is None and (recovered := _recover_answer(assignment, found=found)):
        changes["answer"] = recovered
    if not move(assignment, Status.SUBMITTED, **changes):
        return
    if assignment.answer is None:
        release_items(assignment, now=now)  # somebody else is asked; a person decides on this one
    else:
        answer_leases(assignment, now=now)
    log.info("assignment.submitted", assignment=str(assignment.public_id))


def _mirror_review(assignment: Assignment, *, found: ProviderAssignment, now: datetime) -> None:
    """Record a decision that was made at the provider without us, by a person or by the clock."""
    if found.status == "Rejected" and assignment.status == Status.SUBMITTED:
        if move(assignment, Status.REJECTED, rejected_at=found.rejected_at or now):
            release_items(assignment, now=now)
    elif found.status == "Approved" and assignment.status in (Status.SUBMITTED, Status.REJECTED):
        move(assignment, Status.APPROVED, approved_at=found.approved_at or now)


def _recover_answer(assignment: Assignment, *, found: ProviderAssignment) -> Any:
    """Return the answer, or None if it cannot be believed: a person then decides on the work."""
    try:
        sent = found.answers.get("answer", "")
        claimed = json.loads(sent) if len(sent) <= LONGEST_ANSWER else None
        family, items = families.get(assignment.hit.batch.task), items_served(assignment)
        if isinstance(family, families.RecoversAnswers):
            return family.recover_answer(answer=claimed, assignment=assignment, items=items)
        return family.check_answer(answer=claimed, items=items)
    except (ValueError, RecursionError, InvalidAnswer):
        log.warning("assignment.answer_lost", assignment=str(assignment.public_id))
        return None
