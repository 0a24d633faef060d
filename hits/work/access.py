"""Who sees which rows: a study's members see what belongs to it, some people see everything."""

from typing import Any, TypeVar

from django.db.models import Exists, Model, OuterRef, QuerySet

from hits import models
from hits.studies.models import Study
from hits.work.models.assignments import Assignment

Row = TypeVar("Row", bound=Model)
SEES_ALL = "hits.see_all_studies"
# From a row to its study.
PATHS: dict[type[Model], str] = {
    models.Batch: "study",
    models.Item: "study",
    models.HIT: "batch__study",
    models.Change: "hit__batch__study",
    models.BatchEvent: "batch__study",
    models.LedgerEntry: "study",
    models.Assignment: "hit__batch__study",
    models.Decision: "assignment__hit__batch__study",
    models.Note: "assignment__hit__batch__study",
    models.Bonus: "assignment__hit__batch__study",
    models.Appeal: "assignment__hit__batch__study",
}


def studies_of(user: Any) -> QuerySet[Study]:
    if user.has_perm(SEES_ALL):
        return Study.objects.all()
    return Study.objects.filter(pk__in=Study.members.through.objects.filter(user=user.pk).values("study"))


def visible(rows: QuerySet[Row], user: Any) -> QuerySet[Row]:
    """Those of the rows that this person may see, each once."""
    if user.has_perm(SEES_ALL):
        return rows
    studies = studies_of(user)
    if rows.model is Study:
        return rows.filter(pk__in=studies)
    if rows.model is models.Worker:
        work = Assignment.objects.filter(worker=OuterRef("pk"), hit__batch__study__in=studies)
        return rows.filter(Exists(work))
    return rows.filter(**{f"{PATHS[rows.model]}__in": studies})


def may_see(row: Model, user: Any) -> bool:
    return visible(type(row)._default_manager.filter(pk=row.pk), user).exists()
