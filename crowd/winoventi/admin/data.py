"""The challenge set as a file: sent while it is read, or from a file that is gone afterwards."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.contrib import admin
from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.winoventi.admin.finding import TAKE, find_project, render
from crowd.winoventi.admin.step_forms import DataForm
from crowd.winoventi.challenge.columns import FULL, PUBLISHED
from crowd.winoventi.challenge.exporting import FILES, write_splits
from crowd.winoventi.challenge.rows import settled_pairs
from crowd.winoventi.domain import KINDS
from crowd.winoventi.models import Project
from hits.admin.selecting import signed_in
from hits.datasets.writing import TEXTS, write_rows
from hits.exports import Naming, salt_of
from hits.services import auditing

Projects = admin.ModelAdmin[Project]
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "zip": "application/zip",
}
LINES = 100


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


def _take(
    project: Project,
    request: HttpRequest,
    *,
    what: str,
    form: str,
    everything: bool,
    linkable: bool,
    seed: int | None,
) -> HttpResponseBase:
    study, now = project.study, timezone.now()
    words = f"The challenge set was taken: {what}, {form}."
    auditing.note("challenge_set.taken", words, by=signed_in(request), now=now, study=study)
    kind = "zip" if what == "splits" else form
    name = f"challenge-{str(study.public_id)[:8]}-{what}-{now:%Y%m%d-%H%M}.{kind}"
    if what == "splits":
        return _attached(_zipped_splits(project, seed=seed or 0, form=form), name, kind)
    file = FILES["full" if what == "full" else "challenge"]
    naming = Naming(family="winoventi", salt=salt_of(study, linkable=linkable))
    columns, rows = file.columns, file.rows(project, everything=everything, naming=naming)
    if form in TEXTS:
        lines = StreamingHttpResponse(_in_pieces(TEXTS[form](columns, rows)), content_type=TYPES[form])
        lines["Content-Disposition"] = f'attachment; filename="{name}"'
        return lines
    with TemporaryDirectory() as folder:
        path_ = Path(folder) / f"set.{form}"
        write_rows(path_, columns, rows, form=form)
        # Open, so that it can be sent once its name is gone.
        return _attached(path_.open("rb"), name, kind)


def _zipped_splits(project: Project, *, seed: int, form: str) -> Any:
    file = TemporaryFile()  # noqa: SIM115 - the answer closes it
    with TemporaryDirectory() as folder, ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for one in write_splits(project, folder=Path(folder), seed=seed, form=form):
            archive.write(Path(folder) / one["name"], one["name"])
    file.seek(0)
    return file


def _attached(file: Any, name: str, kind: str) -> FileResponse:
    return FileResponse(file, as_attachment=True, filename=name, content_type=TYPES[kind])


def _in_pieces(lines: Iterator[bytes]) -> Iterator[bytes]:
    """A write to the socket for each row would cost more than the row."""
    held: list[bytes] = []
    for line in lines:
        held.append(line)
        if len(held) == LINES * len(KINDS):
            yield b"".join(held)
            held.clear()
    yield b"".join(held)
