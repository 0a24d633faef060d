"""Export of a batch's work under pseudonyms, row by row in slices: memory use stays flat for any size."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import structlog
from django.db.models import Prefetch, Q

from hits.batches.models import BatchEvent
from hits.datasets.columns import utc_text
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from hits.work.queries.taken_out import taken_out_by_its_worker

# HITs read at a time. A HIT has few assignments as a rule, and never more than some thousand.
SLICE = 100
Status = Assignment.Status
COUNTED = (Status.SUBMITTED, Status.APPROVED)
# The keys of a row, in order: the columns of a table of them.
COLUMNS = (
    "worker",
    "hit_number",
    "hit",
    "assignment",
    "attempt",
    "accepted_at",
    "submitted_at",
    "approved_at",
    "rejected_at",
    "worked_s",
    "status",
    "kept_out",
    "reasons",
    "answer",
    "items",
    "bonuses",
)
log = structlog.get_logger()


def export_batch(*, batch: Batch, include_excluded: bool) -> Iterator[dict[str, Any]]:
    """Yield submitted work in the HITs' order. Excluded work is what was rejected, or paid and kept out."""
    for hits in _slices(batch):
        yield from _rows(hits, include_excluded=include_excluded)


def describe_export(*, batch: Batch, include_excluded: bool, by: User, now: datetime) -> dict[str, Any]:
    """Return the origin of the rows: what was asked, on which terms, and who exported them when."""
    return {
        "study": batch.study.name,
        "study_id": str(batch.study.public_id),
        "batch": batch.title,
        "batch_id": str(batch.public_id),
        "task": batch.task,
        "reward": str(batch.reward),
        "launched_at": utc_text(batch.launched_at),
        "terms": batch.terms,
        "exported_at": utc_text(now),
        "exported_by": by.get_username(),
        "includes_excluded": include_excluded,
    }


def record_export(*, batch: Batch, include_excluded: bool, by: User, now: datetime) -> None:
    """Record on the batch who exported its work."""
    words = "Exported, with what was rejected and kept out." if include_excluded else "Exported."
    BatchEvent.objects.create(batch=batch, kind="exported", words=words, by=by, at=now)
    log.info("batch.exported", batch=str(batch.public_id), by=str(by.public_id), excluded=include_excluded)


def _slices(batch: Batch) -> Iterator[list[HIT]]:
    """Yield HITs in their own order, without an open cursor, which a slow reader would hold for long."""
    rows = HIT.objects.filter(batch=batch).only("pk", "number", "public_id").order_by("number", "pk")
    hits = list(rows[:SLICE])
    while hits:
        yield hits
        last = hits[-1]
        after = Q(number=last.number, pk__gt=last.pk) | Q(number__gt=last.number)
        hits = list(rows.filter(after, number__gte=last.number)[:SLICE])


def _rows(hits: list[HIT], *, include_excluded: bool) -> Iterator[dict[str, Any]]:
    counted = Q(status__in=COUNTED, kept_out=False)
    excluded = Q(status__in=(*COUNTED, Status.REJECTED)) & ~taken_out_by_its_worker()
    by_pk = {hit.pk: hit for hit in hits}
    work = (
        Assignment.objects.filter(excluded if include_excluded else counted, hit__in=list(by_pk))
        .select_related("worker")
        .defer("worker__external_id")
        .prefetch_related(
            Prefetch("leases", Lease.objects.select_related("item").order_by("pk")),
            Prefetch("bonuses", Bonus.objects.order_by("pk")),
            Prefetch("decisions", Decision.objects.filter(status=Decision.Status.DONE).order_by("pk")),
        )
    )
    for assignment in sorted(work, key=lambda row: (by_pk[row.hit_id].number, row.hit_id, row.pk)):
        yield _row(assignment, hit=by_pk[assignment.hit_id])


def _row(assignment: Assignment, *, hit: HIT) -> dict[str, Any]:
    return {
        "worker": assignment.worker.pseudonym,
        "hit_number": hit.number,
        "hit": str(hit.public_id),
        "assignment": str(assignment.public_id),
        "attempt": assignment.attempt,
        "accepted_at": utc_text(assignment.accepted_at),
        "submitted_at": utc_text(assignment.submitted_at),
        "approved_at": utc_text(assignment.approved_at),
        "rejected_at": utc_text(assignment.rejected_at),
        "worked_s": assignment.worked_s,
        "status": assignment.status,
        "kept_out": assignment.kept_out,
        "reasons": [
            {"kind": decision.kind, "reason": decision.reason} for decision in assignment.decisions.all()
        ],
        "answer": assignment.answer,
        # Given back since or not: these are the items that the answer is about.
        "items": list(dict.fromkeys(str(lease.item.public_id) for lease in assignment.leases.all())),
        "bonuses": [
            {"rule": bonus.rule, "amount": str(bonus.amount), "status": bonus.status}
            for bonus in assignment.bonuses.all()
        ],
    }
