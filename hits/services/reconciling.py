"""The provider's evidence becomes ours. By itself it would suffice; notifications only make it sooner."""

import json
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction

from hits import families
from hits.domain import is_same_moment
from hits.errors import CrowdError, InvalidAnswer
from hits.gateway import Provider, ProviderAssignment, provider_for
from hits.models import HIT, Assignment, Batch, Worker
from hits.services.working import answer_leases, items_served, release_items, release_overdue
from hits.states import move

# Far beyond any answer of ours; what is longer was never ours.
LONGEST_ANSWER = 100_000
Status = Assignment.Status
log = structlog.get_logger()


def reconcile(*, now: datetime) -> None:
    """Every open HIT of every account, then what the clock alone decides."""
    open_hits = HIT.objects.filter(status=HIT.Status.OPEN).select_related("batch__account")
    for hit in open_hits.order_by("pk"):
        try:
            reconcile_hit(hit=hit, provider=provider_for(hit.batch.account), now=now)
        except CrowdError as error:
            log.warning("hit.reconcile_failed", hit=str(hit.public_id), error=type(error).__name__)
    release_overdue(now=now)
    complete_batches()


def reconcile_hit(*, hit: HIT, provider: Provider, now: datetime) -> None:
    """The HIT's state is read first: if it was over then, the list read after it is complete."""
    over = provider.get_hit(hit.external_id).is_over
    for found in provider.list_assignments(hit.external_id):
        record_submission(hit=hit, found=found, now=now)
    HIT.objects.filter(pk=hit.pk).update(reconciled_at=now)
    if over:
        move(hit, HIT.Status.CLOSED)


def record_submission(*, hit: HIT, found: ProviderAssignment, now: datetime) -> Assignment:
    """Makes work payable. Work that never reached us is taken from the provider's copy of the answer."""
    worker = Worker.objects.known(account=hit.batch.account, external_id=found.worker_external_id)
    with transaction.atomic():
        HIT.objects.select_for_update().get(pk=hit.pk)
        assignment = _match(hit=hit, worker=worker, found=found, now=now)
        if assignment.status not in (Status.OPENED, Status.SAVED, Status.GONE):
            return assignment
        changes: dict[str, Any] = {"submitted_at": found.submitted_at}
        if assignment.accepted_at is None:
            changes["accepted_at"] = found.accepted_at
        if assignment.answer is None and (recovered := _recover_answer(assignment, found=found)):
            changes["answer"] = recovered
        move(assignment, Status.SUBMITTED, **changes)
        if assignment.answer is None:
            release_items(assignment, now=now)  # somebody else is asked; a person decides on this one
        else:
            answer_leases(assignment, now=now)
    log.info("assignment.submitted", assignment=str(assignment.public_id))
    return assignment


def complete_batches() -> None:
    for batch in Batch.objects.filter(status=Batch.Status.OPEN):
        if not batch.hits.exclude(status=HIT.Status.CLOSED).exists():
            move(batch, Batch.Status.COMPLETE)


def _match(*, hit: HIT, worker: Worker, found: ProviderAssignment, now: datetime) -> Assignment:
    """Our attempt with the provider's accept time; one that had none yet; else a new one."""
    attempts = Assignment.objects.filter(
        account=hit.batch.account, external_id=found.external_id, worker=worker
    ).order_by("-attempt")
    for assignment in attempts:
        if is_same_moment(assignment.accepted_at, found.accepted_at):
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


def _recover_answer(assignment: Assignment, *, found: ProviderAssignment) -> Any:
    """None if it cannot be believed: the work is then shown to a person instead of being judged."""
    try:
        sent = found.answers.get("answer", "")
        claimed = json.loads(sent) if len(sent) <= LONGEST_ANSWER else None
        family = families.get(assignment.hit.batch.task)
        return family.check_answer(answer=claimed, items=items_served(assignment))
    except (ValueError, RecursionError, InvalidAnswer):
        log.warning("assignment.answer_lost", assignment=str(assignment.public_id))
        return None
