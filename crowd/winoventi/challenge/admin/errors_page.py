"""The page of the error analysis: each model's worst and best prompts, and each table as a file."""

from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern

from crowd.winoventi.challenge.admin.error_tables import error_tables
from crowd.winoventi.challenge.domain.model_errors import MOST
from crowd.winoventi.domain import EXCEPTION, GENERIC
from crowd.winoventi.models import Evaluation, ModelAnswer, Project
from hits.admin.projects.project_page import ProjectPages
from hits.admin.stat_tables import send_table
from hits.datasets.stat_table import StatTable

Pages = ProjectPages[Any]
LARGEST = 200


class EndsForm(forms.Form):
    """How many prompts of each end are looked at, and of which kind."""

    most = forms.IntegerField(
        label="Prompts at each end",
        min_value=1,
        max_value=LARGEST,
        help_text=f"The paper: {MOST}. At most {LARGEST}.",
    )
    kind = forms.ChoiceField(
        label="Prompts that call for",
        choices=[(EXCEPTION, "the exception"), (GENERIC, "the generic")],
        help_text="The paper: the exception.",
    )


def urls(pages: Pages) -> list[URLPattern]:
    as_json = partial(file_view, form="json")
    return [
        pages.at("<int:pk>/errors/", page_view, "errors"),
        pages.at("<int:pk>/errors/<slug:name>.csv", file_view, "error_table"),
        pages.at("<int:pk>/errors/<slug:name>.json", as_json, "error_table_json"),
    ]


def page_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    """Show the tables asked for, or the paper's beside what is wrong with the question."""
    project = pages.find(request, pk)
    form = _form_of(request)
    with_both = ModelAnswer.objects.filter(p_target__isnull=False, p_incorrect__isnull=False)
    without = Evaluation.objects.filter(project=project).exclude(pk__in=with_both.values("evaluation"))
    context = {
        "title": f"Errors of models on {project.study}",
        "form": form,
        "tables": _tables(project, form),
        "query": request.GET.urlencode() if form.is_valid() else "",
        "without": without.order_by("name", "way"),
    }
    return pages.render(request, "admin/winoventi/errors.html", context, project=project)


def file_view(pages: Pages, request: HttpRequest, pk: int, name: str, form: str = "csv") -> HttpResponseBase:
    project = pages.find(request, pk)
    return send_table(_tables(project, _form_of(request)), name, form=form, study=project.study)


def _form_of(request: HttpRequest) -> EndsForm:
    return EndsForm({"most": MOST, "kind": EXCEPTION, **request.GET.dict()})


def _tables(project: Project, form: EndsForm) -> list[StatTable]:
    return error_tables(project, **(form.cleaned_data if form.is_valid() else {}))
