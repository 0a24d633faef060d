"""A sent answer is read, or its page is shown again with what is wrong, by whatever page it came from."""

from collections.abc import Sequence

from django.http import QueryDict

from hits.core.errors import InvalidAnswer
from hits.families import Answer, ShowsAgain, TaskPage, TaskType
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item


def read_or_ask_again(
    task: TaskType, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]
) -> Answer | TaskPage:
    """Return the answer, or the page that asks again. Raises InvalidAnswer if the task has no such page."""
    try:
        return task.read_answer(form=form, assignment=assignment, items=items)
    except InvalidAnswer as problem:
        if not isinstance(task, ShowsAgain):
            raise
        again = task.page_again(form=form, assignment=assignment, items=items, problem=problem)
        if again is None:
            raise
        return again
