"""Results: tables over all rows, and what most people have said of each."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, reverse

from crowd.plain.admin.role_tables import role_tables
from crowd.plain.admin.tables import tables_of
from crowd.plain.domain.pages import Kind, Part
from crowd.plain.models import Description, Project
from crowd.plain.queries.results import AnsweredRow, QuestionResult, answered_rows, said_of
from crowd.releases.admin.links import release_links, release_stage
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import TAKE, ProjectPages
from hits.admin.stat_tables import send_table
from hits.data.project_exports import project_in
from hits.datasets.stat_table import StatTable, percent
from hits.identity.models.users import User
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.leases import Lease

Pages = ProjectPages[Any]
MOST_SHOWN = 200
NO_BREAK = "\u00a0"


def urls(pages: Pages) -> list[URLPattern]:
    """Addresses of the newest version that was asked, and of any version."""
    found = []
    for base, end in (("<int:pk>/results/", ""), ("<int:pk>/results/<int:version>/", "_of")):
        found += [
            pages.at(base, results_view, f"results{end}"),
            pages.at(f"{base}<slug:name>.csv", file_view, f"results_file{end}"),
            pages.at(f"{base}<slug:name>.json", partial(file_view, form="json"), f"results_json{end}"),
        ]
    return found


def results_card(project: Project, user: User) -> Card:
    """The card of results. It has only counts, because it is refreshed every few seconds."""
    answered = Lease.objects.filter(
        item__plain_row__description__project=project,
        status=Lease.Status.ANSWERED,
        assignment__status__in=(Assignment.Status.SUBMITTED, Assignment.Status.APPROVED),
    )
    ways = [
        CardLink(name="See the results", url=_address(project, "results")),
        CardLink(name="Export the data…", url=_address(project, "take"), permission=TAKE),
        *release_links(project.study, family="plain"),
    ]
    return Card(
        key="results",
        title="Results",
        about="What most have said of each row, and how far people agree. Work that is kept out or rejected "
        "does not count.",
        metrics=[Metric(name="Answers that are in", count=answered.count())],
        is_data=True,
        stage=release_stage(project.study, family="plain"),
        links=ways if project.descriptions.filter(asked_at__isnull=False).exists() else (),
    )


def results_view(pages: Pages, request: HttpRequest, pk: int, version: int | None = None) -> HttpResponse:
    project = pages.find(request, pk)
    description = asked_version(project, version)
    found = list(answered_rows(description)) if description else []
    context = {
        "title": "Results",
        "versions": project.descriptions.filter(asked_at__isnull=False).order_by("version"),
        "description": description,
        "tables": _tables(description, found) if description else (),
        "questions": _questions(description),
        "rows": _rows(description, found[:MOST_SHOWN]) if description else (),
        "most": MOST_SHOWN,
        "may_take": request.user.has_perm(TAKE),
    }
    return pages.render(request, "admin/plain/results.html", context, project=project)


def file_view(
    pages: Pages, request: HttpRequest, pk: int, name: str, *, version: int | None = None, form: str = "csv"
) -> HttpResponseBase:
    project = pages.find(request, pk)
    description = asked_version(project, version)
    tables = _tables(description, list(answered_rows(description))) if description else ()
    return send_table(tables, name, form=form, study=project.study)


def tables_of_study(*, study: Study, now: datetime) -> list[StatTable]:
    """Tables of the newest version that was asked; none before."""
    description = asked_version(project_in(Project, study=study, of="questions of one's own"), None)
    return _tables(description, list(answered_rows(description))) if description else []


def asked_version(project: Project, version: int | None) -> Description | None:
    """The named version, or the newest that was asked. Raises Http404 if the named one is missing."""
    asked = project.descriptions.filter(asked_at__isnull=False).order_by("-version")
    found = asked.first() if version is None else asked.filter(version=version).first()
    if version is not None and found is None:
        raise Http404
    return found


def _questions(description: Description | None) -> list[Part]:
    """Questions that have a majority: all but texts."""
    questions = description.page.questions if description else []
    return [part for part in questions if part.kind != Kind.TEXT]


def _tables(description: Description, found: Sequence[AnsweredRow]) -> list[StatTable]:
    page = description.page
    return [*role_tables(page, found), *tables_of(page, [one.answers for one in found])]


def _rows(description: Description, found: Sequence[AnsweredRow]) -> list[dict[str, Any]]:
    questions, columns = _questions(description), description.page.columns
    return [
        {
            "number": one.row.number,
            "cells": [one.row.cells.get(name, "") for name in columns],
            "said": [_said(said_of(part, one.answers)) for part in questions],
        }
        for one in found
    ]


def _said(said: QuestionResult) -> dict[str, Any]:
    words = " / ".join(said.leaders) or "–"
    share = "" if said.share is None else f"{percent(said.share, 0)} "
    of = f"{share}of {said.answers}".replace(" ", NO_BREAK)
    return {"words": words, "of": of if said.answers else "", "is_tied": said.is_tied}


def _address(project: Project, name: str) -> str:
    return reverse(f"admin:plain_{name}", args=[project.pk])
