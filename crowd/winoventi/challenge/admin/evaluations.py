"""Other models: asked about the challenge set or beside the project's own, uploaded, and removed again."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils import timezone

from crowd.winoventi.associations.services import model_readings
from crowd.winoventi.challenge.admin.forms import AskModelForm
from crowd.winoventi.challenge.services import evaluations
from crowd.winoventi.challenge.services.uploaded_answers import ANSWERS
from crowd.winoventi.domain import GENERIC
from crowd.winoventi.domain.prompts import prompt_id
from crowd.winoventi.filter.services import adversarial_filter
from crowd.winoventi.models import Evaluation, Project, valid_pairs
from hits.admin.data.result_forms import UploadedFile
from hits.admin.data.result_pages import ResultsPages
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.common.uploads import example_file
from hits.core.errors import RuleBroken

Pages = ProjectPages[Any]
ABOUT = (
    "The full form of the challenge set has the prompts' ids. The same id that ends in -alone stands for the "
    "outcome without a sentence, and Individual and Intersection are made of these. A row has both "
    "probabilities, or a prediction."
)
INTERSECTION = "The Intersection of the other models changes."
ASK_MODEL, DROP_MODEL = "winoventi.add_evaluation", "winoventi.delete_evaluation"


def urls(pages: Pages) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/models/ask/", ask_view, "ask_model"),
        *PAGES.urls(pages, "models"),
    ]


def ask_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    """Show the form first: the answers may take the model hours."""
    project = pages.find(request, pk, ASK_MODEL)
    form = AskModelForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        rival, now = form.cleaned_data["rival"], timezone.now()
        try:
            if "read" in request.POST:
                model_readings.start_reading(project=project, rival=rival, now=now)
                said = f"The model {rival} reads the nouns, to be compared with the project's own model."
            elif "score" in request.POST:
                adversarial_filter.start_filter(project=project, rival=rival, now=now)
                said = f"The model {rival} scores the exceptions. That is only recorded."
            else:
                by, way = signed_in(request), form.cleaned_data["way"]
                evaluations.start_evaluation(project=project, rival=rival, by=by, now=now, way=way)
                said = f"The model {rival} answers the challenge set."
        except RuleBroken as refusal:
            form.add_error("rival", str(refusal))
        else:
            pages.log_change(request, project, f"The model {rival} was asked.")
            messages.success(request, f"{said} This page shows the progress.")
            return redirect(pages.address(project, "statistics"))
    context = {"title": "Ask a model", "form": form}
    return pages.render(request, "admin/winoventi/ask_model.html", context, project=project)


def _file(project: Project) -> UploadedFile:
    first = valid_pairs(project).order_by("pk").first()
    example = example_file(ANSWERS.columns[:3], (prompt_id(first.pk, GENERIC), "0.4", "0.1")) if first else ""
    return UploadedFile(
        columns=ANSWERS.columns,
        about=ABOUT,
        examples=[example] if example else (),
        note="" if first else "No pair is valid yet, so there is nothing to answer.",
    )


def _comes_back(evaluation: Evaluation) -> str:
    if evaluation.rival_id:
        return f"They can be asked again. {INTERSECTION}"
    return f"Only the file they came from can bring them back. {INTERSECTION}"


PAGES = ResultsPages(
    results=ANSWERS,
    key="model",
    what="answers",
    thing="prompt",
    add=ASK_MODEL,
    remove=DROP_MODEL,
    page="statistics",
    title="Statistics",
    file=_file,
    count=lambda evaluation: evaluation.answers.count(),
    replaced={"rival": None},
    comes_back=_comes_back,
)
