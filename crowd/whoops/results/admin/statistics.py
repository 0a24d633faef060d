"""The figures of weird images: a page with charts, each table as a file, and the card that leads there."""

from datetime import datetime
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern
from django.utils import timezone

from crowd.releases.admin.links import release_links, release_stage
from crowd.whoops.images.admin.addresses import page_url
from crowd.whoops.models import Project
from crowd.whoops.results.admin.category_pages import by_category_tables
from crowd.whoops.results.admin.composition_tables import composition_tables
from crowd.whoops.results.admin.judged_tables import judged_tables, matching_table
from crowd.whoops.results.queries.composition import accepted_images
from crowd.whoops.results.queries.matching_results import Result, pairs, results
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import ProjectPages
from hits.admin.stat_tables import send_table
from hits.common.count_together import count_together
from hits.data.project_exports import project_in
from hits.datasets.stat_table import StatTable
from hits.identity.models.users import User
from hits.studies.models import Study

Pages = ProjectPages[Any]
ADD, REMOVE, TAKE = "whoops.add_matchingscores", "whoops.delete_matchingscores", "hits.export_batch"


def statistics_urls(pages: Pages) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/statistics/", page_view, "statistics"),
        pages.at("<int:pk>/statistics/<slug:name>.csv", file_view, "statistics_file"),
        pages.at("<int:pk>/statistics/<slug:name>.json", partial(file_view, form="json"), "statistics_json"),
    ]


def results_card(project: Project, user: User) -> Card:
    """The card has counts only, because it is refreshed every few seconds."""
    upload = page_url("upload_matching", project)
    counts = count_together(
        images=accepted_images(project), pairs=pairs(project), models=project.matching_scores.all()
    )
    return Card(
        key="results",
        title="Results",
        about="How people and models do, what the data are made of, and the data as files. Work that is kept "
        "out or rejected does not count.",
        is_data=True,
        stage=release_stage(project.study, family="whoops"),
        metrics=[
            Metric(name="Images in the data", count=counts["images"]),
            Metric(name="Pairs of a detailed and an underspecified caption", count=counts["pairs"]),
            Metric(name="Models with matching scores", count=counts["models"]),
        ],
        links=[
            CardLink(name="See the statistics", url=page_url("statistics", project)),
            CardLink(name="Two models by category", url=page_url("by_category", project)),
            CardLink(name="Upload a model's matching scores…", url=upload, permission=ADD),
            CardLink(name="Export the data…", url=page_url("take", project), permission=TAKE),
            *release_links(project.study, family="whoops"),
        ],
    )


def page_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk)
    found = list(results(project))
    context = {
        "title": "Statistics",
        "tables": _tables(project, found),
        "results": found,
        "counted_at": timezone.now(),
        "may_add": request.user.has_perm(ADD),
        "may_remove": request.user.has_perm(REMOVE),
        "may_take": request.user.has_perm(TAKE),
    }
    return pages.render(request, "admin/whoops/statistics.html", context, project=project)


def file_view(pages: Pages, request: HttpRequest, pk: int, name: str, form: str = "csv") -> HttpResponseBase:
    project = pages.find(request, pk)
    return send_table(_tables(project, list(results(project))), name, form=form, study=project.study)


def _tables(project: Project, found: list[Result]) -> list[StatTable]:
    return [*judged_tables(project), matching_table(found), *composition_tables(project)]


def tables_of_study(*, study: Study, now: datetime) -> list[StatTable]:
    project = project_in(Project, study=study, of="weird images")
    return [*_tables(project, list(results(project))), *by_category_tables(project)]
