"""Review queue: one work after another, each with its place in the list, in few queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import (
    CharField,
    Count,
    DateTimeField,
    Exists,
    F,
    Func,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextChoices,
    Value,
)
from django.db.models.functions import Coalesce

from hits.identity.models.users import User
from hits.studies.models import Batch, Study
from hits.work.access import visible
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision, Note

# Work that never approves itself comes last.
NEVER = datetime(9999, 1, 1, tzinfo=UTC)
# Reasons given within this time are offered again.
REASONS_OF = timedelta(days=30)
MOST_REASONS = 8
MOST_BATCHES = 100
Status = Assignment.Status


class State(TextChoices):
    WAITING = "waiting", "Waiting for a decision"
    LOST = "lost", "Waiting, and no answer is here"
    SECOND = "second", "Waiting for a second person"
    SENDING = "sending", "On the way to the provider"
    APPROVED = "approved"
    KEPT_OUT = "kept_out", "Paid, and kept out of the data"
    REJECTED = "rejected"


class Order(TextChoices):
    OLDEST = "oldest", "Oldest first"
    SOONEST = "soonest", "Soonest automatic approval first"


@dataclass(frozen=True, kw_only=True)
class QueueFilter:
    """Filters and order that a reviewer has chosen. `worker`: pseudonyms with spaces between, or nobody's."""

    state: str = State.WAITING
    batch: int | None = None
    study: int | None = None
    worker: str = ""
    order: str = Order.OLDEST

    @property
    def workers(self) -> list[str]:
        return self.worker.split()


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A line of a work's history: a decision, or a note."""

    kind: str
    at: datetime
    by: str
    second_by: str
    text: str
    status: str
    problem: str
    pk: int

    @property
    def words(self) -> str:
        if self.kind == NOTE:
            return "Note"
        return f"{Decision.Kind(self.kind).label}: {Decision.Status(self.status).label.lower()}"

    @property
    def is_waiting(self) -> bool:
        return self.status == Decision.Status.WAITING

    @property
    def is_unsent(self) -> bool:
        return self.status in (Decision.Status.WAITING, Decision.Status.INTENDED)


@dataclass(frozen=True, kw_only=True)
class PastReview:
    """Decisions and notes on a work, and the reasons lately given in its study."""

    entries: Sequence[Entry]
    reasons: Sequence[str]

    @property
    def waiting(self) -> Entry | None:
        return next((entry for entry in self.entries if entry.is_waiting), None)

    @property
    def unsent(self) -> Entry | None:
        return next((entry for entry in self.entries if entry.is_unsent), None)


NOTE, REASON = "note", "reason"


def review_queue(*, user: User, wanted: QueueFilter) -> QuerySet[Assignment]:
    """Works that the user may see and the filters allow, in order."""
    found = visible(Assignment.objects.filter(_in_state(wanted.state)), user)
    if wanted.batch:
        found = found.filter(hit__batch=wanted.batch)
    if wanted.study:
        found = found.filter(hit__batch__study=wanted.study)
    if wanted.workers:
        found = found.filter(worker__pseudonym__in=wanted.workers)
    return _with_due(found).order_by(*_keys(wanted))


def count_in_queue(*, user: User, state: str) -> int:
    """Return how many works in this state the user may see."""
    return visible(Assignment.objects.filter(_in_state(state)), user).count()


def in_study(study: Study, state: str) -> QuerySet[Assignment]:
    return Assignment.objects.filter(_in_state(state), hit__batch__study=study)


def waiting_by_batch(*, user: User | None = None, study: Study | None = None) -> dict[int, int]:
    """Return how many works of the study, or that the user may see, wait for a decision, by batch."""
    waiting = Assignment.objects.filter(_in_state(State.WAITING))
    found = visible(waiting, user) if user else waiting.filter(hit__batch__study=study)
    return dict(found.order_by().values_list("hit__batch").annotate(Count("pk")))


def work_in_queue(*, user: User, wanted: QueueFilter, pk: int | None) -> Any:
    """Return the work asked for, or the first, with place, neighbors and its worker's record; or None."""
    queue = review_queue(user=user, wanted=wanted)
    # Found before anything is counted for it: a database may count for every row that it sorts.
    chosen = Subquery(queue.values("pk")[:1]) if pk is None else pk
    works = _with_due(visible(_handed_in(), user).filter(pk=chosen))
    before, after = _beside(wanted, "lt"), _beside(wanted, "gt")
    there = tuple(f"-{key}" for key in _keys(wanted))
    return (
        works.select_related("hit__batch__study", "hit__batch__account", "worker")
        .annotate(
            is_listed=Exists(queue.filter(pk=OuterRef("pk"))),
            listed=_count(queue),
            before=_count(queue.filter(before)),
            next_pk=Subquery(queue.filter(after).values("pk")[:1]),
            previous_pk=Subquery(queue.filter(before).order_by(*there).values("pk")[:1]),
            worker_approved=_count(_of_worker(Status.APPROVED)),
            worker_rejected=_count(_of_worker(Status.REJECTED)),
        )
        .first()
    )


def past_of(work: Assignment, *, study_id: int, now: datetime) -> PastReview:
    """Return decisions, notes, and the study's recent reasons for rejections, in one query."""
    decisions = Decision.objects.filter(assignment=work).values_list(
        "kind", "made_at", "by__username", "second_by__username", "reason", "status", "problem", "pk"
    )
    notes = Note.objects.filter(assignment=work).values_list(
        _words(NOTE), "at", "by__username", _words(""), "text", _words(""), _words(""), "pk"
    )
    lately = Decision.objects.filter(
        kind=Decision.Kind.REJECT, made_at__gte=now - REASONS_OF, assignment__hit__batch__study=study_id
    ).values_list(
        _words(REASON),
        Value(NEVER, DateTimeField()),
        _words(""),
        _words(""),
        "reason",
        _words(""),
        _words(""),
        Value(0, IntegerField()),
    )
    names = ("kind", "at", "by", "second_by", "text", "status", "problem", "pk")
    found = decisions.union(notes, lately)
    rows: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for row in found]
    return PastReview(
        entries=sorted(
            (Entry(**{**row, "second_by": row["second_by"] or ""}) for row in rows if row["kind"] != REASON),
            key=lambda entry: (entry.at, entry.pk),
        ),
        reasons=sorted(row["text"] for row in rows if row["kind"] == REASON)[:MOST_REASONS],
    )


def batches_to_review(user: User) -> list[Batch]:
    """Return the newest batches, each with its study, for the filters to offer."""
    launched = visible(Batch.objects.exclude(launched_at=None), user)
    return list(launched.select_related("study").order_by("-pk")[:MOST_BATCHES])


def _in_state(state: str) -> Q:
    deciding = Decision.objects.filter(assignment=OuterRef("pk"))
    waiting = Q(Exists(deciding.filter(status=Decision.Status.WAITING)))
    sending = Q(Exists(deciding.filter(status=Decision.Status.INTENDED)))
    undecided = Q(status=Status.SUBMITTED) & ~waiting & ~sending
    states: dict[str, Q] = {
        State.WAITING: undecided,
        State.LOST: undecided & Q(answer__isnull=True),
        State.SECOND: waiting,
        State.SENDING: sending,
        State.APPROVED: Q(status=Status.APPROVED, kept_out=False),
        State.KEPT_OUT: Q(kept_out=True),
        State.REJECTED: Q(status=Status.REJECTED),
    }
    return states[state]


def _handed_in() -> QuerySet[Assignment]:
    return Assignment.objects.filter(status__in=(Status.SUBMITTED, Status.APPROVED, Status.REJECTED))


def _with_due(works: QuerySet[Assignment]) -> QuerySet[Assignment]:
    return works.annotate(due=Coalesce("auto_approves_at", Value(NEVER), output_field=DateTimeField()))


def _keys(wanted: QueueFilter) -> tuple[str, ...]:
    return ("due", "pk") if wanted.order == Order.SOONEST else ("pk",)


def _beside(wanted: QueueFilter, side: str) -> Q:
    """Condition for rows that come before ("lt") or after ("gt") the outer row."""
    if wanted.order == Order.SOONEST:
        nearer = Q(**{f"due__{side}": OuterRef("due")})
        return nearer | Q(**{"due": OuterRef("due"), f"pk__{side}": OuterRef("pk")})
    return Q(**{f"pk__{side}": OuterRef("pk")})


def _of_worker(status: str) -> QuerySet[Assignment]:
    """Work of the outer row's worker in its study alone: other studies are not everybody's to see."""
    return Assignment.objects.filter(
        worker=OuterRef("worker"), hit__batch__study=OuterRef("hit__batch__study"), status=status
    )


def _count(rows: QuerySet[Assignment]) -> Subquery:
    counted = rows.order_by().annotate(counted=Func(F("pk"), function="COUNT", output_field=IntegerField()))
    return Subquery(counted.values("counted"))


def _words(text: str) -> Value:
    return Value(text, CharField())
