"""The figures of a project as a page with charts, and each table as CSV."""

from datetime import datetime
from functools import partial

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.winoventi.admin.charts import table_of
from crowd.winoventi.admin.figures import tables_of
from crowd.winoventi.admin.finding import ASK_MODEL, DROP_MODEL, TAKE, find_project, render
from crowd.winoventi.models import Evaluation, Inquiry, Project
from crowd.winoventi.queries.models import curves_of
from hits.admin.stat_tables import send_table
from hits.datasets.tables import StatTable
from hits.models import Study
from hits.project_exports import project_in

Projects = admin.ModelAdmin[Project]


def urls(projects: Projects) -> list[URLPattern]:
    shown, file = projects.admin_site.admin_view, partial(file_view, projects)
    return [
        path("<int:pk>/statistics/", shown(partial(page_view, projects)), name="winoventi_statistics"),
        path("<int:pk>/statistics/<slug:name>.csv", shown(file), name="winoventi_table"),
        path(
            "<int:pk>/statistics/<slug:name>.json",
            shown(partial(file, form="json")),
            name="winoventi_table_json",
        ),
    ]


def page_view(projects: Projects, request: HttpRequest, pk: int) -> HttpResponse:
    project = find_project(request, pk)
    own = [project.generics_model_id, project.perplexity_model_id, project.filter_model_id]
    others = Inquiry.objects.filter(project=project, is_open=True).exclude(rival__in=filter(None, own))
    context = {
        "title": f"Statistics of {project.study}",
        "project": project,
        "tables": tables_of(project),
        "counted_at": timezone.now(),
        "evaluations": Evaluation.objects.filter(project=project).select_related("rival", "added_by"),
        "inquiries": others.select_related("rival"),
        "may_ask": request.user.has_perm(ASK_MODEL),
        "may_drop": request.user.has_perm(DROP_MODEL),
        "may_take": request.user.has_perm(TAKE),
    }
    return render(projects, request, "statistics", context)


def file_view(
    projects: Projects, request: HttpRequest, pk: int, name: str, form: str = "csv"
) -> HttpResponseBase:
    project = find_project(request, pk)
    return send_table(tables_of(project), name, form=form, study=project.study)


def tables_of_study(*, study: Study, now: datetime) -> list[StatTable]:
    """The curves of step 1, which stand on a page of their own, too."""
    project = project_in(Project, study=study, of="exception procedure")
    return [table_of(curves_of(project)), *tables_of(project)]
