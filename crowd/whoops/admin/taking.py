"""Images, questions and answers as a file."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern

from crowd.whoops.admin.statistics import TAKE, Hub
from crowd.whoops.exporting.columns import IMAGES, PROVENANCE
from crowd.whoops.exporting.export import WhoopsExport
from crowd.whoops.exporting.judged_columns import ANSWERS, QUESTIONS
from crowd.whoops.exporting.judged_rows import exported_questions
from hits.admin.taking import TakeForm, take_file, words_of


def taking_urls(hub: Hub) -> list[URLPattern]:
    return [hub.at("<int:pk>/data/", take_view, "take")]


def take_view(hub: Hub, request: HttpRequest, pk: int) -> HttpResponseBase:
    project, export = hub.find(request, pk, TAKE), WhoopsExport()
    form = TakeForm(
        request.POST or None,
        what=words_of(export.files),
        everything="Also images that are not accepted, and questions that were withdrawn",
    )
    if form.is_valid():
        said = "Weird images were taken"
        return take_file(request, export, project, study=project.study, said=said, **form.cleaned_data)
    context = {
        "title": "Take the data out",
        "form": form,
        "family": export.family,
        "images": export.count(project, everything=False),
        "questions": exported_questions(project, everything=False).count(),
        "lists": (
            ("Images", IMAGES),
            ("In full also", PROVENANCE),
            ("Questions", QUESTIONS),
            ("Answers", ANSWERS),
        ),
    }
    return hub.render(request, "admin/whoops/take.html", context, project=project)
