"""From a step to the guide: a draft with the right task and price, and then its terms and its launch."""

from functools import partial
from typing import Any
from uuid import uuid4

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path

from crowd.winoventi.admin.finding import DRAFT, KEEP, find_project, render
from crowd.winoventi.admin.step_forms import DraftForm
from crowd.winoventi.models import Project, Step
from hits import families
from hits.admin.selecting import signed_in
from hits.domain.words import read_uuid
from hits.errors import RuleBroken
from hits.models import Batch, Item
from hits.services import drafting

Projects = admin.ModelAdmin[Project]


def urls(projects: Projects) -> list[URLPattern]:
    view = projects.admin_site.admin_view(partial(draft_view, projects))
    return [path("<int:pk>/<slug:kind>/draft/", view, name="winoventi_draft")]


def draft_view(projects: Projects, request: HttpRequest, pk: int, kind: str) -> HttpResponse:
    project = find_project(request, pk, KEEP, DRAFT)
    step = get_object_or_404(project.steps.select_related("batch"), kind=kind)
    if not step.task:
        raise Http404
    form = DraftForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            draft = drafting.start_draft(
                study=project.study,
                task=step.task,
                by=signed_in(request),
                key=read_uuid(request.POST.get("key", "")),
                **form.cleaned_data,
            )
        except RuleBroken as refusal:
            form.add_error(None, str(refusal))
        else:
            _take_for(step, draft)
            messages.success(request, "The draft is made. Look at its terms and its people, then launch it.")
            return redirect("admin:hits_batch_step", draft.pk, "terms")
    items: Any = Item.objects.filter(study=project.study_id, task=step.task, wanted__gt=0, pulled_at=None)
    context = {
        "title": f"Launch: {step.get_kind_display()}",
        "project": project,
        "step": step,
        "family": families.get(step.task),
        "asked": items.count(),
        "form": form,
        "key": request.POST.get("key") or str(uuid4()),
    }
    return render(projects, request, "draft", context)


def _take_for(step: Step, draft: Batch) -> None:
    """The step's own batch from now on, unless one of it is running."""
    if step.batch is None or step.batch.status in (Batch.Status.DRAFT, Batch.Status.CANCELLED):
        Step.objects.filter(pk=step.pk).update(batch=draft, problem="")
