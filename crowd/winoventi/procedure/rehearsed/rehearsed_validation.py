"""Validation as simulated people do it: by recorded judgements of the study or by a stated noise."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from django.db.models import Model, Q, QuerySet

from crowd.questions.domain import NO, YES
from crowd.questions.family import AskTask
from crowd.questions.page_entries import Texts
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from crowd.winoventi.domain.answers import read_objections
from crowd.winoventi.domain.outcomes import QUESTIONS
from crowd.winoventi.models import Judgement, Premise, Project, Step
from crowd.winoventi.procedure.rehearsed.copied_rows import (
    OF_PREMISE,
    answers_there,
    coming_by_themselves,
    projects_of,
    without_work,
)
from crowd.winoventi.procedure.rehearsed.step_rehearsal import ALL_NEW, StepRehearsal, recorded_answers
from crowd.winoventi.validation.pages.validations import Pair
from hits.studies.models import Batch, Study
from hits.work.models.items import Item
from hits.work.queries.items import items_of_batch

ENTRIES = tuple(map(str, QUESTIONS))


class RehearsedValidation(StepRehearsal):
    waits = Q(premise__state=Premise.State.WAITING)

    @classmethod
    def record(cls, study: Study) -> dict[str, Any]:
        """How often the judges of this study said what of the four questions, taken together."""
        rows = Judgement.objects.filter(premise__project__study=study)
        counts = Counter(rows.values_list(*ENTRIES))
        return recorded_answers(counts)

    @classmethod
    def rows(cls, items: QuerySet[Item]) -> Iterable[Iterable[Model]]:
        waiting = Premise.objects.filter(item__in=items, item__wanted__gt=0, state=Premise.State.WAITING)
        asked = waiting.select_related(*OF_PREMISE)
        yield projects_of(items)
        yield without_work(asked)
        yield coming_by_themselves(items, kind=Step.Kind.VALIDATIONS)
        yield without_work(Judgement.objects.filter(premise__in=waiting, assignment=None))
        yield _judged_already(asked)

    @property
    def sources(self) -> Sequence[str]:
        if number := self.times_recorded:
            return [
                f"Careful workers answer the four questions as {number} recorded judgements of the study do.",
                "Each answer is drawn by itself: judges agree on a pair no more than on any two.",
                ALL_NEW,
            ]
        return [
            f"Nothing is recorded: careful workers answer {self.assumed.skill} of 100 questions with No.",
            "No pair is worse than another.",
            ALL_NEW,
        ]

    def texts(self, task: AskTask[Any], asked: Pair, person: SimulatedPerson, chance: Random) -> Texts:
        if person.is_spammer:
            return {entry: chance.choice((YES, NO)) for entry in ENTRIES}
        if self.recorded:
            return {
                entry: YES if said else NO for entry, said in zip(ENTRIES, self.draw(chance), strict=True)
            }
        return {entry: NO if self.is_right(person, chance) else YES for entry in ENTRIES}

    def figures(self, batch: Batch) -> Mapping[str, int]:
        pairs = Premise.objects.filter(item__in=items_of_batch(batch))
        return {
            "Pairs that are valid": pairs.filter(state=Premise.State.VALID).count(),
            "Pairs that failed": pairs.filter(state=Premise.State.FAILED).count(),
        }


def _judged_already(asked: QuerySet[Premise]) -> Iterator[Judgement]:
    """Yield judgements that are there or on their way, under keys that no judgement has.

    It is assumed that those which nobody has written yet object to nothing.
    """
    premises = {premise.item_id: premise for premise in asked}
    for lease, raw in answers_there(Item.objects.filter(pk__in=list(premises))):
        premise = premises[lease.item_id]
        if lease.worker_id == premise.worker_id and premise.project.judges != Project.Judges.ANYBODY:
            continue
        objections = read_objections(raw) if raw else ()
        said = {question.value: question in objections for question in QUESTIONS}
        yield Judgement(pk=-lease.pk, premise=premise, worker_id=lease.worker_id, **said)
