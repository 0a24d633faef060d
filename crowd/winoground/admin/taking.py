"""Examples and answers as a file: sent while it is read, or from a file that is gone afterwards."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from django import forms
from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern
from django.utils import timezone

from crowd.winoground.admin.results import TAKE, Hub, find
from crowd.winoground.exporting.columns import ANSWERS, EXAMPLES, FULL, PROVENANCE
from crowd.winoground.exporting.rows import answer_rows, asked_examples, example_rows, full_rows
from crowd.winoground.models import Project
from hits.admin.selecting import signed_in
from hits.datasets.columns import Column, Row
from hits.datasets.writing import TEXTS, write_rows
from hits.exports import Naming, salt_of
from hits.services import auditing

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
# A write to the socket for each row would cost more than the row.
LINES = 200


class TakeForm(forms.Form):
    """What of the study, and as which file."""

    WHAT = (
        ("examples", "Examples, with captions, images, tags and people's scores"),
        ("full", "Examples in full: also who wrote them, when, and every model's scores"),
        ("answers", "Answers: a row for every answer that counts"),
    )
    FORMS = (("csv", "CSV"), ("jsonl", "JSON Lines"), ("parquet", "Parquet"))
    what = forms.ChoiceField(label="What", choices=WHAT, initial="examples", widget=forms.RadioSelect)
    form = forms.ChoiceField(label="File", choices=FORMS, initial="csv", widget=forms.RadioSelect)
    everything = forms.BooleanField(
        label="Also examples that were withdrawn after workers had been asked", required=False
    )
    linkable = forms.BooleanField(
        label="The same pseudonyms in every file that is taken with this",
        required=False,
        help_text="Off: nobody can follow a person by the pseudonym from file to file.",
    )


def urls(hub: Hub) -> list[URLPattern]:
    return [hub.at("<int:pk>/data/", take_view, "take")]


def take_view(hub: Hub, request: HttpRequest, pk: int) -> HttpResponseBase:
    project = find(hub, request, pk, TAKE)
    form = TakeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return _take(project, request, **form.cleaned_data)
    context = {
        "title": "Take the data out",
        "form": form,
        "examples": asked_examples(project, everything=False).count(),
        "lists": (("Examples", EXAMPLES), ("In full also", PROVENANCE), ("Answers", ANSWERS)),
    }
    return hub.render(request, "admin/winoground/results_take.html", context, project=project)


def _take(
    project: Project, request: HttpRequest, *, what: str, form: str, everything: bool, linkable: bool
) -> HttpResponseBase:
    study, now = project.study, timezone.now()
    words = f"Caption matching was taken: {what}, {form}."
    auditing.note("winoground.taken", words, by=signed_in(request), now=now, study=study)
    name = f"winoground-{str(study.public_id)[:8]}-{what}-{now:%Y%m%d-%H%M}.{form}"
    naming = Naming(family="winoground", salt=salt_of(study, linkable=linkable))
    columns, rows = _rows(project, what, everything=everything, naming=naming)
    if form in TEXTS:
        lines = StreamingHttpResponse(_in_pieces(TEXTS[form](columns, rows)), content_type=TYPES[form])
        lines["Content-Disposition"] = f'attachment; filename="{name}"'
        return lines
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_rows(path, columns, rows, form=form)
        # Open, so that it can be sent once its name is gone.
        return FileResponse(path.open("rb"), as_attachment=True, filename=name, content_type=TYPES[form])


def _rows(
    project: Project, what: str, *, everything: bool, naming: Naming
) -> tuple[Sequence[Column], Iterable[Row]]:
    examples = asked_examples(project, everything=everything)
    if what == "answers":
        return ANSWERS, answer_rows(examples, naming=naming)
    if what == "full":
        return FULL, full_rows(project, examples, naming=naming)
    return EXAMPLES, example_rows(project, examples)


def _in_pieces(lines: Iterator[bytes]) -> Iterator[bytes]:
    while piece := b"".join(islice(lines, LINES)):
        yield piece
