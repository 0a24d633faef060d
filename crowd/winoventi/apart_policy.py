"""The rule that different people do different steps."""

from datetime import datetime

from django.utils.translation import gettext as _

from crowd.winoventi.domain import TASKS
from crowd.winoventi.domain.people_apart import tasks_apart
from crowd.winoventi.models import Project
from crowd.winoventi.queries.step_people import work_apart
from hits.core.errors import RuleBroken
from hits.families.entry_policies import EntryPolicy, PlatformRequirements
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.models.hits import HIT


class ApartPolicy(EntryPolicy):
    """A worker of one step of a study is not let into another one that the project keeps apart from it.

    The worker's row is locked at every entry, so of two steps opened at once in two tabs one is refused.
    """

    def ask(self, batch: Batch) -> PlatformRequirements:
        """Warn of the people who would accept a HIT in vain: the provider does not know this rule."""
        apart = _tasks_apart(batch)
        people = work_apart(batch.study_id, apart).values("worker").distinct().count() if apart else 0
        counted = "1 person has" if people == 1 else f"{people} people have"
        words = (
            f"{counted} done other steps of this study. Whoever has done so sees this work in the list, but "
            "is turned away by our page: the exception procedure keeps its steps to different people."
        )
        return PlatformRequirements(warnings=[words] if people else [])

    def refuse_entry(self, *, hit: HIT, worker: Worker, now: datetime) -> None:
        apart = _tasks_apart(hit.batch)
        if apart and work_apart(hit.batch.study_id, apart).filter(worker=worker).exists():
            raise RuleBroken(
                "other_step",
                _(
                    "You took part in another step of this study, and this one needs people who did not. "
                    "Thank you for that work; it counts as before. Please return this work."
                ),
            )


def _tasks_apart(batch: Batch) -> frozenset[str]:
    if batch.task not in TASKS:
        return frozenset()
    rule = Project.objects.filter(study=batch.study_id).values_list("people", flat=True).first()
    return tasks_apart(batch.task, rule=rule) if rule else frozenset()
