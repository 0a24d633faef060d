"""The paper's tables for a study, as pages with charts and as files."""

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from crowd.releases.admin.permitted_rows import find_study
from crowd.winogavil.models import Association
from crowd.winogavil.queries import threshold_of
from crowd.winogavil.releases.admin.tables import tables_of, tables_of_cues
from crowd.winogavil.releases.admin.word_scatter import words_table
from crowd.winogavil.releases.files.concreteness_files import COLUMNS, MOST_BYTES
from crowd.winogavil.releases.models import ConcretenessList, Statistics
from crowd.winogavil.releases.queries.scored_words import scored_words
from crowd.winogavil.releases.services.concreteness_lists import keep_list
from crowd.winogavil.releases.statistics.kept_figures import statistics_of
from hits.admin.data.result_forms import ACCEPT, UploadedFile, answer_upload
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin
from hits.admin.selection import need, signed_in
from hits.admin.stat_tables import attached, send_table
from hits.common.uploads import example_file
from hits.core.domain.counted_nouns import plural
from hits.data.project_exports import NoProject
from hits.datasets.stat_table import StatTable
from hits.studies.models import Study
from hits.work.access import studies_of

COUNTED = "winogavil_releases.view_statistics"
BRING = "winogavil_releases.add_concretenesslist"
A_PAGE = 50
# Sources whose associations are counted by default.
ALL = [source for source in Association.Source.values if source != Association.Source.TEST]


class ConcretenessForm(forms.Form):
    file = forms.FileField(
        label="File",
        help_text="CSV or JSON, as described below.",
        widget=forms.ClearableFileInput(attrs={"accept": ACCEPT}),
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError(f"A file has at most {MOST_BYTES // 1_000_000} MB.")
        return file


@admin.register(Statistics)
class StatisticsAdmin(ReadOnlyAdmin[Statistics]):
    """Statistics in the admin; the list shows studies, since the stored rows are not for reading."""

    menu = MenuPlace(Section.DATA, 2, "Statistics of the game")

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [
            path("<int:study_id>/", shown(partial(study_view, self)), name="winogavil_releases_statistics"),
            path(
                "<int:study_id>/concreteness/",
                shown(partial(concreteness_view, self)),
                name="winogavil_releases_concreteness",
            ),
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
        return _render(self, request, "studies", {"title": self.menu.name, "page": shown, "q": sought})


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
        "tables": [
            _words_of(study, sources, threshold=counted.selection_threshold or threshold_of(study)),
            *tables_of(counted.figures),
        ],
        "cues": next(cues.as_json()),
        "words": words,
        "choices": [(value, label, value in sources) for value, label in Association.Source.choices],
        "query": "&".join(f"source={source}" for source in sources),
        "ratings": _list_of(study),
        "may_bring": request.user.has_perm(BRING),
    }
    return _render(page, request, "statistics", context)


def concreteness_view(page: admin.ModelAdmin[Any], request: HttpRequest, study_id: int) -> HttpResponse:
    """Take a study's list of concreteness ratings, in the place of the one before."""
    study = find_study(request, study_id, COUNTED, BRING)
    back = reverse("admin:winogavil_releases_statistics", args=[study.pk])

    def done(kept: ConcretenessList) -> HttpResponse:
        messages.success(request, f"The ratings of {plural(kept.words, 'word')} are kept.")
        return redirect(back)

    def show(found: Mapping[str, Any]) -> HttpResponse:
        context = {
            "title": "Upload a concreteness list",
            "base": "admin/hits/action_base.html",
            "button": "Replace the list" if _list_of(study) else "Upload",
            "back": back,
            "trail": [(f"Statistics of {study}", back)],
            "file": UploadedFile(
                columns=COLUMNS,
                about="It is kept for this study. A file that is uploaded later replaces it.",
                examples=[example_file(COLUMNS)],
            ),
            "opts": Statistics._meta,
            **found,
        }
        shared = page.admin_site.each_context(request)
        return TemplateResponse(request, "admin/hits/results_upload.html", {**shared, **context})

    def take(values: Mapping[str, Any]) -> ConcretenessList:
        return keep_list(study=study, by=signed_in(request), now=timezone.now(), **values)

    form = ConcretenessForm(request.POST or None, request.FILES or None)
    return answer_upload(request, form, take=take, done=done, show=show)


def _list_of(study: Study) -> ConcretenessList | None:
    return ConcretenessList.objects.filter(study=study).defer("ratings").select_related("added_by").first()


def file_view(
    page: admin.ModelAdmin[Any], request: HttpRequest, study_id: int, name: str
) -> HttpResponseBase:
    study = find_study(request, study_id, COUNTED)
    table, _, form = name.partition(".")
    if form != "csv" and name != "all.json":
        raise Http404
    sources = _sources(request)
    if name == "scored-words.csv":
        words = _words_of(study, sources, threshold=threshold_of(study))
        return send_table([words], table, form=form, study=study)
    counted = statistics_of(study, sources=sources, now=timezone.now())
    tables = [*tables_of(counted.figures), *tables_of_cues(counted.figures)]
    return (
        _json(study, counted, tables) if form == "json" else send_table(tables, table, form=form, study=study)
    )


def _words_of(study: Study, sources: Collection[str], *, threshold: int) -> StatTable:
    return words_table(scored_words(study, sources=sources, threshold=threshold), threshold=threshold)


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
