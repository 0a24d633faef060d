"""Premises as simulated people write them: made up, and as often usable as recorded ones or as assumed."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from django.db.models import Count, Model, Q, QuerySet

from crowd.questions.family import AskTask
from crowd.questions.page_entries import Texts
from crowd.rehearsal.asked_questions import recorded_share
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from crowd.winoventi.models import Alternative, Premise, Step
from crowd.winoventi.premises.pages.premises import ENTRIES, Triplet
from crowd.winoventi.procedure.rehearsed.copied_rows import (
    OF_ALTERNATIVE,
    coming_by_themselves,
    projects_of,
    without_work,
)
from crowd.winoventi.procedure.rehearsed.step_rehearsal import ALL_NEW, StepRehearsal
from hits.studies.models import Batch, Study
from hits.work.models.items import Item

NOTHING = dict.fromkeys(ENTRIES, "N/A")


class RehearsedPremises(StepRehearsal):
    waits = Q(alternative__state=Alternative.State.PASSED, alternative__has_premise=False)

    @classmethod
    def record(cls, study: Study) -> dict[str, Any]:
        """How many recorded premises of this study are more than N/A."""
        rows = Premise.objects.filter(project__study=study, is_kept=True)
        found = rows.aggregate(votes=Count("pk"), right=Count("pk", filter=Q(is_na=False)))
        return recorded_share(**found)

    @classmethod
    def rows(cls, items: QuerySet[Item]) -> Iterable[Iterable[Model]]:
        lacking = Alternative.objects.filter(
            item__in=items, item__wanted__gt=0, state=Alternative.State.PASSED, has_premise=False
        )
        yield projects_of(items)
        yield without_work(lacking.select_related(*OF_ALTERNATIVE))
        yield coming_by_themselves(items, kind=Step.Kind.PREMISES)

    @property
    def sources(self) -> Sequence[str]:
        return [
            self._how_often,
            "The sentences are made up, and the rehearsal ends before their validation.",
            ALL_NEW,
        ]

    @property
    def _how_often(self) -> str:
        if self.recorded:
            right, votes = self.recorded["right"], self.recorded["votes"]
            return (
                f"Careful workers write a sentence, and not N/A, as in this study: {right} of {votes} times."
            )
        return (
            f"Nothing is recorded: careful workers write in {self.assumed.skill} of 100 cases, or else N/A."
        )

    def texts(self, task: AskTask[Any], asked: Triplet, person: SimulatedPerson, chance: Random) -> Texts:
        writes = chance.random() < 0.5 if person.is_spammer else self.is_right(person, chance)
        return _made_up(asked) if writes else NOTHING

    def figures(self, batch: Batch) -> Mapping[str, int]:
        written = Premise.objects.filter(assignment__hit__batch=batch)
        return {"Premises that can be judged": written.filter(state__in=Premise.WELL_FORMED).count()}


def _made_up(asked: Triplet) -> Texts:
    """A sentence that no other triplet gets."""
    number = asked.row.pk if asked.row else 0
    words = f"one{number}", f"other{number}"
    sentence = f"Somebody said [{' / '.join(words)}] about it."
    return dict(zip(ENTRIES, (sentence, *words), strict=True))
