"""What has happened and has no row yet, read from the rows of other rooms. Nobody has to announce anything.

Instants are read from what was written lately, so that nothing here grows with history; what lasts is read
from the rows as they are now.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import CharField, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Cast

from hits import families
from hits.alerts.models import Kind, Occurrence
from hits.batches.models import BatchEvent
from hits.batches.queries.tally import batches_with_counts
from hits.payments.models.runs import Run
from hits.providers.capabilities import CONNECTED
from hits.review.models import Appeal
from hits.studies.models import Batch
from hits.sync.services.noticing_early_ends import ENDED_EARLY
from hits.work.models.assignments import Assignment
from hits.work.models.early_ends import EarlyEnd
from hits.work.queries.items import batches_wanting

# What happened earlier is told no more: everybody has seen it on their pages by then.
LATELY = timedelta(days=2)
# So long without a submission, an open batch is idle.
SILENCE = timedelta(days=1)
Status = Batch.Status
# A batch that a person cancels ends when its last work is in, which the system itself writes.
ENDS = Q(kind=Status.COMPLETE) | Q(kind=Status.CANCELLED, by=None)
KINDS: Mapping[str, Kind] = {
    Status.PAUSED: Kind.PAUSED,
    Status.PAUSED_FUNDS: Kind.UNFUNDED,
    ENDED_EARLY: Kind.EARLY,
}


def instants(*, now: datetime) -> Iterator[Occurrence]:
    """Yield what happened at one moment and has no row yet."""
    yield from _ends_and_pauses(now=now)
    yield from _frozen_runs(now=now)
    yield from _decided_runs(now=now)
    yield from _open_appeals(now=now)


def _ends_and_pauses(*, now: datetime) -> Iterator[Occurrence]:
    told = Occurrence.objects.filter(
        key=Cast(OuterRef("pk"), CharField()),
        kind__in=(Kind.ENDED, *KINDS.values()),
        over_at=None,
    )
    events = BatchEvent.objects.filter(ENDS | Q(kind__in=KINDS), ~Exists(told), at__gt=now - LATELY)
    of_people = events.exclude(batch__task__in=families.of_the_house())
    for event in of_people.select_related("batch__study").order_by("pk"):
        kind = KINDS.get(event.kind, Kind.ENDED)
        yield Occurrence(
            kind=kind,
            key=str(event.pk),
            study=event.batch.study,
            batch=event.batch,
            by=event.by,
            words=_words_of_event(kind, event),
            at=event.at,
        )


def _words_of_event(kind: Kind, event: BatchEvent) -> str:
    if kind == Kind.EARLY:  # how many, our own words say; the operator's may name a worker
        told = EarlyEnd.objects.filter(hit__batch=event.batch, noted_at=event.at).exclude(reason="")
        why = " The marketplace's operator has written why: see there." if told.exists() else ""
        return f"“{event.batch.title}” ({event.batch.study}): {event.words.partition(',')[0]}.{why}"
    return _words_of_batch(kind, event.batch)


def _words_of_batch(kind: Kind, batch: Batch) -> str:
    """Say what happened to the batch. The provider's own words may name a worker, and stay on its page."""
    figures = batch.figures
    done = f" {figures['submitted']} of {figures['places']} handed in." if figures.get("places") else ""
    said = {
        Kind.ENDED: "has ended.",
        Kind.PAUSED: "was paused.",
        Kind.UNFUNDED: "stands still: the account is out of money.",
        Kind.IDLE: "is open, and nobody has handed in for a day.",
        Kind.EMPTY: "is open, and has nothing left to ask.",
    }
    return f"“{batch.title}” ({batch.study}) {said[kind]}{done}"


def _frozen_runs(*, now: datetime) -> Iterator[Occurrence]:
    frozen = Run.objects.filter(status=Run.Status.FROZEN)
    known = set(Occurrence.objects.filter(kind=Kind.RUN, run__in=frozen).values_list("key", flat=True))
    for run in frozen.select_related("prepared_by").order_by("pk"):
        key = f"{run.pk} {run.frozen_at:%Y%m%dT%H%M%S%f}"
        if key not in known:
            words = f"The bonus run “{run.title}” waits for approval: {_sum_of(run)}."
            yield Occurrence(kind=Kind.RUN, key=key, run=run, by=run.prepared_by, words=words, at=now)


def _decided_runs(*, now: datetime) -> Iterator[Occurrence]:
    told = Occurrence.objects.filter(kind=Kind.DECIDED, run=OuterRef("pk"))
    decided = Run.objects.filter(
        ~Exists(told),
        status__in=(Run.Status.APPROVED, Run.Status.REFUSED),
        decided_at__gt=now - LATELY,
    )
    for run in decided.select_related("decided_by").order_by("pk"):
        done = "refused" if run.status == Run.Status.REFUSED else "approved"
        yield Occurrence(
            kind=Kind.DECIDED,
            key=str(run.pk),
            run=run,
            by=run.decided_by,
            words=f"The bonus run “{run.title}” was {done}: {_sum_of(run)}.",
            at=run.decided_at or now,
        )


def _sum_of(run: Run) -> str:
    return f"{'1 bonus' if run.count == 1 else f'{run.count} bonuses'}, {run.total_in_words}"


def _open_appeals(*, now: datetime) -> Iterator[Occurrence]:
    told = Occurrence.objects.filter(kind=Kind.APPEAL, appeal=OuterRef("pk"))
    appeals = Appeal.objects.filter(~Exists(told), status=Appeal.Status.OPEN)
    for appeal in appeals.select_related("assignment__hit__batch__study").order_by("pk"):
        batch = appeal.assignment.hit.batch
        yield Occurrence(
            kind=Kind.APPEAL,
            key=str(appeal.pk),
            study=batch.study,
            batch=batch,
            appeal=appeal,
            words=f"A worker asks about their work in “{batch.title}” ({batch.study}).",
            at=now,
        )


def lasting(*, now: datetime) -> Iterator[Occurrence]:
    """Yield the open batches that starve now, whether or not that has a row already."""
    for kind, rows in ((Kind.EMPTY, empty_batches()), (Kind.IDLE, idle_batches(now=now))):
        for batch in rows.order_by("pk"):
            yield Occurrence(
                kind=kind,
                key=str(batch.pk),
                study=batch.study,
                batch=batch,
                words=_words_of_batch(kind, batch),
                at=now,
            )


def empty_batches() -> QuerySet[Batch]:
    """Return open batches with free places that nothing is left for."""
    asking = batches_wanting(Batch.objects.filter(status=Status.OPEN)).values("pk")
    return _open_with_places().exclude(pk__in=asking)


def idle_batches(*, now: datetime) -> QuerySet[Batch]:
    """Return open batches with free places and questions, on which nobody has handed in for a day.

    A batch that was sent, resumed or given more of anything meanwhile has a day from then on.
    """
    since = now - SILENCE
    busy = Assignment.objects.filter(submitted_at__gt=since).values("hit__batch")
    touched = BatchEvent.objects.filter(batch=OuterRef("pk"), at__gt=since)
    wanting = batches_wanting(_open_with_places())
    return wanting.filter(~Exists(touched), launched_at__lte=since).exclude(pk__in=busy)


def _open_with_places() -> QuerySet[Batch]:
    has_places: Any = {"places__gt": F("submitted")}  # counted by the annotations
    rows = batches_with_counts().filter(status=Status.OPEN, account__kind__in=CONNECTED)
    return rows.filter(**has_places).exclude(task__in=families.of_the_house())
