"""The limit on how much of one step one worker may do."""

from datetime import datetime

from django.utils.translation import gettext as _

from crowd.winoventi import domain
from crowd.winoventi.models import Project, Step
from crowd.winoventi.queries.pair_people import answers_of
from hits.core.errors import RuleBroken
from hits.families.entry_policies import EntryPolicy, PlatformRequirements
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.models.hits import HIT


class LimitPolicy(EntryPolicy):
    """A limit on one worker's answers to one step: nobody makes most of the data alone."""

    def ask(self, batch: Batch) -> PlatformRequirements:
        if batch.task not in domain.TASKS or Project.objects.filter(study=batch.study).exists():
            return PlatformRequirements()
        words = f"The study “{batch.study}” has no exception procedure yet. Set one up first."
        return PlatformRequirements(obstacles=[words])

    def refuse_entry(self, *, hit: HIT, worker: Worker, now: datetime) -> None:
        """Raise RuleBroken if the page would bring the worker above the limit."""
        batch = hit.batch
        kind = next((kind for kind, task in Step.TASKS.items() if task == batch.task), None)
        if kind is None:
            return
        steps = Step.objects.filter(project__study=batch.study_id, kind=kind)
        most = steps.values_list("most_per_worker", flat=True).first()
        if most is None:
            return
        done = answers_of(worker_id=worker.pk, study_id=batch.study_id, task=batch.task)
        if done + batch.items_per_assignment > most:
            raise RuleBroken(
                "enough",
                _(
                    "You have done as much of this task as one person may, so that many people's ideas come "
                    "in. Thank you. Please return this work; nothing else changes."
                ),
            )
