"""How many items give an interval of a wanted width, and what they would cost: asked before a launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits.admin.batches import batch_pages
from hits.admin.batches.batch_pages import BatchPage
from hits.admin.page_parts import read_number
from hits.admin.stat_tables import file_paths, send_table
from hits.admin.studies.study_pages import StudyPage, Tab, announce
from hits.families import TaskType
from hits.studies.models import Batch, Study
from hits.work.access import studies_of
from scoring.admin.needed_items_form import IntervalForm
from scoring.admin.needed_items_tables import NeededItems, needed_tables
from scoring.admin.needed_items_words import draft_in_words, rests_on
from scoring.admin.planned_costs import asked_items, count_settled
from scoring.models import StudyRival
from scoring.queries.planned_figures import Kind, Pilot, PlannedFigure, figures_of, pilots_of, planned_tasks

# Whoever may see the batches of a study may plan; what its answers say is for those who may see these.
VIEW, SEE_WORK = "hits.view_batch", "hits.view_assignment"
NAME = "How many items?"


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """What a page is about. `pilots`: what is known of the figure, by question."""

    study: Study
    tasks: Sequence[TaskType]
    task: TaskType
    drafts: Sequence[Batch]
    draft: Batch | None
    figures: Sequence[PlannedFigure]
    figure: PlannedFigure
    pilots: Mapping[str, Pilot]
    question: str

    @property
    def pilot(self) -> Pilot | None:
        return self.pilots.get(self.question)

    @property
    def asked(self) -> dict[str, Any]:
        draft, question = self.draft and self.draft.pk, self.question
        return {"task": self.task.key, "batch": draft or "", "figure": self.figure.key, "question": question}

    @property
    def lacks_pilot(self) -> bool:
        return self.figure.kind == Kind.ALPHA and self.pilot is None


def address_of(study: Study) -> str:
    return reverse("admin:scoring_needed_items", args=[study.pk])


announce(
    StudyPage(
        name=NAME,
        tab=Tab.WORK,
        permission=VIEW,
        address=address_of,
        about="How many items the interval of a figure takes to be as narrow as you want it, and their cost.",
    )
)
batch_pages.announce(
    BatchPage(
        name=NAME,
        permissions=(VIEW,),
        address=lambda batch: f"{address_of(batch.study)}?batch={batch.pk}",
        is_for=lambda batch: batch.status == Batch.Status.DRAFT,
    )
)


def urls(rivals: admin.ModelAdmin[StudyRival]) -> list[URLPattern]:
    shown = rivals.admin_site.admin_view
    return [
        path("<int:study_id>/how-many/", shown(page_view), name="scoring_needed_items"),
        *file_paths("<int:study_id>/how-many/", shown(file_view), name="scoring_needed_items"),
    ]


def page_view(request: HttpRequest, study_id: int) -> HttpResponse:
    study = _find(request, study_id)
    chosen = _chosen(request, study)
    context = {
        **admin.site.each_context(request),
        "opts": StudyRival._meta,
        "title": f"{NAME} {study}",
        "name": NAME,
        "study": study,
        "chosen": chosen,
        **(_answer(request, chosen) if chosen else {}),
    }
    is_wrong = "form" in context and not context["form"].is_valid()
    return TemplateResponse(
        request, "admin/scoring/needed_items.html", context, status=400 if is_wrong else 200
    )


def file_view(request: HttpRequest, study_id: int, name: str, form: str) -> HttpResponseBase:
    study = _find(request, study_id)
    chosen = _chosen(request, study)
    found = _answer(request, chosen) if chosen else {}
    return send_table(found.get("tables", ()), name, form=form, study=study)


def _find(request: HttpRequest, study_id: int) -> Study:
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    return get_object_or_404(studies_of(request.user), pk=study_id)


def _chosen(request: HttpRequest, study: Study) -> Chosen | None:
    """Find what is asked for among what there is. A value that cannot be read chooses what comes first."""
    tasks = planned_tasks(study)
    if not tasks:
        return None
    drafts = list(_drafts(study))
    number = read_number(request.GET.get("batch", ""))
    draft = next((one for one in drafts if one.pk == number), None)
    key = request.GET.get("task") or (draft.task if draft else "")
    task = next((one for one in tasks if one.key == key), tasks[0])
    figures = figures_of(task)
    figure = next((one for one in figures if one.key == request.GET.get("figure")), figures[0])
    pilots = _pilots(request, figure, task, study)
    question = request.GET.get("question", "")
    return Chosen(
        study=study,
        tasks=tasks,
        task=task,
        drafts=[one for one in drafts if one.task == task.key],
        draft=draft if draft and draft.task == task.key else None,
        figures=figures,
        figure=figure,
        pilots=pilots,
        question=question if question in pilots else next(iter(pilots), ""),
    )


def _drafts(study: Study) -> Any:
    rows = Batch.objects.filter(study=study, status=Batch.Status.DRAFT)
    return rows.select_related("study", "account").order_by("-pk")


def _pilots(request: HttpRequest, figure: PlannedFigure, task: TaskType, study: Study) -> Mapping[str, Pilot]:
    if not request.user.has_perm(SEE_WORK):
        return {}
    return pilots_of(figure, task=task, study=study, now=timezone.now())


def _answer(request: HttpRequest, chosen: Chosen) -> dict[str, Any]:
    """Return the form, and what it comes to if it can be read; without a pilot, alpha has neither."""
    is_hidden = not request.user.has_perm(SEE_WORK)
    words = rests_on(chosen.figure, chosen.pilot, question=chosen.question, is_hidden=is_hidden)
    if chosen.lacks_pilot:
        return {"is_hidden": is_hidden}
    settled = count_settled(chosen.draft) if chosen.draft else 0
    form = IntervalForm(request.GET.dict(), figure=chosen.figure, pilot=chosen.pilot, settled=settled)
    if not form.is_valid():
        return {"form": form}
    needed = NeededItems(
        reach=form.cleaned_data["reach"],
        width_of=form.width_of,
        asked=asked_items(chosen.draft) if chosen.draft else None,
        settled=settled if form.cleaned_data.get("settled") else 0,
    )
    return {
        "form": form,
        "needed": needed,
        "confidence": form.cleaned_data["confidence"],
        "tables": needed_tables(needed),
        "query": urlencode({**chosen.asked, **_sent(form)}),
        "words": [*words, *draft_in_words(needed)],
    }


def _sent(form: IntervalForm) -> dict[str, Any]:
    return {
        name: "on" if value is True else value
        for name, value in form.cleaned_data.items()
        if value is not False
    }
