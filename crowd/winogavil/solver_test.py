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
# So many words may be taken away from under somebody. Beyond that a person has to look.
MOST_SPARED = 2


class SolverTestTask(PickTask, OwnAssociations, RecoversAnswers):
    """Its associations are its batch's own: no rival is asked about them, and they are in no data.

    It gives no feedback: what was right stays secret, since others are asked the same.
    """

    key = domain.SOLVER_TEST
    name = "Association game: solver's test"
    terms = replace(
        PickTask.terms,
        title="Test: which pictures go with the word?",
        description=(
            "Ten words, and some pictures with each. Pick the pictures that belong to the word. "
            "Who passes can work for us as a solver."
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
        """What was taken away meanwhile is written down as such, so that judging depends on nothing else."""
        asked = still_asked(items, worker=assignment.worker)
        away: dict[str, Any] = {str(item.public_id): None for item in items if item not in asked}
        picked = super().read_answer(form=form, assignment=assignment, items=asked) if asked else {}
        return {**picked, **away}

    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        """Nothing is left out but what is away."""
        if not isinstance(answer, Mapping):
            raise InvalidAnswer(_("There is no answer to any question of this page."))
        away = [item for item in items if item.pulled_at and answer.get(str(item.public_id), []) is None]
        asked = [item for item in items if item not in away]
        picked = super().check_answer(answer=answer, items=asked) if asked else {}
        return {**picked, **{str(item.public_id): None for item in away}}

    def recover_answer(self, *, answer: Any, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """What this worker has reported stays this worker's to answer, whichever way the answer comes."""
        read = self.check_answer(answer=answer, items=items)
        asked = still_asked(items, worker=assignment.worker)
        if any(read[str(item.public_id)] is None for item in asked):
            raise InvalidAnswer(_("There is no answer to any question of this page."))
        return read

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        """What was taken away counts as much as the others do on average, so it changes no mean.

        Where it is more than a little, it has no score: too few are there for a gate, and a person grades.
        """
        asked = [item for item in items if answer.get(str(item.public_id)) is not None]
        scores = list(super().judge(answer=answer, items=asked))
        away = [item for item in items if item not in asked]
        if not scores or len(away) > MOST_SPARED:
            return scores
        average = mean([score.value for score in scores])
        return [*scores, *(Score(item=item, measure=domain.JACCARD, value=average) for item in away)]
