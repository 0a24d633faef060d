"""The paper's tables for a study, as pages with charts and as files."""

import json
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.releases.admin.permitted_rows import find_study
from crowd.winogavil.models import Association
from crowd.winogavil.releases.admin.tables import tables_of, tables_of_cues
from crowd.winogavil.releases.models import Statistics
from crowd.winogavil.releases.statistics.kept_figures import statistics_of
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin
from hits.admin.selection import need
from hits.admin.stat_tables import attached, send_table
from hits.data.project_exports import NoProject
from hits.datasets.stat_table import StatTable
from hits.studies.models import Study
from hits.work.access import studies_of

COUNTED = "winogavil_releases.view_statistics"
A_PAGE = 50
# Sources whose associations are counted by default.
ALL = [source for source in Association.Source.values if source != Association.Source.TEST]


@admin.register(Statistics)
class StatisticsAdmin(ReadOnlyAdmin[Statistics]):
    """Statistics in the admin; the list shows studies, since the stored rows are not for reading."""

    menu = MenuPlace(Section.DATA, 2, "Statistics of the game")

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [
            path("<int:study_id>/", shown(partial(study_view, self)), name="winogavil_releases_statistics"),
            path(
                "<int:study_id>/<str:name>",
                shown(partial(file_view, self)),
                name="winogavil_releases_statistics_file",
            ),
            path("", shown(self.changelist_view), name="winogavil_releases_statistics_changelist"),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Page to choose a study, of those that have associations."""
        need(request, COUNTED)
        sought = request.GET.get("q", "").strip()[:200]
        studies = studies_of(request.user).filter(items__association__isnull=False).distinct()
        found = studies.filter(name__icontains=sought).order_by("name")
        shown = Paginator(found, A_PAGE).get_page(request.GET.get("page"))
        return _render(self, request, "studies", {"title": "Statistics", "page": shown, "q": sought})


def _render(
    page: admin.ModelAdmin[Any], request: HttpRequest, name: str, context: dict[str, Any]
) -> HttpResponse:
    shared = {**page.admin_site.each_context(request), "opts": Statistics._meta}
    return TemplateResponse(request, f"admin/winogavil_releases/{name}.html", {**shared, **context})


def study_view(page: admin.ModelAdmin[Any], request: HttpRequest, study_id: int) -> HttpResponse:
    study = find_study(request, study_id, COUNTED)
    sources = _sources(request)
    counted = statistics_of(study, sources=sources, now=timezone.now())
    cues, words = tables_of_cues(counted.figures)
    context = {
        "title": f"Statistics of {study}",
        "study": study,
        "counted": counted,
        "tables": tables_of(counted.figures),
        "cues": next(cues.as_json()),
        "words": words,
        "choices": [(value, label, value in sources) for value, label in Association.Source.choices],
        "query": "&".join(f"source={source}" for source in sources),
    }
    return _render(page, request, "statistics", context)


def file_view(
    page: admin.ModelAdmin[Any], request: HttpRequest, study_id: int, name: str
) -> HttpResponseBase:
    study = find_study(request, study_id, COUNTED)
    table, _, form = name.partition(".")
    if form != "csv" and name != "all.json":
        raise Http404
    counted = statistics_of(study, sources=_sources(request), now=timezone.now())
    tables = [*tables_of(counted.figures), *tables_of_cues(counted.figures)]
    return (
        _json(study, counted, tables) if form == "json" else send_table(tables, table, form=form, study=study)
    )


def _sources(request: HttpRequest) -> list[str]:
    """Known sources that the address asks for; an empty list stands for all but tests."""
    asked = set(request.GET.getlist("source"))
    return [source for source in Association.Source.values if source in asked]


def _json(study: Study, counted: Statistics, tables: Iterable[StatTable]) -> HttpResponseBase:
    content = {
        "study": str(study.public_id),
        "sources": counted.sources.split(",") if counted.sources else ALL,
        "counted_at": counted.counted_at.isoformat(),
        "tables": {table.name: list(table.as_json()) for table in tables},
    }
    text = json.dumps(content, ensure_ascii=False, indent=1)
    return attached(HttpResponse(text, content_type="application/json"), study=study, name="statistics.json")


def tables_of_study(*, study: Study, now: datetime) -> list[StatTable]:
    """Tables of all sources. Raises NoProject for a study without associations, which no page offers."""
    if not study.items.filter(association__isnull=False).exists():
        raise NoProject(f"The study “{study}” has no associations.")
    figures = statistics_of(study, sources=(), now=now).figures
    return [*tables_of(figures), *tables_of_cues(figures)]
