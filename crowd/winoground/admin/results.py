"""The results of people: the page, its files, and its card. Models stand beside them on releases."""

from datetime import datetime
from functools import partial
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, reverse
from django.utils import timezone

from crowd.benchmarks.admin.beside_models import beside_models
from crowd.releases.admin.links import release_links, release_stage
from crowd.winoground.admin.figures import FEW, SORTS, part_rows, related_table, scores_table
from crowd.winoground.admin.result_files import files_of
from crowd.winoground.models import Project
from crowd.winoground.queries.examples import sees_own_only
from crowd.winoground.queries.scoring import scored, scored_examples
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.admin.stat_tables import send_table
from hits.data.project_exports import project_in
from hits.datasets.stat_table import StatTable
from hits.identity.models.users import User
from hits.studies.models import Study

Pages = ProjectPages[Project]
TAKE = "hits.export_batch"


def urls(pages: Pages) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/results/", page_view, "results"),
        pages.at("<int:pk>/results/<slug:name>.csv", file_view, "results_file"),
        pages.at("<int:pk>/results/<slug:name>.json", partial(file_view, form="json"), "results_json"),
    ]


def results_card(project: Project, user: User) -> Card:
    """The card has counts only, because it is refreshed every few seconds."""
    ways = [
        _way(project, "See the results", "results"),
        _way(project, "Example by example", "result_examples"),
        _way(project, "Export the data…", "take", permission=TAKE),
        *release_links(project.study, family="winoground"),
    ]
    return Card(
        key="results",
        title="Scores",
        about="How people do on the examples: by text, image and group, with intervals and by tag. Work "
        "that is kept out or rejected does not count. Models stand beside them on a release.",
        metrics=[Metric(name="Examples that are scored", count=scored_examples(project).count())],
        links=() if sees_own_only(user) else ways,
        is_data=True,
        stage=release_stage(project.study, family="winoground"),
    )


def find(pages: Pages, request: HttpRequest, pk: int, *permissions: str) -> Any:
    """Find the project. Raises PermissionDenied for authors: results show examples of other people."""
    project = pages.find(request, pk, *permissions)
    if sees_own_only(signed_in(request)):
        raise PermissionDenied
    return project


def page_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    project = find(pages, request, pk)
    found, sort = scored(project), request.GET.get("sort", "")
    context = {
        "title": "Scores",
        "scores": scores_table(found),
        "related": related_table(found),
        "examples": len(found.lines),
        "few_answers": found.few,
        "parts": part_rows(found, sort=sort),
        "heads": _heads(request, sort),
        "few": FEW,
        "few_points": 100 // FEW,
        "counted_at": timezone.now(),
        "may_take": request.user.has_perm(TAKE),
        **beside_models(request, project.study, family="winoground"),
    }
    return pages.render(request, "admin/winoground/results.html", context, project=project)


def file_view(pages: Pages, request: HttpRequest, pk: int, name: str, form: str = "csv") -> HttpResponseBase:
    project = find(pages, request, pk)
    return send_table(files_of(scored(project)), name, form=form, study=project.study)


def tables_of_study(*, study: Study, now: datetime) -> list[StatTable]:
    found = scored(project_in(Project, study=study, of="caption matching"))
    return [scores_table(found), related_table(found)]


def _heads(request: HttpRequest, sort: str) -> list[dict[str, str]]:
    """Column heads of the table by tag: a second click reverses the order; numbers begin with the largest."""
    names: dict[str, str] = {"name": "Tag", **{name: name.capitalize() for name in SORTS[1:]}}
    heads = []
    for name in SORTS:
        first, second = (name, f"-{name}") if name == "name" else (f"-{name}", name)
        query = request.GET.copy()
        query["sort"] = second if sort == first else first
        order = {name: "ascending", f"-{name}": "descending"}.get(sort, "")
        heads.append({"name": names[name], "url": f"?{query.urlencode()}#by-tag", "sorted": order})
    return heads


def _way(project: Project, name: str, address: str, permission: str = "") -> CardLink:
    return CardLink(
        name=name, url=reverse(f"admin:winoground_{address}", args=[project.pk]), permission=permission
    )
