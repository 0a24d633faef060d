"""Obstacles to a launch: the study has described no questions, or no row is asked yet."""

from collections.abc import Iterator
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from crowd.plain.domain import ASK
from crowd.plain.models import Project, Row
from hits.core.errors import RuleBroken
from hits.families.entry_policies import EntryPolicy, PlatformRequirements
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.models.hits import HIT


class RowsPolicy(EntryPolicy):
    def ask(self, batch: Batch) -> PlatformRequirements:
        if batch.task != ASK or batch.study_id is None:
            return PlatformRequirements()
        project = Project.objects.filter(study=batch.study_id).first()
        if project is None:
            words = f"The study “{batch.study}” has no questions of its own yet. Describe them first."
            return PlatformRequirements(obstacles=[words])
        return PlatformRequirements(obstacles=list(_obstacles(project)))

    def refuse_entry(self, *, hit: HIT, worker: Worker, now: datetime) -> None:
        """What one worker may see is decided item by item."""


def _obstacles(project: Project) -> Iterator[str]:
    if not Row.objects.filter(description__project=project, item__isnull=False).exists():
        yield f"Nothing is asked yet. Describe the page of “{project.study}”, and ask about its rows."
