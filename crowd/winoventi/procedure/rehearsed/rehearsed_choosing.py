"""Human performance as simulated people show it: by recorded choices of the study or by a stated noise."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from django.db.models import Count, Model, Q, QuerySet

from crowd.questions.family import AskTask
from crowd.questions.page_entries import Texts
from crowd.rehearsal.asked_questions import recorded_share
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from crowd.winoventi.challenge.pages.choices import Blank
from crowd.winoventi.domain.answers import read_choice
from crowd.winoventi.domain.words import are_same
from crowd.winoventi.models import Choice, Prompt, Step
from crowd.winoventi.procedure.rehearsed.copied_rows import (
    OF_PREMISE,
    answers_there,
    coming_by_themselves,
    projects_of,
    without_work,
)
from crowd.winoventi.procedure.rehearsed.step_rehearsal import ALL_NEW, StepRehearsal
from hits.studies.models import Batch, Study
from hits.work.models.items import Item

OF_PROMPT = ("item", "premise", *(f"premise__{one}" for one in OF_PREMISE))


class RehearsedChoosing(StepRehearsal):
    waits = Q(prompt__is_answered=False)

    @classmethod
    def record(cls, study: Study) -> dict[str, Any]:
        """How many recorded choices of this study name the right word."""
        rows = Choice.objects.filter(prompt__premise__project__study=study)
        found = rows.aggregate(votes=Count("pk"), right=Count("pk", filter=Q(is_right=True)))
        return recorded_share(**found)

    @classmethod
    def rows(cls, items: QuerySet[Item]) -> Iterable[Iterable[Model]]:
        waiting = Prompt.objects.filter(item__in=items, item__wanted__gt=0, is_answered=False)
        asked = waiting.select_related(*OF_PROMPT)
        yield projects_of(items)
        yield without_work(asked)
        yield coming_by_themselves(items, kind=Step.Kind.CHOICES)
        yield without_work(Choice.objects.filter(prompt__in=waiting, assignment=None))
        yield without_work(_chosen_already(asked))

    @property
    def sources(self) -> Sequence[str]:
        if self.recorded:
            right, votes = self.recorded["right"], self.recorded["votes"]
            return [
                f"Careful workers are right as often as in this study: in {right} of {votes} choices.",
                ALL_NEW,
            ]
        return [
            f"Nothing is recorded: careful workers choose the right word {self.assumed.skill} of 100 times.",
            "No text is harder than another.",
            ALL_NEW,
        ]

    def texts(self, task: AskTask[Any], asked: Blank, person: SimulatedPerson, chance: Random) -> Texts:
        if person.is_spammer:
            return {"choice": chance.choice(asked.words)}
        return {"choice": asked.target if self.is_right(person, chance) else asked.incorrect}

    def figures(self, batch: Batch) -> Mapping[str, int]:
        made = Choice.objects.filter(assignment__hit__batch=batch)
        return {"Choices that are right": made.filter(is_right=True).count()}


def _chosen_already(asked: QuerySet[Prompt]) -> Iterator[Choice]:
    """Yield choices that are there or on their way, under keys that no choice has."""
    prompts = {prompt.item_id: prompt for prompt in asked}
    for lease, raw in answers_there(Item.objects.filter(pk__in=list(prompts))):
        prompt = prompts[lease.item_id]
        word = read_choice(raw) if raw else prompt.target
        is_right = are_same(word, prompt.target)
        yield Choice(pk=-lease.pk, prompt=prompt, worker_id=lease.worker_id, word=word, is_right=is_right)
