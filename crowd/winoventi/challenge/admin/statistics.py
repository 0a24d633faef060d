"""The figures of a project as a page with charts, and each table as CSV."""

from datetime import datetime
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern
from django.utils import timezone

from crowd.winoventi.associations.admin.perplexity_charts import table_of
from crowd.winoventi.associations.queries.perplexity_curves import curves_of
from crowd.winoventi.challenge.admin.error_tables import error_tables
from crowd.winoventi.challenge.admin.evaluations import ASK_MODEL, DROP_MODEL
from crowd.winoventi.challenge.admin.figures import tables_of
from crowd.winoventi.challenge.admin.word_pages import words_url
from crowd.winoventi.challenge.queries.part_counts import failed_to_tag
from crowd.winoventi.models import Evaluation, Project
from crowd.winoventi.models.model_runs import ModelRun
from hits.admin.projects.project_page import TAKE, ProjectPages
from hits.admin.stat_tables import send_table
from hits.data.project_exports import project_in
from hits.datasets.stat_table import StatTable
from hits.studies.models import Study

Pages = ProjectPages[Any]
TAGGING = ModelRun.Purpose.TAGGING


def urls(pages: Pages) -> list[URLPattern]:
    as_json = partial(file_view, form="json")
    return [
        pages.at("<int:pk>/statistics/", page_view, "statistics"),
        pages.at("<int:pk>/statistics/<slug:name>.csv", file_view, "table"),
        pages.at("<int:pk>/statistics/<slug:name>.json", as_json, "table_json"),
    ]


def page_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk)
    own = [project.generics_model_id, project.perplexity_model_id, project.filter_model_id]
    reading = ModelRun.objects.filter(project=project, is_open=True).exclude(purpose=TAGGING)
    others = reading.exclude(rival__in=filter(None, own))
    context = {
        "title": f"Statistics of {project.study}",
        "tables": tables_of(project),
        "counted_at": timezone.now(),
        "evaluations": Evaluation.objects.filter(project=project).select_related("rival", "added_by"),
        "model_runs": others.select_related("rival"),
        "words_url": words_url(project),
        "untagged": failed_to_tag(project),
        "may_keep": request.user.has_perm(pages.permission("change")),
        "may_ask": request.user.has_perm(ASK_MODEL),
        "may_drop": request.user.has_perm(DROP_MODEL),
        "may_take": request.user.has_perm(TAKE),
    }
    return pages.render(request, "admin/winoventi/statistics.html", context, project=project)


def file_view(pages: Pages, request: HttpRequest, pk: int, name: str, form: str = "csv") -> HttpResponseBase:
    project = pages.find(request, pk)
    return send_table(tables_of(project), name, form=form, study=project.study)


def tables_of_study(*, study: Study, now: datetime) -> list[StatTable]:
    """All tables of the study, including the curves of step 1, which have a page of their own, too."""
    project = project_in(Project, study=study, of="exception procedure")
    return [table_of(curves_of(project)), *tables_of(project), *error_tables(project)]
