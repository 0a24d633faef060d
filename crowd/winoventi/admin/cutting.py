"""The perplexity curves of step 1, and where they are cut."""

from functools import partial

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path

from crowd.winoventi.admin.charts import table_of
from crowd.winoventi.admin.finding import KEEP, find_project, render
from crowd.winoventi.admin.step_forms import CutForm
from crowd.winoventi.models import Generic, Project
from crowd.winoventi.queries.models import curves_of
from crowd.winoventi.services.reading import cut_generics
from crowd.winoventi.services.ruling import change_rules

Projects = admin.ModelAdmin[Project]
OPEN = (Generic.State.FOUND, Generic.State.CUT, Generic.State.STOPPED)


def urls(projects: Projects) -> list[URLPattern]:
    view = projects.admin_site.admin_view(partial(cut_view, projects))
    return [path("<int:pk>/cut/", view, name="winoventi_cut")]


def cut_view(projects: Projects, request: HttpRequest, pk: int) -> HttpResponse:
    project = find_project(request, pk)
    may_cut = request.user.has_perm(KEEP)
    if request.method == "POST":
        find_project(request, pk, KEEP)
    form = CutForm(request.POST or None, project=project)
    if request.method == "POST" and form.is_valid():
        changed = change_rules(project=project, **form.values())
        cut_generics(changed)
        projects.log_change(request, project, "The generics were cut.")
        cut = project.generics.filter(state=Generic.State.CUT).count()
        messages.success(request, f"Cut: {cut} generics stay behind, with the reason beside each.")
        return redirect("admin:winoventi_cut", project.pk)
    context = {
        "title": "Where the generics are cut",
        "project": project,
        "form": form,
        "may_cut": may_cut,
        "table": table_of(curves_of(project)),
        "open": project.generics.filter(state__in=OPEN).count(),
    }
    return render(projects, request, "cut", context)
