"""What the rehearsals of all steps share: the real sweeps, and when an item of a step is final."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Any, ClassVar

from django.db.models import Q, QuerySet

from crowd.rehearsal.asked_questions import AskedQuestions
from crowd.rehearsal.interface import FEWEST_RECORDED
from crowd.winoventi.procedure.services import batch_places, collected_answers, step_items
from hits.studies.models import Batch
from hits.work.models.items import Item
from hits.work.queries.items import items_of_batch

ALL_NEW = "Nobody who comes has taken part in another step of the study."


def recorded_answers(counts: Counter[tuple[Any, ...]]) -> dict[str, Any]:
    """Return recorded answers, each with how often it was given; empty where these are too few."""
    if counts.total() < FEWEST_RECORDED:
        return {}
    return {"answers": [[list(answer), times] for answer, times in sorted(counts.items())]}


class StepRehearsal(AskedQuestions):
    # The items whose row still waits for its answers.
    waits: ClassVar[Q]

    def sweep(self, *, now: datetime) -> None:
        """Take answers, and let rows enter the steps that go on by themselves. No model is asked."""
        collected_answers.take_answers(now=now)
        step_items.advance_steps(now=now)
        batch_places.grow_steps(now=now)

    def unfinished(self, batch: Batch) -> QuerySet[Item]:
        return items_of_batch(batch).filter(self.waits, pulled_at=None)

    def draw(self, chance: Random) -> Any:
        """Draw one of the recorded answers, each as often as it was given."""
        answers: Sequence[Sequence[Any]] = self.recorded["answers"]
        ((answer, _),) = chance.choices(answers, weights=[times for _, times in answers])
        return answer

    @property
    def times_recorded(self) -> int:
        return sum(times for _, times in self.recorded.get("answers", ()))
