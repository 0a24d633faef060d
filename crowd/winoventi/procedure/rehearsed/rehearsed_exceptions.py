"""Exceptions as simulated people give them: made-up words, as many as in recorded answers or as assumed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from django.db.models import Count, F, Model, Q, QuerySet

from crowd.questions.domain import NO, YES
from crowd.questions.family import AskTask
from crowd.questions.page_entries import Texts
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from crowd.winoventi.domain import MOST_ALTERNATIVES
from crowd.winoventi.domain.answers import ALTERNATIVES
from crowd.winoventi.exceptions.pages.exceptions import Statement
from crowd.winoventi.models import Alternative, Generic, Step
from crowd.winoventi.procedure.rehearsed.copied_rows import (
    OF_GENERIC,
    coming_by_themselves,
    projects_of,
    without_work,
)
from crowd.winoventi.procedure.rehearsed.step_rehearsal import ALL_NEW, StepRehearsal, recorded_answers
from hits.studies.models import Batch, Study
from hits.work.models.items import Item


class RehearsedExceptions(StepRehearsal):
    waits = Q(generic__state=Generic.State.POSTED)

    @classmethod
    def record(cls, study: Study) -> dict[str, Any]:
        """How often a recorded answer of this study found sense in its statement, and gave so many words."""
        own = Count("alternatives", filter=Q(alternatives__worker=F("worker")))
        answered = Generic.objects.filter(project__study=study, state__in=Generic.TAKEN)
        counts = Counter(answered.annotate(words=own).values_list("state", "words"))
        return recorded_answers(counts)

    @classmethod
    def rows(cls, items: QuerySet[Item]) -> Iterable[Iterable[Model]]:
        posted = Generic.objects.filter(item__in=items, item__wanted__gt=0, state=Generic.State.POSTED)
        yield projects_of(items)
        yield without_work(posted.select_related(*OF_GENERIC))
        yield coming_by_themselves(items, kind=Step.Kind.EXCEPTIONS)

    @property
    def sources(self) -> Sequence[str]:
        return [
            self._how_often,
            "The words are made up. No model is asked: the rehearsal ends before the filter.",
            ALL_NEW,
        ]

    @property
    def _how_often(self) -> str:
        if number := self.times_recorded:
            return (
                f"Careful workers find sense, and words, as often as {number} recorded answers of the study."
            )
        return (
            f"Nothing is recorded: careful workers find sense in {self.assumed.skill} of 100 statements, "
            "and one to three words."
        )

    def texts(self, task: AskTask[Any], asked: Statement, person: SimulatedPerson, chance: Random) -> Texts:
        makes_sense, words = self._say(person, chance)
        if not makes_sense:
            return {"makes_sense": NO}
        number = asked.row.pk if asked.row else 0
        made_up = [f"word{number}x{place}" for place in range(1, words + 1)] or ["N/A"]
        return {"makes_sense": YES, **dict(zip(ALTERNATIVES, made_up, strict=False))}

    def figures(self, batch: Batch) -> Mapping[str, int]:
        answered = Generic.objects.filter(assignment__hit__batch=batch)
        given = Alternative.objects.filter(assignment__hit__batch=batch)
        return {
            "Statements without sense": answered.filter(state=Generic.State.NONSENSE).count(),
            "Exceptions for the filter": given.filter(state=Alternative.State.GIVEN).count(),
        }

    def _say(self, person: SimulatedPerson, chance: Random) -> tuple[bool, int]:
        """Return whether this person finds sense in a statement, and how many words."""
        if person.is_spammer:
            return chance.random() < 0.5, 1
        if self.recorded:
            state, words = self.draw(chance)
            return state != Generic.State.NONSENSE, words
        return chance.random() < person.skill, chance.randint(1, MOST_ALTERNATIVES)
