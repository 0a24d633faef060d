"""The association game as simulated people play it: solving, by recorded work or by a stated noise."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any
from uuid import UUID

from django.db.models import Model, QuerySet

from crowd.rehearsal.domain.assumptions import Assumptions
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from crowd.rehearsal.interface import FEWEST_RECORDED, FamilyRehearsal
from crowd.winogavil.models import Association, Game, Place, Solution
from crowd.winogavil.rehearsed_words import right_of
from crowd.winogavil.services import final_associations
from crowd.winogavil.solver_task import SolveTask
from hits.families import Answer
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.queries.items import items_of_batch

# Pictures that belong to the cue, and those that do not.
Puzzle = tuple[Sequence[str], Sequence[str]]


class RehearsedGame(FamilyRehearsal):
    def __init__(self, *, assumed: Assumptions, recorded: Mapping[str, Any]) -> None:
        super().__init__(assumed=assumed, recorded=recorded)
        self._puzzles: dict[UUID, Puzzle] = {}

    @classmethod
    def record(cls, study: Study) -> dict[str, Any]:
        """How often recorded solutions reached each Jaccard index, in this study's own work."""
        rows = Solution.objects.filter(association__item__study=study)
        counts = Counter(rows.values_list("numerator", "denominator"))
        if counts.total() < FEWEST_RECORDED:
            return {}
        return {"shares": [[n, d, times] for (n, d), times in sorted(counts.items())]}

    @classmethod
    def rows(cls, items: QuerySet[Item]) -> Iterable[Iterable[Model]]:
        associations = Association.objects.filter(item__in=items, final_at=None)
        yield associations
        yield Place.objects.filter(association__in=associations)
        yield Game.objects.filter(study__in=items.values("study"))

    @property
    def sources(self) -> Sequence[str]:
        if shares := self.recorded.get("shares"):
            total = sum(times for *_, times in shares)
            return [f"Careful workers solve as {total} recorded solutions of this study were solved."]
        return [
            f"Nothing is recorded: careful workers find each picture in {self.assumed.skill} of 100 tries."
        ]

    def answer(
        self,
        *,
        assignment: Assignment,
        items: Sequence[Item],
        person: SimulatedPerson,
        chance: Random,
        now: datetime,
    ) -> Answer:
        self._read_puzzles([item for item in items if item.public_id not in self._puzzles])
        return {str(item.public_id): self._solve(item, person, chance) for item in items}

    def sweep(self, *, now: datetime) -> None:
        final_associations.finalize_associations(now=now)

    def unfinished(self, batch: Batch) -> QuerySet[Item]:
        return items_of_batch(batch).filter(pulled_at=None, association__final_at=None, answers_needed__gt=0)

    def _read_puzzles(self, items: Sequence[Item]) -> None:
        """Read what items ask, each once in a rehearsal: nothing of it changes."""
        for association in SolveTask().associations(items) if items else ():
            keys = sorted(place.picture.key for place in association.places.all() if place.picture)
            right = sorted(association.chosen_keys)
            wrong = [key for key in keys if key not in right]
            self._puzzles[association.item.public_id] = right, wrong

    def _solve(self, item: Item, person: SimulatedPerson, chance: Random) -> list[str]:
        right, wrong = self._puzzles[item.public_id]
        if person.is_spammer:
            return sorted(chance.sample(sorted([*right, *wrong]), len(right)))
        found = self._found(item, len(right), person, chance)
        found = min(len(right), max(len(right) - len(wrong), found))
        return sorted([*chance.sample(right, found), *chance.sample(wrong, len(right) - found)])

    def _found(self, item: Item, k: int, person: SimulatedPerson, chance: Random) -> int:
        """How many of the k pictures of this item the person finds."""
        shares: Sequence[Sequence[int]] = self.recorded.get("shares", ())
        if not shares:
            return sum(chance.random() < person.skill for _ in range(k))
        (numerator, denominator, _), *_rest = chance.choices(shares, weights=[one[2] for one in shares])
        return right_of(k, numerator=numerator, denominator=denominator)
