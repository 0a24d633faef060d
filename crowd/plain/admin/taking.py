"""Rows and answers of one version of the page as a file."""

import re
from typing import Any

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern

from crowd.plain.admin.results import asked_version
from crowd.plain.exporting.export import PlainExport
from hits.admin.hubs import TAKE, HubAdmin
from hits.admin.taking import TakeForm, take_file, words_of

Hub = HubAdmin[Any]
VERSION = re.compile(r"[0-9]{1,4}")


def urls(hub: Hub) -> list[URLPattern]:
    return [hub.at("<int:pk>/data/", take_view, "take")]


def take_view(hub: Hub, request: HttpRequest, pk: int) -> HttpResponseBase:
    project, export = hub.find(request, pk, TAKE), PlainExport()
    version = request.GET.get("version", "")
    description = asked_version(project, int(version) if VERSION.fullmatch(version) else None)
    if description is None:
        raise Http404
    files = export.files_of(description)
    form = TakeForm(
        request.POST or None, what=words_of(files), everything="Also rows that nobody has answered"
    )
    if request.method == "POST" and form.is_valid():
        said = f"Questions of one's own were taken, by version {description.version} of the page"
        study = project.study
        return take_file(request, export, description, study=study, said=said, **form.cleaned_data)
    context = {
        "title": "Take the data out",
        "form": form,
        "description": description,
        "rows": description.rows.filter(item__isnull=False).count(),
        "lists": [(name.capitalize(), file.columns) for name, file in files.items()],
    }
    return hub.render(request, "admin/plain/take.html", context, project=project)
