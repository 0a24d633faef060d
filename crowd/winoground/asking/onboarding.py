"""The first questions: ten unrelated pairs. A worker is warned of one mistake and may correct it, no second.

Only the server knows which one it is. It keeps what was sent first, so that a reload, a second tab and a
forged form change nothing but the answer to the question that was warned of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from crowd.questions.domain import NO, YES
from crowd.questions.page_entries import Texts
from crowd.winoground import domain
from crowd.winoground.asking.pairs import MATCH, Pair, PairsTask, answers_to
from crowd.winoground.models import FirstQuestion, SecondChance
from crowd.winoground.services.second_chances import give_second_chance, second_chance_of
from hits.core.errors import InvalidAnswer
from hits.families import Answer, Purpose, RecoversAnswers, Score, TaskPage, UsesUp
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

# A hidden entry of the page that warns: a form without it was sent from the page before.
WARNED = "warned"


class Unsure(InvalidAnswer):
    """Raised to show the page again, so that the worker looks at one answer once more."""

    def __init__(self) -> None:
        super().__init__(_("Are you sure? Please look once more at the question that is marked."))


class OnboardingTask(PairsTask, RecoversAnswers, UsesUp):
    key = domain.ONBOARDING
    name = "Caption matching: first questions"
    terms = replace(
        PairsTask.terms,
        title="Test: does the caption match the image?",
        description=(
            "Ten images, each with one caption: say whether they match. "
            "Who gets all of them right can work for us."
        ),
        items_each=domain.FIRST_QUESTIONS,
        reward=Decimal("0.50"),
        # Five HITs of nine places each: providers charge more from ten on.
        workers_per_hit=45,
    )
    measures = (domain.RIGHT,)
    purpose = Purpose.TEST

    def asked_by(self, items: Sequence[Item]) -> Mapping[int, Pair]:
        rows = FirstQuestion.objects.filter(item__in=items).select_related("picture")
        return {
            row.item_id: Pair(caption=row.caption, picture=row.picture, is_match=row.is_match) for row in rows
        }

    def uses_up(self, assignment: Assignment) -> bool:
        """Whether the attempt is used up: a worker who was warned of a mistake has had it."""
        return SecondChance.objects.filter(assignment=assignment).exists()

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        chance = second_chance_of(assignment)
        if chance is None:
            return super().work_page(assignment=assignment, items=items)
        return self._page_that_warns(chance, assignment=assignment, items=items)

    def page_again(
        self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item], problem: InvalidAnswer
    ) -> TaskPage | None:
        if isinstance(problem, Unsure):
            return self.work_page(assignment=assignment, items=items)
        return super().page_again(form=form, assignment=assignment, items=items, problem=problem)

    def read_answer(self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]) -> Answer:
        chance = second_chance_of(assignment)
        if chance is not None:
            is_away = self.asked_by([chance.item])[chance.item_id].is_away
            return _changed_once(chance, form, is_away=is_away)
        answer = super().read_answer(form=form, assignment=assignment, items=items)
        wrong = self._mistakes(answer, items)
        if len(wrong) != 1:
            return answer
        given = {name: texts[MATCH] for name, texts in answer.items()}
        if give_second_chance(assignment=assignment, item=wrong[0], answer=given, now=timezone.now()) is None:
            return answer  # refused later, because one is submitted already
        raise Unsure

    def recover_answer(self, *, answer: Any, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """Check an answer sent past our page. Raises InvalidAnswer if more than the warned answer changed."""
        read = self.check_answer(answer=answer, items=items)
        chance = second_chance_of(assignment)
        if chance is not None and _others(chance, read) != _others(chance, _first(chance)):
            raise InvalidAnswer(_("Only the answer that you were asked about can be changed."))
        return read

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        """Score each question by itself: the gate requires all of them, a hundred per cent.

        Questions that were taken away meanwhile cost their worker nothing: a few count as right. If more are
        away, they get no score, so that a gate has too few, and a person grades.
        """
        asked, said = self.asked_by(items), answers_to(items, answer)
        away = [item for item in items if item.pk not in said]
        right = {pk: Fraction(said[pk] == asked[pk].is_match) for pk in said}
        if right and len(away) <= domain.MOST_SPARED:
            right |= {item.pk: Fraction(1) for item in away}
        return [
            Score(item=item, measure=domain.RIGHT, value=right[item.pk]) for item in items if item.pk in right
        ]

    def _mistakes(self, answer: Answer, items: Sequence[Item]) -> list[Item]:
        asked, said = self.asked_by(items), answers_to(items, answer)
        return [item for item in items if item.pk in said and said[item.pk] != asked[item.pk].is_match]

    def _page_that_warns(
        self, chance: SecondChance, *, assignment: Assignment, items: Sequence[Item]
    ) -> TaskPage:
        given = QueryDict(mutable=True)
        given.update({f"{name}-{MATCH}": said for name, said in chance.first_answer.items()})
        questions = self._questions(assignment, items, form=given)
        warned = str(chance.item.public_id)
        for question in questions:
            question["is_fixed"] = question["field"] != warned
        # What the browser remembers of the page before must not count: “again” tells the script so.
        marked = next(question for question in questions if not question["is_fixed"])
        return self._page(questions, again=True, warned=marked, warned_entry=WARNED)


def _changed_once(chance: SecondChance, form: QueryDict, *, is_away: bool) -> Answer:
    """The second answer to the one question; the rest of the form is not read. Raises Unsure."""
    name = str(chance.item.public_id)
    said = form.get(f"{name}-{MATCH}", "")
    if form.get(WARNED) != name or said not in (("",) if is_away else (YES, NO)):
        raise Unsure
    return {**_first(chance), name: {MATCH: said}}


def _first(chance: SecondChance) -> dict[str, Texts]:
    return {name: {MATCH: said} for name, said in chance.first_answer.items()}


def _others(chance: SecondChance, answer: Answer) -> dict[str, Texts]:
    warned = str(chance.item.public_id)
    return {name: texts for name, texts in answer.items() if name != warned}
