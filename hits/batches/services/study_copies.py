"""A study made like another: its rules and settings, without its people, work, money and data."""

from collections.abc import Collection, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol, TypeVar

import structlog
from django.db import transaction
from django.db.models import Max, Model, QuerySet

from hits import families
from hits.batches.services.budgets import grant_budget
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Batch, StartingTerms, Study

Row = TypeVar("Row", bound=Model)
SETTINGS = (
    "lab", "language", "time_zone", "currency", "bonus_rules", "wage_floor", "rejections_a_day",
    "large_bonus", "many_bonuses", "large_run", "own_people",
)  # fmt: skip
# The terms of a batch, by the names that a study's starting terms have for them.
TERMS = {
    "reward": "reward",
    "workers_per_hit": "assignments_per_hit",
    "items_each": "items_per_assignment",
    "duration_s": "duration_s",
    "requirements": "requirements",
    "english_speakers": "english_speakers",
}
log = structlog.get_logger()


class CopyPart(Protocol):
    """What a room copies of a study. It is called in the transaction that makes the new one."""

    def __call__(self, *, source: Study, study: Study, by: User, now: datetime) -> None: ...


_parts: list[CopyPart] = []


def register(part: CopyPart) -> None:
    """Register what a room copies of a study. Called from its AppConfig.ready."""
    _parts.append(part)


def copy_study(
    *, source: Study, name: str, budget: Decimal, same_people: bool, by: User, now: datetime
) -> Study:
    """Make a study with the settings of another: all of them, or none. It costs nothing and asks nobody.

    Raises RuleBroken if the name is taken.
    """
    with transaction.atomic():
        if Study.objects.filter(name=name).exists():
            raise RuleBroken("name_taken", f"There is a study called “{name}” already. Choose another name.")
        settings = {key: getattr(source, key) for key in SETTINGS}
        study = Study.objects.create(name=name, budget=budget, **settings)
        study.members.set({by, *(source.members.all() if same_people else ())})
        grant_budget(study=study, by=by, now=now)
        StartingTerms.objects.bulk_create(_starting_terms(source, study))
        for part in _parts:
            part(source=source, study=study, by=by, now=now)
        words = f"Made with the settings of “{source}”."
        audit_trail.note("study.copied", words, by=by, now=now, study=study)
    log.info("study.copied", study=str(study.public_id), source=str(source.public_id))
    return study


def copy_settings(
    model: type[Row], *, source: Study, study: Study, by: User, now: datetime, without: Collection[str] = ()
) -> None:
    """Copy a study's rows of this model, but for the fields that are named. A part as it stands."""
    copy_rows(model, source=source, study=study, without=without)


def copy_rows(
    model: type[Row], *, source: Study, study: Study, without: Collection[str] = (), **changes: Any
) -> list[Row]:
    """Copy a study's rows of this model and return the new ones, without the fields named and unique ones."""
    left_out = {"study", *without}
    names = [
        field.name for field in model._meta.concrete_fields if not field.unique and field.name not in left_out
    ]
    return [
        model._default_manager.create(study=study, **{name: getattr(row, name) for name in names}, **changes)
        for row in model._default_manager.filter(study=source).order_by("pk")
    ]


def _starting_terms(source: Study, study: Study) -> Iterator[StartingTerms]:
    """Yield terms for new drafts: those of each task's newest launched batch, else the study's own."""
    own = {row.task: row for row in StartingTerms.objects.filter(study=source)}
    newest = {batch.task: batch for batch in _newest_of_each_task(source) if families.is_offered(batch.task)}
    for task in sorted({*own, *newest}):
        yield StartingTerms(study=study, task=task, **_terms_of(newest.get(task), own.get(task)))


def _newest_of_each_task(study: Study) -> QuerySet[Batch]:
    launched = Batch.objects.filter(study=study, launched_at__isnull=False).order_by()
    return Batch.objects.filter(pk__in=launched.values("task").annotate(newest=Max("pk")).values("newest"))


def _terms_of(batch: Batch | None, own: StartingTerms | None) -> dict[str, Any]:
    if batch is not None:
        return {name: getattr(batch, of_batch) for name, of_batch in TERMS.items()}
    return {name: getattr(own, name) for name in TERMS}
