"""The page that shows the perplexity curves of step 1 and sets where they are cut."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern

from crowd.winoventi.admin.step_forms import CutForm
from crowd.winoventi.associations.admin.perplexity_charts import table_of
from crowd.winoventi.associations.queries.perplexity_curves import curves_of
from crowd.winoventi.associations.services.model_readings import cut_generics
from crowd.winoventi.models import Generic
from crowd.winoventi.procedure.services.project_rules import change_rules
from hits.admin.projects.project_page import ProjectPages

Pages = ProjectPages[Any]
OPEN = (Generic.State.FOUND, Generic.State.CUT, Generic.State.STOPPED)


def urls(pages: Pages) -> list[URLPattern]:
    return [pages.at("<int:pk>/cut/", cut_view, "cut")]


def cut_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    keep = pages.permission("change")
    project = pages.find(request, pk, *([keep] if request.method == "POST" else []))
    form = CutForm(request.POST or None, project=project)
    if request.method == "POST" and form.is_valid():
        changed = change_rules(project=project, **form.values())
        cut_generics(changed)
        pages.log_change(request, project, "The generics were cut.")
        cut = project.generics.filter(state=Generic.State.CUT).count()
        messages.success(request, f"Cut: {cut} generics stay behind, with the reason beside each.")
        return redirect(pages.address(project, "cut"))
    context = {
        "title": "Where the generics are cut",
        "form": form,
        "may_cut": request.user.has_perm(keep),
        "table": table_of(curves_of(project)),
        "open": project.generics.filter(state__in=OPEN).count(),
    }
    return pages.render(request, "admin/winoventi/cut.html", context, project=project)
