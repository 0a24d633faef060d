"""The solver's test: ten words that are hard to solve, one after the other, judged at once."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from crowd.winogavil import domain
from crowd.winogavil.items import FILE_HELP
from crowd.winogavil.services.exclusion import still_asked
from crowd.winogavil.solver_task import OwnAssociations, PickTask, practice_question
from hits.core.errors import InvalidAnswer
from hits.families import Answer, Purpose, RecoversAnswers, Score, TaskPage
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.domain import mean

TEMPLATE = "winogavil/solver_test.html"
# Most words that may be taken away during a worker's test; beyond that, a person has to look.
MOST_SPARED = 2


class SolverTestTask(PickTask, OwnAssociations, RecoversAnswers):
    """The solver's test; its associations are its batch's own: asked of no rival, and in no data.

    The test gives no feedback: the solution stays secret, since other workers are asked the same.
    """

    key = domain.SOLVER_TEST
    name = "Association game: solver's test"
    terms = replace(
        PickTask.terms,
        title="Test: which pictures go with the word?",
        description=(
            "Ten words, and some pictures with each. Pick the pictures that belong to the word. "
            "Workers who pass can work for us as solvers."
        ),
        items_each=10,
        duration_s=2700,
        reward=Decimal("0.50"),
        # Five HITs of nine places each: from ten on providers charge more.
        workers_per_hit=45,
    )
    purpose = Purpose.TEST
    file_help = (
        f"{FILE_HELP} Or make them of an association list: “Questions for the solver's test” on the page of "
        "the study."
    )

    def practice_page(self) -> TaskPage:
        return TaskPage(template=TEMPLATE, context={"practice": practice_question(number=0)})

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        asked = still_asked(items, worker=assignment.worker)
        page = super().work_page(assignment=assignment, items=asked)
        return TaskPage(template=TEMPLATE, context={**page.context, "practice": practice_question(number=0)})

    def read_answer(self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """Record questions taken away meanwhile as None, so that judging depends on the answer alone."""
        asked = still_asked(items, worker=assignment.worker)
        away: dict[str, Any] = {str(item.public_id): None for item in items if item not in asked}
        picked = super().read_answer(form=form, assignment=assignment, items=asked) if asked else {}
        return {**picked, **away}

    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        """Raises InvalidAnswer if the answer leaves out a question that was not taken away."""
        if not isinstance(answer, Mapping):
            raise InvalidAnswer(_("There is no answer to any question of this page."))
        away = [item for item in items if item.pulled_at and answer.get(str(item.public_id), []) is None]
        asked = [item for item in items if item not in away]
        picked = super().check_answer(answer=answer, items=asked) if asked else {}
        return {**picked, **{str(item.public_id): None for item in away}}

    def recover_answer(self, *, answer: Any, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """Like check_answer, but questions that this worker has reported need an answer too."""
        read = self.check_answer(answer=answer, items=items)
        asked = still_asked(items, worker=assignment.worker)
        if any(read[str(item.public_id)] is None for item in asked):
            raise InvalidAnswer(_("There is no answer to any question of this page."))
        return read

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        """Score questions taken away with the average of the others, so that they change no mean.

        If more than MOST_SPARED were, those have no score: too few are left for a gate, and a person grades.
        """
        asked = [item for item in items if answer.get(str(item.public_id)) is not None]
        scores = list(super().judge(answer=answer, items=asked))
        away = [item for item in items if item not in asked]
        if not scores or len(away) > MOST_SPARED:
            return scores
        average = mean([score.value for score in scores])
        return [*scores, *(Score(item=item, measure=domain.JACCARD, value=average) for item in away)]
