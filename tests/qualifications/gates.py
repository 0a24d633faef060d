"""Gates, tests and scores, with two tasks for tests alone: one to pass, and one that it opens."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from itertools import count
from typing import Any

import pytest
from django.http import QueryDict

from hits import families
from hits.core.errors import RuleBroken
from hits.families import Answer, Purpose, TaskPage, Terms
from hits.families import Score as FamilyScore
from hits.families.registry import _task_types
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.services.eligibility import refuse_entry
from qualifications.gate_policy import GatePolicy
from qualifications.models import Attempt, Gate, Holding
from qualifications.services.grading import grade_waiting
from qualifications.services.test_attempts import follow_tests
from scoring.models import Score
from tests.factories import NOW, make_account, make_assignment, make_batch, make_hit, make_study, make_worker

TEST, WORK, RIGHT = "toy.test", "toy.work", "right"
_numbers = count(1)


class ToyWork(families.TaskType):
    key = WORK
    name = "Toy: work"
    terms = Terms(title="Work", description="Work.")
    measures = (RIGHT,)

    def practice_page(self) -> TaskPage:
        return TaskPage(template="frame/over.html")

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        return TaskPage(template="frame/over.html")

    def review_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        return TaskPage(template="frame/over.html")

    def read_answer(self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]) -> Answer:
        return {"right": form["right"]}

    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        return {"right": str(answer["right"])}

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[FamilyScore]:
        return [FamilyScore(item=item, measure=RIGHT, value=Fraction(answer["right"])) for item in items]


class ToyTest(ToyWork, families.UsesUp):
    key = TEST
    name = "Toy: test"
    terms = replace(ToyWork.terms, title="Toy test")
    purpose = Purpose.TEST

    def uses_up(self, assignment: Assignment) -> bool:
        """A worker who has stayed on the page has seen the test."""
        return assignment.beat_at is not None


@contextmanager
def toys_registered() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for family in (ToyTest(), ToyWork()):
            patch.setitem(_task_types, family.key, family)
        yield


@pytest.fixture
def toys() -> Iterator[None]:
    with toys_registered():
        yield


def make_gate(**changes: Any) -> Gate:
    values: dict[str, Any] = {
        "study": changes.get("study") or make_study(),
        "name": f"Toy test {next(_numbers)}",
        "test_task": TEST,
        "opens": [WORK],
        "rules": [{"measure": RIGHT, "above": 80}],
        "items": 2,
    }
    return Gate.objects.create(**{**values, **changes})


def make_work_hit(gate: Gate, *, account: Account | None = None, task: str = WORK, **changes: Any) -> HIT:
    """Make a HIT in a batch of its own in the gate's study."""
    account = account or make_account()
    batch = make_batch(study=gate.study, account=account, task=task, status="open", **changes)
    return make_hit(batch=batch)


def make_test_hit(gate: Gate, *, account: Account | None = None, **changes: Any) -> HIT:
    return make_work_hit(gate, account=account, task=gate.test_task, **changes)


def make_candidate(gate: Gate, *, status: str = "submitted", **changes: Any) -> Assignment:
    """Make a worker's attempt at the gate: submitted, unless a status is given."""
    worker = changes.pop("worker", None) or make_worker()
    hit = changes.pop("hit", None) or make_test_hit(gate, account=worker.account)
    return make_assignment(hit=hit, worker=worker, status=status, **changes)


def make_score(assignment: Assignment, value: Fraction | int, *, measure: str = RIGHT) -> Score:
    batch = assignment.hit.batch
    share = Fraction(value)
    return Score.objects.create(
        assignment=assignment,
        item=Item.objects.create(study=batch.study, task=batch.task, batch=batch, wanted=1),
        measure=measure,
        numerator=share.numerator,
        denominator=share.denominator,
        scored_at=NOW,
    )


def judge(assignment: Assignment, *values: Fraction | int, measure: str = RIGHT) -> list[Score]:
    scores = [make_score(assignment, value, measure=measure) for value in values]
    Assignment.objects.filter(pk=assignment.pk).update(judged_at=NOW)
    return scores


def sit(gate: Gate, *values: Fraction | int, worker: Worker | None = None, now: datetime = NOW) -> Attempt:
    """Make a whole attempt: submitted, scored, followed and graded."""
    test = make_candidate(gate, worker=worker, opened_at=now, submitted_at=now)
    judge(test, *values)
    follow_tests(now=now)
    grade_waiting(now=now)
    return Attempt.objects.get(assignment=test)


def value_of(gate: Gate, worker: Worker) -> int | None:
    return Holding.objects.filter(gate=gate, worker=worker).values_list("value", flat=True).first()


def refusal(hit: HIT, worker: Worker) -> tuple[str, str]:
    """Code and words of the refusal; both are empty where the worker may start."""
    found = HIT.objects.select_related("batch__account", "batch__study").get(pk=hit.pk)
    try:
        refuse_entry(hit=found, worker=worker, now=NOW)
    except RuleBroken as broken:
        return broken.code, str(broken)
    return "", ""


def code(hit: HIT, worker: Worker) -> str:
    return refusal(hit, worker)[0]


def requirements_of(batch: Batch) -> list[Any]:
    return list(GatePolicy().ask(batch).requirements)


def obstacles_of(batch: Batch) -> list[str]:
    return list(GatePolicy().ask(batch).obstacles)
