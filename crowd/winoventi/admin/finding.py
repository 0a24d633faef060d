"""What somebody may look at: the projects of their own studies, and a 404 for everything else."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse

from crowd.winoventi.models import Project
from hits.access import studies_of
from hits.admin.selecting import need

LOOK, SET_UP, KEEP = "winoventi.view_project", "winoventi.add_project", "winoventi.change_project"
DRAFT = "hits.add_batch"
ASK_MODEL, DROP_MODEL = "winoventi.add_evaluation", "winoventi.delete_evaluation"
# Taking data out is a permission of its own, whatever they are.
TAKE = "hits.export_batch"


def visible_projects(request: HttpRequest) -> QuerySet[Project]:
    related = Project.objects.select_related("study", "generics_model", "perplexity_model", "filter_model")
    return related.filter(study__in=studies_of(request.user))


def find_project(request: HttpRequest, pk: int, *permissions: str) -> Project:
    need(request, LOOK, *permissions)
    return get_object_or_404(visible_projects(request), pk=pk)


def render(
    page: admin.ModelAdmin[Any], request: HttpRequest, name: str, context: dict[str, Any]
) -> HttpResponse:
    shared = {**page.admin_site.each_context(request), "opts": Project._meta}
    return TemplateResponse(request, f"admin/winoventi/{name}.html", {**shared, **context})
