"""The figures of a project as a page with charts, and each table as CSV."""

from functools import partial

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.winoventi.admin.figures import tables_of
from crowd.winoventi.admin.finding import ASK_MODEL, DROP_MODEL, TAKE, find_project, render
from crowd.winoventi.models import Evaluation, Inquiry, Project
from hits.common.spreadsheets import write_csv

Projects = admin.ModelAdmin[Project]


def urls(projects: Projects) -> list[URLPattern]:
    shown = projects.admin_site.admin_view
    return [
        path("<int:pk>/statistics/", shown(partial(page_view, projects)), name="winoventi_statistics"),
        path(
            "<int:pk>/statistics/<slug:name>.csv",
            shown(partial(file_view, projects)),
            name="winoventi_table",
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


def file_view(projects: Projects, request: HttpRequest, pk: int, name: str) -> HttpResponseBase:
    project = find_project(request, pk)
    table = next((table for table in tables_of(project) if table.name == name), None)
    if table is None:
        raise Http404
    file = f"study-{str(project.study.public_id)[:8]}-{name}.csv"
    return StreamingHttpResponse(
        write_csv(table.header, table.rows),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file}"'},
    )
