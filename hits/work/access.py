"""Visibility of rows: a study's members see what belongs to it, some people see everything.

A model says by `study_path` how its rows lead to their study.
"""

from typing import Any, TypeVar

from django.db.models import Exists, Model, OuterRef, QuerySet

from hits.identity.models.workers import Worker
from hits.studies.models import Study
from hits.work.models.assignments import Assignment

Row = TypeVar("Row", bound=Model)
SEES_ALL = "hits.see_all_studies"


def studies_of(user: Any) -> QuerySet[Study]:
    if user.has_perm(SEES_ALL):
        return Study.objects.all()
    return Study.objects.filter(pk__in=Study.members.through.objects.filter(user=user.pk).values("study"))


def visible(rows: QuerySet[Row], user: Any) -> QuerySet[Row]:
    """Return the rows that the user may see, each once."""
    if user.has_perm(SEES_ALL):
        return rows
    studies = studies_of(user)
    if rows.model is Study:
        return rows.filter(pk__in=studies)
    if rows.model is Worker:
        work = Assignment.objects.filter(worker=OuterRef("pk"), hit__batch__study__in=studies)
        return rows.filter(Exists(work))
    return rows.filter(**{f"{_path_of(rows.model)}__in": studies})


def may_see(row: Model, user: Any) -> bool:
    return visible(type(row)._default_manager.filter(pk=row.pk), user).exists()


def _path_of(model: type[Model]) -> str:
    path: str = model.study_path  # type: ignore[attr-defined]
    return path
