"""The challenge set as a file: sent while it is read, or from a file that is gone afterwards."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.contrib import admin
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.winoventi.admin.finding import TAKE, find_project, render
from crowd.winoventi.admin.step_forms import DataForm
from crowd.winoventi.challenge.columns import FULL, PUBLISHED
from crowd.winoventi.challenge.exporting import WinoventiExport, write_splits
from crowd.winoventi.challenge.rows import settled_pairs
from crowd.winoventi.models import Project
from hits.admin.selecting import signed_in
from hits.admin.taking import file_name, send_file, take_file
from hits.services import auditing

Projects = admin.ModelAdmin[Project]


def urls(projects: Projects) -> list[URLPattern]:
    view = projects.admin_site.admin_view(partial(data_view, projects))
    return [path("<int:pk>/data/", view, name="winoventi_data")]


def data_view(projects: Projects, request: HttpRequest, pk: int) -> HttpResponseBase:
    project = find_project(request, pk, TAKE)
    form = DataForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return _take(project, request, **form.cleaned_data)
    context = {
        "title": "Take the challenge set out",
        "project": project,
        "form": form,
        "pairs": settled_pairs(project, everything=False).count(),
        "columns": PUBLISHED,
        "provenance": FULL[len(PUBLISHED) :],
    }
    return render(projects, request, "data", context)


def _take(project: Project, request: HttpRequest, *, seed: int | None, **wanted: Any) -> HttpResponseBase:
    export, study, said = WinoventiExport(), project.study, "The challenge set was taken"
    if wanted["what"] != "splits":
        return take_file(request, export, project, study=study, said=said, **wanted)
    form, now = wanted["form"], timezone.now()
    words = f"{said}: splits, {form}."
    auditing.note(export.recorded, words, by=signed_in(request), now=now, study=study)
    name = file_name(export.stem, study, "splits", "zip", now=now)
    return send_file(_zipped_splits(project, seed=seed or 0, form=form), name=name, kind="zip")


def _zipped_splits(project: Project, *, seed: int, form: str) -> Any:
    file = TemporaryFile()  # noqa: SIM115 - the answer closes it
    with TemporaryDirectory() as folder, ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for one in write_splits(project, folder=Path(folder), seed=seed, form=form):
            archive.write(Path(folder) / one["name"], one["name"])
    file.seek(0)
    return file
