"""A batch's work in words: one row for each unit that is judged by itself, as its family says it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hits import families
from hits.data.services.batch_export import served_to, submitted_work
from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, TEXT, Column, column, rows_of
from hits.families import FlattensWork, ServedWork
from hits.ledger.models.bonuses import Bonus
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment

GIVEN_UP = (Bonus.Status.WAIVED,)
PAID = (Bonus.Status.SENT, Bonus.Status.CONFIRMED)


@dataclass(frozen=True, kw_only=True)
class FlatUnit:
    """One unit of submitted work. `place` counts the units of one assignment, from 1."""

    work: Assignment
    batch: Batch
    place: int
    said: Any

    @property
    def bonus(self) -> float:
        return _sum(bonus for bonus in self.work.bonuses.all() if bonus.status not in GIVEN_UP)

    @property
    def bonus_paid(self) -> float:
        return _sum(bonus for bonus in self.work.bonuses.all() if bonus.status in PAID)

    @property
    def reasons(self) -> str:
        return "; ".join(one.reason for one in self.work.decisions.all() if one.reason)


WORK: Sequence[Column] = (
    column("worker", TEXT, "the worker's pseudonym", of="work.worker.pseudonym"),
    column("hit_number", INTEGER, "the HIT's number in the batch", of="work.hit.number"),
    column(
        "assignment",
        TEXT,
        "the id of the work; the same in all of its rows",
        of=lambda unit: str(unit.work.public_id),
    ),
    column("row", INTEGER, "the number of the row among those of its assignment, from 1", of="place"),
    column("accepted_at", MOMENT, "when the worker began", of="work.accepted_at"),
    column("submitted_at", MOMENT, "when the work was handed in", of="work.submitted_at"),
    column(
        "worked_s",
        INTEGER,
        "seconds by the clock, from accepting to handing in, of the whole assignment",
        of="work.worked_s",
    ),
    column(
        "active_s",
        INTEGER,
        "seconds that the page was in use, of the whole assignment; null where it told none, and review then "
        "shows worked_s",
        of="work.active_s",
    ),
    column("status", TEXT, "submitted, approved or rejected", of="work.status"),
    column("kept_out", FLAG, "whether it was paid and kept out of the data", of="work.kept_out"),
    column("reasons", TEXT, "what reviewers wrote about the work", of="reasons"),
    column(
        "reward",
        NUMBER,
        "for the whole assignment, repeated in each of its rows: add up those of row 1",
        of=lambda unit: float(unit.batch.reward),
    ),
    column("bonus", NUMBER, "owed or paid beyond it, of the whole assignment", of="bonus"),
    column("bonus_paid", NUMBER, "what of it was sent", of="bonus_paid"),
    column("currency", TEXT, "of these amounts: USD or GBP", of="batch.currency"),
)


def can_be_flat(batch: Batch) -> bool:
    """Whether the batch's task says its work in words. A task that is installed no more does not."""
    return isinstance(families.registered().get(batch.task), FlattensWork)


def flat_columns(batch: Batch) -> Sequence[Column]:
    """Return the columns of the work, followed by those of the batch's task."""
    return (*WORK, *_task_of(batch).flat_columns(batch=batch))


def export_flat(*, batch: Batch, include_excluded: bool) -> Iterator[dict[str, Any]]:
    """Yield a row for each unit of the work. Work without any has one row, so that none is lost."""
    task = _task_of(batch)
    own = task.flat_columns(batch=batch)
    blank = dict.fromkeys(one.name for one in own)
    for works in submitted_work(batch=batch, include_excluded=include_excluded):
        for unit in _units(works, batch=batch, task=task):
            said = next(rows_of(own, [unit.said])) if unit.said else blank
            yield {**next(rows_of(WORK, [unit])), **said}


def _units(works: Sequence[Assignment], *, batch: Batch, task: FlattensWork) -> Iterator[FlatUnit]:
    found = task.flatten([_served(work) for work in works])
    for work in works:
        for place, said in enumerate(found.get(work.pk) or [None], start=1):
            yield FlatUnit(work=work, batch=batch, place=place, said=said)


def _served(work: Assignment) -> ServedWork:
    return ServedWork(assignment=work, items=served_to(work))


def _task_of(batch: Batch) -> FlattensWork:
    task = families.get(batch.task)
    if not isinstance(task, FlattensWork):
        raise TypeError(f"{batch.task} has no columns of its own.")
    return task


def _sum(bonuses: Iterator[Bonus]) -> float:
    return float(sum((bonus.amount for bonus in bonuses), Decimal(0)))
