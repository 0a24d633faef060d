"""The results of people beside models: the page, its files, and its card."""

from datetime import datetime
from functools import partial
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, reverse
from django.utils import timezone

from crowd.releases.admin.links import release_links
from crowd.winoground.admin.figures import FEW, SORTS, part_rows, related_table, scores_table, shared_lines
from crowd.winoground.admin.result_files import files_of
from crowd.winoground.models import Project
from crowd.winoground.queries.examples import sees_own_only
from crowd.winoground.queries.scoring import ProjectScores, Scorer, scored, scored_examples
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.admin.stat_tables import send_table
from hits.data.project_exports import project_in
from hits.datasets.stat_table import StatTable
from hits.identity.models.users import User
from hits.studies.models import Study

Pages = ProjectPages[Project]
ADD, REMOVE, TAKE = "winoground.add_modelscores", "winoground.delete_modelscores", "hits.export_batch"
PEOPLE, SHARED = "people", "shared"


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
        _way(project, "Upload a model's scores…", "upload_scores", permission=ADD),
        _way(project, "Take the data out…", "take", permission=TAKE),
        *release_links(project.study, family="winoground"),
    ]
    return Card(
        key="results",
        title="Scores",
        about="How people do on the examples beside models: by text, image and group, with intervals and by "
        "tag. Work that is kept out or rejected does not count.",
        metrics=[
            Metric(name="Examples that are scored", count=scored_examples(project).count()),
            Metric(name="Models with scores", count=project.model_scores.count()),
        ],
        links=() if sees_own_only(user) else ways,
    )


def find(pages: Pages, request: HttpRequest, pk: int, *permissions: str) -> Any:
    """Find the project. Raises PermissionDenied for authors: results show examples of other people."""
    project = pages.find(request, pk, *permissions)
    if sees_own_only(signed_in(request)):
        raise PermissionDenied
    return project


def page_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    project = find(pages, request, pk)
    found = scored(project)
    is_shared, sort = request.GET.get("over") == SHARED, request.GET.get("sort", "")
    chosen = _chosen(found, request.GET.get("of", ""))
    lines = shared_lines(found) if is_shared else found.lines
    context = {
        "title": "Scores",
        "scores": scores_table(found, lines),
        "related": related_table(found, lines),
        "examples": len(found.lines),
        "few_answers": found.few,
        "models": found.models,
        "lines": len(lines),
        "chosen": chosen,
        "parts": part_rows(chosen, lines, sort=sort),
        "heads": _heads(request, sort),
        "few": FEW,
        "few_points": 100 // FEW,
        "shared": is_shared,
        "counted_at": timezone.now(),
        "may_add": request.user.has_perm(ADD),
        "may_remove": request.user.has_perm(REMOVE),
        "may_take": request.user.has_perm(TAKE),
    }
    return pages.render(request, "admin/winoground/results.html", context, project=project)


def file_view(pages: Pages, request: HttpRequest, pk: int, name: str, form: str = "csv") -> HttpResponseBase:
    project = find(pages, request, pk)
    return send_table(files_of(scored(project)), name, form=form, study=project.study)


def tables_of_study(*, study: Study, now: datetime) -> list[StatTable]:
    found = scored(project_in(Project, study=study, of="caption matching"))
    return [scores_table(found, found.lines), related_table(found, found.lines)]


def key_of(scorer: Scorer) -> str:
    """The name of people, or of a model, in addresses."""
    return str(scorer.model.pk) if scorer.model else PEOPLE


def _chosen(found: ProjectScores, key: str) -> Scorer:
    return next((scorer for scorer in found.scorers if key_of(scorer) == key), found.people)


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
