"""Export of a batch's work under pseudonyms, row by row in slices: memory use stays flat for any size."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import structlog
from django.db.models import Prefetch, Q

from hits.batches.models import BatchEvent
from hits.datasets.columns import (
    FLAG,
    INTEGER,
    JSON,
    MOMENT,
    ROWS,
    TEXT,
    TEXTS,
    Column,
    column,
    rows_of,
    utc_text,
)
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.queries.taken_out import taken_out_by_its_worker

# HITs read at a time. A HIT has few assignments as a rule, and never more than some thousand.
SLICE = 100
Status = Assignment.Status
COUNTED = (Status.SUBMITTED, Status.APPROVED)
# The columns of work as it was handed in, one row for each assignment.
RAW: Sequence[Column] = (
    column("worker", TEXT, "the worker's pseudonym", of="worker.pseudonym"),
    column("hit_number", INTEGER, "the HIT's number in the batch", of="hit.number"),
    column("hit", TEXT, "the HIT's id", of=lambda work: str(work.hit.public_id)),
    column("assignment", TEXT, "the id of the work", of=lambda work: str(work.public_id)),
    column("attempt", INTEGER, "the worker's first, second or later attempt at the HIT"),
    column("accepted_at", MOMENT, "when the worker began"),
    column("submitted_at", MOMENT, "when it was handed in"),
    column("approved_at", MOMENT, "when it was approved"),
    column("rejected_at", MOMENT, "when it was rejected"),
    column("worked_s", INTEGER, "seconds by the clock, from accepting to handing in"),
    column(
        "active_s",
        INTEGER,
        "seconds that the page was in use; null where it told none, and review then shows worked_s",
    ),
    column("status", TEXT, "submitted, approved or rejected"),
    column("kept_out", FLAG, "whether it was paid and kept out of the data"),
    column(
        "reasons",
        ROWS,
        "what was decided, and what reviewers wrote",
        column("kind", TEXT, "approve, reject or keep_out"),
        column("reason", TEXT, "what the reviewer wrote"),
        of=lambda work: work.decisions.all(),
    ),
    column("answer", JSON, "the answer as it was handed in, in which ids stand for what was shown"),
    column(
        "items",
        TEXTS,
        "the ids of what was asked about",
        of=lambda work: [str(item.public_id) for item in served_to(work)],
    ),
    column(
        "attention_items",
        TEXTS,
        "the ids of the attention items among what the answer is about: they count nowhere",
        of=lambda work: [str(item.public_id) for item in _items_of(work, attention=True)],
    ),
    column(
        "bonuses",
        ROWS,
        "what is owed beyond the reward",
        column("rule", TEXT, "the rule of the bonus table"),
        column("amount", TEXT, "in its currency", of=lambda bonus: str(bonus.amount)),
        column("currency", TEXT, "USD or GBP"),
        column("status", TEXT, "how far its payment is"),
        of=lambda work: work.bonuses.all(),
    ),
)
log = structlog.get_logger()


def export_batch(*, batch: Batch, include_excluded: bool) -> Iterator[dict[str, Any]]:
    """Yield submitted work in the HITs' order. Excluded work is what was rejected, or paid and kept out."""
    for works in submitted_work(batch=batch, include_excluded=include_excluded):
        yield from rows_of(RAW, works)


def submitted_work(*, batch: Batch, include_excluded: bool) -> Iterator[Sequence[Assignment]]:
    """Yield slices of the work, with all that hangs on it read in the same few queries for each slice."""
    for hits in _slices(batch):
        yield _work_of(hits, include_excluded=include_excluded)


def served_to(work: Assignment) -> list[Item]:
    """Return the items that the answer is about, given back since or not, without attention items.

    Their leases were read before.
    """
    return _items_of(work, attention=False)


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


def _items_of(work: Assignment, *, attention: bool) -> list[Item]:
    leases = work.leases.all()
    chosen = (one.item for one in leases if (one.status == Lease.Status.ATTENTION) == attention)
    return list(dict.fromkeys(chosen))


def _slices(batch: Batch) -> Iterator[list[HIT]]:
    """Yield HITs in their own order, without an open cursor, which a slow reader would hold for long."""
    rows = HIT.objects.filter(batch=batch).only("pk", "number", "public_id").order_by("number", "pk")
    hits = list(rows[:SLICE])
    while hits:
        yield hits
        last = hits[-1]
        after = Q(number=last.number, pk__gt=last.pk) | Q(number__gt=last.number)
        hits = list(rows.filter(after, number__gte=last.number)[:SLICE])


def _work_of(hits: list[HIT], *, include_excluded: bool) -> Sequence[Assignment]:
    counted = Q(status__in=COUNTED, kept_out=False)
    excluded = Q(status__in=(*COUNTED, Status.REJECTED)) & ~taken_out_by_its_worker()
    by_pk = {hit.pk: hit for hit in hits}
    found = (
        Assignment.objects.filter(excluded if include_excluded else counted, hit__in=list(by_pk))
        .select_related("worker")
        .defer("worker__external_id")
        .prefetch_related(
            Prefetch("leases", Lease.objects.select_related("item").order_by("pk")),
            Prefetch("bonuses", Bonus.objects.order_by("pk")),
            Prefetch("decisions", Decision.objects.filter(status=Decision.Status.DONE).order_by("pk")),
        )
    )
    works = sorted(found, key=lambda work: (by_pk[work.hit_id].number, work.hit_id, work.pk))
    for work in works:
        work.hit = by_pk[work.hit_id]
    return works
