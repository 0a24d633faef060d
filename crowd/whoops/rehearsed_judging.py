"""Judging of weird images as simulated people do it: by a stated noise, for nobody knows what is good."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

from django.db.models import Model, QuerySet

from crowd.questions.family import AskTask
from crowd.questions.page_entries import Texts
from crowd.rehearsal.asked_questions import AskedQuestions
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from crowd.whoops import domain
from crowd.whoops.judge.pages.explanations import MARKED, NONE, by_text
from crowd.whoops.judge.pages.judged_pages import PICK, JudgedQuestion, PickTask
from crowd.whoops.models import Project
from crowd.whoops.models.judged_items import Option, Question
from hits.work.models.items import Item


class RehearsedJudging(AskedQuestions):
    @classmethod
    def rows(cls, items: QuerySet[Item]) -> Iterable[Iterable[Model]]:
        questions = Question.objects.filter(item__in=items)
        yield Project.objects.filter(study__in=items.values("study"))
        yield _alone(questions)
        yield Option.objects.filter(question__in=questions)

    @property
    def sources(self) -> Sequence[str]:
        return [
            f"Careful workers mark in {self.assumed.skill} of 100 options what is known of them.",
            "Where only judges can say, what people wrote counts as good, and what a model wrote as not.",
            "Recorded judgements are not used: options are new in every batch.",
        ]

    def texts(
        self, task: AskTask[Any], asked: JudgedQuestion, person: SimulatedPerson, chance: Random
    ) -> Texts:
        votes = {option.number: self._vote(option, person, chance) for option in asked.options}
        if isinstance(task, PickTask):
            says_so = votes[asked.options[0].number]
            return {PICK: str(task.picks[0 if says_so else 1]["value"])}
        marked = [value for value, own in by_text(asked).items() if votes[own[0].number]]
        return {MARKED: " ".join(marked) or NONE}

    def _vote(self, option: Option, person: SimulatedPerson, chance: Random) -> bool:
        if person.is_spammer:
            return chance.random() < 0.5
        is_good = option.source in domain.OURS if option.label is None else option.label
        return is_good == self.is_right(person, chance)


def _alone(questions: QuerySet[Question]) -> Iterator[Question]:
    """Yield questions without the images they are about: these lead to designers, and to their pay."""
    for question in questions:
        question.image_id = question.sample_id = question.sample_place = None
        yield question
