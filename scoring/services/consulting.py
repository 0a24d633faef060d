"""Rows that a model is asked about. The questions are rows, too: a later call takes the answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import NewQuestion, ask_and_find, retry_questions

Row = TypeVar("Row")
Stored = TypeVar("Stored", bound=Model)
# A row, and the answers to its questions in their order.
Answered = tuple[Row, list[ModelQuestion]]
AT_ONCE = 250
Status = ModelQuestion.Status


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How many rows still wait for an answer, how many have none that will come, and why."""

    waiting: int = 0
    failed: int = 0
    problem: str = ""

    @property
    def noted(self) -> dict[str, Any]:
        """The fields as model runs and evaluations keep them."""
        return {"waiting": self.waiting, "failed": self.failed, "problem": self.problem[:500]}


def consult(
    rows: QuerySet[Stored],
    *,
    ask: Callable[[Stored], Sequence[NewQuestion]],
    take: Callable[[list[Answered[Stored]]], None],
    rival: RegisteredRival,
    now: datetime,
) -> Standing:
    """Ask about the next rows, and pass on the answers that are in. `rows`: those without a taken answer.

    The call stops after the first slice in which something waits: so much is asked ahead, and no more.
    """
    standing, last = Standing(), 0
    while not standing.waiting and (slice_ := list(rows.filter(pk__gt=last).order_by("pk")[:AT_ONCE])):
        last = slice_[-1].pk
        standing = consult_slice(slice_, ask=ask, take=take, rival=rival, now=now, standing=standing)
    if standing.waiting:
        return replace(standing, waiting=standing.waiting + rows.filter(pk__gt=last).count())
    return standing


def ask_failed_anew(
    rows: QuerySet[Stored],
    *,
    ask: Callable[[Stored], Sequence[NewQuestion]],
    rival: RegisteredRival,
    now: datetime,
) -> int:
    """Ask failed questions of these rows again, and those that rest until their next try; return how many."""
    count, last = 0, 0
    while slice_ := list(rows.filter(pk__gt=last).order_by("pk")[:AT_ONCE]):
        last = slice_[-1].pk
        keys = {one.key for row in slice_ for one in ask(row)}
        count += retry_questions(ModelQuestion.objects.filter(rival=rival, key__in=keys), now=now)
    return count


def consult_slice(
    rows: Sequence[Row],
    *,
    ask: Callable[[Row], Sequence[NewQuestion]],
    take: Callable[[list[Answered[Row]]], None],
    rival: RegisteredRival,
    now: datetime,
    standing: Standing,
) -> Standing:
    """Ask about these rows, pass on the answers that are in, and add the rest to the standing."""
    asked = [(row, ask(row)) for row in rows]
    found = ask_and_find([one for _, questions in asked for one in questions], rival=rival, now=now)
    all_of = [(row, [found[one.key] for one in questions]) for row, questions in asked]
    take([one for one in all_of if _is_answered(one[1])])
    failed = [one for _, answers in all_of for one in answers if one.status == Status.FAILED]
    open_ones = [one for _, answers in all_of for one in answers if one.status == Status.WAITING]
    without = sum(any(one.status == Status.FAILED for one in answers) for _, answers in all_of)
    taken = sum(_is_answered(answers) for _, answers in all_of)
    problems = [one.problem for one in (*open_ones, *failed) if one.problem]
    return Standing(
        waiting=len(rows) - taken - without,
        failed=standing.failed + without,
        problem=(problems or [standing.problem])[0],
    )


def _is_answered(answers: Sequence[ModelQuestion]) -> bool:
    return all(one.status == Status.ANSWERED for one in answers)
