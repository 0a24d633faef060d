"""Rehearsals of tasks with the same entries for each item, whose answers are final once enough are there."""

from abc import abstractmethod
from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from crowd.questions.family import AskTask
from crowd.questions.page_entries import Texts
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from crowd.rehearsal.interface import FEWEST_RECORDED, FamilyRehearsal
from hits.families import Answer, registered
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.queries.items import items_of_batch


def recorded_share(*, right: int, votes: int) -> dict[str, int]:
    """Return how often recorded answers are right; empty where they are too few to draw from."""
    return {"votes": votes, "right": right} if votes >= FEWEST_RECORDED else {}


class AskedQuestions(FamilyRehearsal):
    def answer(
        self,
        *,
        assignment: Assignment,
        items: Sequence[Item],
        person: SimulatedPerson,
        chance: Random,
        now: datetime,
    ) -> Answer:
        task = registered()[assignment.hit.batch.task]
        if not isinstance(task, AskTask):
            raise TypeError(f"{task.key} is no task of questions.")
        asked = task.asked_by(items)
        return {str(item.public_id): self.texts(task, asked[item.pk], person, chance) for item in items}

    @abstractmethod
    def texts(self, task: AskTask[Any], asked: Any, person: SimulatedPerson, chance: Random) -> Texts:
        """Return what this person enters about one item."""

    def sweep(self, *, now: datetime) -> None:
        """Nothing follows from these answers but their scores."""

    def unfinished(self, batch: Batch) -> QuerySet[Item]:
        being_answered = Lease.objects.filter(item=OuterRef("pk"), status=Lease.Status.LEASED)
        return items_of_batch(batch).filter(Q(wanted__gt=0) | Exists(being_answered), pulled_at=None)

    def is_right(self, person: SimulatedPerson, chance: Random) -> bool:
        """Draw whether a careful person is right: as often as in recorded work, else as often as assumed."""
        share = self.recorded["right"] / self.recorded["votes"] if self.recorded else person.skill
        return chance.random() < share
