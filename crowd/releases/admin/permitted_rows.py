"""Rows that a user may look at: those of their own studies, and a 404 for everything else."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse

from crowd.releases.models import Release
from hits.admin.selection import need
from hits.studies.models import Study
from hits.work.access import studies_of

VIEW, MAKE = "releases.view_release", "releases.add_release"
PUBLISH, DELETE = "releases.publish_release", "releases.delete_release"
# Taking data out needs a permission of its own, whatever the data are.
TAKE = "hits.export_batch"


def find_release(request: HttpRequest, pk: int, *permissions: str) -> Release:
    need(request, VIEW, *permissions)
    rows = Release.objects.select_related("study", "made_by", "released_by")
    return get_object_or_404(rows.filter(study__in=studies_of(request.user)), pk=pk)


def find_study(request: HttpRequest, pk: int, *permissions: str) -> Study:
    need(request, *permissions)
    return get_object_or_404(studies_of(request.user), pk=pk)


def render(
    site: admin.AdminSite, request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    shared = {**site.each_context(request), "opts": Release._meta}
    return TemplateResponse(request, f"admin/releases/{name}.html", {**shared, **context}, status=status)
