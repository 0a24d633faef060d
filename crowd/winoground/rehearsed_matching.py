"""Caption matching as simulated people do it: by recorded votes of the study or by a stated noise."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from django.db.models import Model, QuerySet

from crowd.questions.domain import NO, YES
from crowd.questions.family import AskTask
from crowd.questions.page_entries import Texts
from crowd.rehearsal.asked_questions import AskedQuestions, recorded_share
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from crowd.winoground import domain
from crowd.winoground.asking.pairs import MATCH, Pair
from crowd.winoground.models import Pairing
from hits.studies.models import Study
from hits.work.models.items import Item
from scoring.queries.vote_tallies import tallies


class RehearsedMatching(AskedQuestions):
    @classmethod
    def record(cls, study: Study) -> dict[str, Any]:
        """How many recorded votes of this study say of a pair what is so."""
        pairings = Pairing.objects.filter(item__study=study, item__task=domain.VALIDATE)
        truth = {row.item_id: row.is_match for row in pairings.select_related("example")}
        items = Item.objects.filter(study=study, task=domain.VALIDATE)
        votes = right = 0
        for (item, _), tally in tallies(items, measures=[domain.YES]).items():
            votes += tally.answers
            right += tally.yes if truth[item] else tally.no
        return recorded_share(right=right, votes=votes)

    @classmethod
    def rows(cls, items: QuerySet[Item]) -> Iterable[Iterable[Model]]:
        yield Pairing.objects.filter(item__in=items)

    @property
    def sources(self) -> Sequence[str]:
        if self.recorded:
            right, votes = self.recorded["right"], self.recorded["votes"]
            return [f"Careful workers are right as often as in this study: in {right} of {votes} votes."]
        return [
            f"Nothing is recorded: careful workers say in {self.assumed.skill} of 100 pairs what is so.",
            "No pair is harder than another.",
        ]

    def texts(self, task: AskTask[Any], asked: Pair, person: SimulatedPerson, chance: Random) -> Texts:
        if person.is_spammer:
            return {MATCH: chance.choice((YES, NO))}
        says_match = bool(asked.is_match) == self.is_right(person, chance)
        return {MATCH: YES if says_match else NO}
