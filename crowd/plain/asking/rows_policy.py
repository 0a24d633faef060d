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
from hits.work.queries.participants import roles_by_study

ONLY_WORKERS = gettext_noop(
    "These questions are for people whose work in this study counts already, as: %(roles)s. Please return "
    "this work; nothing else changes."
)


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
        """Raise RuleBroken if only people of some roles are asked, and the worker has had none of these."""
        study_id = hit.batch.study_id
        if hit.batch.task != ASK or study_id is None:
            return
        rows = Row.objects.filter(description__project__study=study_id, item__pulled_at=None)
        roles = set(rows.filter(item__isnull=False).values_list("role", flat=True).distinct())
        if not roles or "" in roles:
            return
        if not roles & set(roles_by_study(worker.pk, studies=[study_id]).get(study_id, ())):
            raise RuleBroken("other_role", _(ONLY_WORKERS) % {"roles": ", ".join(sorted(roles))})


def _obstacles(project: Project) -> Iterator[str]:
    if not Row.objects.filter(description__project=project, item__isnull=False).exists():
        yield f"Nothing is asked yet. Describe the page of “{project.study}”, and ask about its rows."
