"""The worker's task: read what the bonus is for, and submit. Every submission is correct."""

from collections.abc import Sequence
from typing import Any

from django.http import QueryDict

from hits.families import Answer, Purpose, Score, TaskPage, TaskType, Terms
from hits.ledger.models.bonuses import Bonus
from hits.payments.services.compensation import TASK
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

COLLECTED = {"collected": True}


class CollectTask(TaskType):
    """The task of compensation HITs. hits.payments makes one batch for each bonus; no researcher does."""

    key = TASK
    name = "Bonus to collect"
    terms = Terms(
        title="A bonus is waiting for you",
        description="Accept and submit it: the reward is your bonus.",
    )
    purpose = Purpose.HOUSE

    def practice_page(self) -> TaskPage:
        return TaskPage(template="compensation/collect.html")

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        return TaskPage(template="compensation/collect.html", context={"bonus": _bonus_of(assignment)})

    def review_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        context = {"bonus": _bonus_of(assignment), "is_collected": assignment.answer is not None}
        return TaskPage(template="compensation/review.html", context=context)

    def read_answer(self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]) -> Answer:
        return COLLECTED

    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        return COLLECTED

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        return []


def _bonus_of(assignment: Assignment) -> dict[str, Any] | None:
    """The bonus as its worker may see it; None once the HIT no longer pays it."""
    found = Bonus.objects.filter(compensation=assignment.hit.batch_id).first()
    if found is None:
        return None
    return {"amount": found.amount, "currency": found.currency, "reason": found.reason}
