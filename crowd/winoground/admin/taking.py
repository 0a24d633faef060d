"""Examples and answers as a file."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern

from crowd.winoground.admin.results import TAKE, Hub, find
from crowd.winoground.exporting.columns import ANSWERS, EXAMPLES, PROVENANCE
from crowd.winoground.exporting.export import WinogroundExport
from hits.admin.taking import TakeForm, take_file, words_of


def urls(hub: Hub) -> list[URLPattern]:
    return [hub.at("<int:pk>/data/", take_view, "take")]


def take_view(hub: Hub, request: HttpRequest, pk: int) -> HttpResponseBase:
    project, export = find(hub, request, pk, TAKE), WinogroundExport()
    form = TakeForm(
        request.POST or None,
        what=words_of(export.files),
        everything="Also examples that were withdrawn after workers had been asked",
    )
    if form.is_valid():
        said = "Caption matching was taken"
        return take_file(request, export, project, study=project.study, said=said, **form.cleaned_data)
    context = {
        "title": "Take the data out",
        "form": form,
        "family": export.family,
        "examples": export.count(project, everything=False),
        "lists": (("Examples", EXAMPLES), ("In full also", PROVENANCE), ("Answers", ANSWERS)),
    }
    return hub.render(request, "admin/winoground/results_take.html", context, project=project)
