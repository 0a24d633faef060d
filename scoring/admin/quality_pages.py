"""The quality of a study's answers: how far people agree, and whose work to look at first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits import families
from hits.admin.page_parts import read_number
from hits.admin.stat_tables import file_paths, send_table
from hits.admin.studies.study_pages import StudyPage, Tab, announce
from hits.core.slow_counts import Counted, count_slowly
from hits.families import TaskType
from hits.review.queries.review_queue import State
from hits.studies.models import Batch, Study
from hits.work.access import studies_of
from scoring.admin.quality_tables import ranking_rows, tables_of
from scoring.models import StudyRival
from scoring.queries.compared_tasks import compared_tasks

if TYPE_CHECKING:
    from scoring.quality.quality_report import QualityReport

VIEW, REVIEW = "hits.view_assignment", "hits.review_assignment"
# Workers that the page shows, and one form may hand to review; the files have all.
MOST_WORKERS = 100


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """What a page is about: a task of the study, and one of its batches or all."""

    study: Study
    tasks: Sequence[TaskType]
    task: TaskType | None
    batches: Sequence[Batch]
    batch: Batch | None

    @property
    def query(self) -> str:
        asked = {"task": self.task.key if self.task else "", "batch": self.batch.pk if self.batch else ""}
        return urlencode({name: value for name, value in asked.items() if value})


@dataclass(frozen=True, kw_only=True)
class Report:
    """The figures, with keys of workers by pseudonym, and of a work for each item that the page shows."""

    figures: QualityReport
    worker_ids: Mapping[str, int]
    work_ids: Mapping[str, int]
    # How many answers were read, if there are older ones.
    newest: int | None


announce(
    StudyPage(
        name="Quality of the answers",
        tab=Tab.REVIEW,
        permission=VIEW,
        address=lambda study: reverse("admin:scoring_quality", args=[study.pk]),
        about="How far people agree, which items are open, and whose work to look at first, and why.",
    )
)


def urls(rivals: admin.ModelAdmin[StudyRival]) -> list[URLPattern]:
    shown = rivals.admin_site.admin_view
    return [
        path("<int:study_id>/quality/", shown(quality_view), name="scoring_quality"),
        *file_paths("<int:study_id>/quality/", shown(file_view), name="scoring_quality"),
    ]


def quality_view(request: HttpRequest, study_id: int) -> HttpResponse:
    chosen = _chosen(request, study_id)
    counted = _report(chosen, now=timezone.now())
    context = {
        **admin.site.each_context(request),
        "opts": StudyRival._meta,
        "title": f"Quality of the answers: {chosen.study}",
        "study": chosen.study,
        "chosen": chosen,
        "query": chosen.query,
        "may_review": request.user.has_perm(REVIEW),
        "states": State.choices,
        "attention_page": _attention_page(chosen),
        **(_shown(counted) if counted else {}),
    }
    return TemplateResponse(request, "admin/scoring/quality.html", context)


def file_view(request: HttpRequest, study_id: int, name: str, form: str) -> HttpResponseBase:
    chosen = _chosen(request, study_id)
    counted = _report(chosen, now=timezone.now())
    tables = tables_of(counted.figures.figures, {}).values() if counted else ()
    return send_table(tables, name, form=form, study=chosen.study)


def _shown(counted: Counted[Report]) -> dict[str, Any]:
    report = counted.figures
    workers = report.figures.evidence.workers
    return {
        "counted": counted,
        "tables": tables_of(report.figures, report.work_ids),
        "ranking": ranking_rows(workers[:MOST_WORKERS], report.worker_ids),
        "count": len(workers),
        "newest": f"{report.newest:,}" if report.newest else "",
        "standing": sum(one.stands_out for one in workers),
        "has_attention": any(one.attention for one in workers),
    }


def _attention_page(chosen: Chosen) -> str:
    task = chosen.task
    if task is None or not families.mixes_attention(task.key):
        return ""
    return reverse("admin:scoring_attention", args=[chosen.study.pk, task.key])


def _chosen(request: HttpRequest, study_id: int) -> Chosen:
    """Find what is asked for among what there is. A value that cannot be read chooses what comes first."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    study = get_object_or_404(studies_of(request.user), pk=study_id)
    tasks = compared_tasks(study)
    asked = request.GET.get("task", "")
    task = next((one for one in tasks if one.key == asked), tasks[0] if tasks else None)
    batches = list(_batches(study, task).order_by("-pk")) if task else []
    number = read_number(request.GET.get("batch", ""))
    batch = next((one for one in batches if one.pk == number), None)
    return Chosen(study=study, tasks=tasks, task=task, batches=batches, batch=batch)


def _batches(study: Study, task: TaskType) -> QuerySet[Batch]:
    return Batch.objects.filter(study=study, task=task.key).exclude(launched_at=None)


def _report(chosen: Chosen, *, now: datetime) -> Counted[Report] | None:
    """Return the report, remembered for a while if it took long; None where there is nothing to compare."""
    task = chosen.task
    if task is None:
        return None
    batches = _batches(chosen.study, task)
    if chosen.batch:
        batches = batches.filter(pk=chosen.batch.pk)

    of = f"{chosen.study.pk}:{task.key}:{chosen.batch.pk if chosen.batch else 'all'}"
    return count_slowly(f"quality:{of}", partial(_make, task, batches), now=now)


def _make(task: TaskType, batches: QuerySet[Batch]) -> Report:
    # numpy is slow to load, and most processes never show this page.
    from scoring.quality.quality_report import report_of  # noqa: PLC0415
    from scoring.queries.judged_answers import judged_crowd  # noqa: PLC0415

    crowd = judged_crowd(task, batches)
    return Report(
        figures=report_of(crowd.questions, attention=crowd.attention),
        worker_ids=crowd.worker_ids,
        work_ids=crowd.work_ids,
        newest=crowd.newest,
    )
