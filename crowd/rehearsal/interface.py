"""What a family says about itself for rehearsals: its rows, its sweeps, and how simulated people answer."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any

from django.db.models import Model, QuerySet

from crowd.rehearsal.domain.assumptions import Assumptions
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from hits.families import Answer
from hits.identity.models.users import User
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

# Fewer recorded answers say too little about how well people answer.
FEWEST_RECORDED = 30


def expected_item_s(batch: Batch) -> float:
    """Seconds that the batch expects one item to take."""
    return batch.estimated_s / batch.items_per_assignment


class FamilyRehearsal(ABC):
    """How a family's work is rehearsed. It is made once for each rehearsal, with what was recorded."""

    def __init__(self, *, assumed: Assumptions, recorded: Mapping[str, Any]) -> None:
        self.assumed = assumed
        self.recorded = recorded

    @classmethod
    def record(cls, study: Study) -> dict[str, Any]:  # noqa: ARG003 - families read it
        """Figures of recorded work from which answers are drawn; empty where there is none."""
        return {}

    @classmethod
    @abstractmethod
    def rows(cls, items: QuerySet[Item]) -> Iterable[Iterable[Model]]:
        """Yield the family's own rows that play needs. What they point at is copied along."""

    @property
    @abstractmethod
    def sources(self) -> Sequence[str]:
        """Say in sentences where the simulated answers come from."""

    @abstractmethod
    def answer(
        self,
        *,
        assignment: Assignment,
        items: Sequence[Item],
        person: SimulatedPerson,
        chance: Random,
        now: datetime,
    ) -> Answer:
        """Return what this person's page would send."""

    def follow_up(self, batch: Batch) -> Batch | None:
        """Return the batch that works on what the people of this one make, if one is played along."""
        return None

    def begin(self, *, batch: Batch, by: User) -> None:
        """Ready what follows a batch that was just launched, on behalf of its launcher. Runs in each run."""
        return

    @abstractmethod
    def sweep(self, *, now: datetime) -> None:
        """Run the family's own sweeps once."""

    @abstractmethod
    def unfinished(self, batch: Batch) -> QuerySet[Item]:
        """Items of a batch that are not final, and those made of its work."""

    def lack_of(self, item: Item) -> str:
        """Say what an unfinished item lacks where only the family knows; empty elsewhere."""
        return ""

    def figures(self, batch: Batch) -> Mapping[str, float]:
        """Return what came of a run, in figures that only the family knows, by their names in the report."""
        return {}

    def change_design(self, batch: Batch) -> str:
        """Change the copy to another design, which is played beside this one, and name it if there is one."""
        return ""

    def say_difference(self, own: Mapping[str, float], other: Mapping[str, float]) -> str:
        """Say in a sentence what this design gains over the other one, by the means of such figures."""
        return ""
