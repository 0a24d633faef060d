"""Images, questions and answers as a file: sent while it is read, or from a file that is gone afterwards."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from django import forms
from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern
from django.utils import timezone

from crowd.whoops.admin.statistics import TAKE, Hub
from crowd.whoops.exporting.columns import IMAGES, PROVENANCE
from crowd.whoops.exporting.export import FILES
from crowd.whoops.exporting.judged_columns import ANSWERS, QUESTIONS
from crowd.whoops.exporting.judged_rows import exported_questions
from crowd.whoops.exporting.rows import exported_images
from crowd.whoops.models import Project
from hits.admin.selecting import signed_in
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
        ("images", "Images, each with its annotations, its category and how it was made"),
        ("full", "Images in full: also revisions, the control group, who annotated and when"),
        ("questions", "Questions: each thing that people judged, with its votes"),
        ("answers", "Answers: a row for every vote that counts"),
    )
    FORMS = (("csv", "CSV"), ("jsonl", "JSON Lines"), ("parquet", "Parquet"))
    what = forms.ChoiceField(label="What", choices=WHAT, initial="images", widget=forms.RadioSelect)
    form = forms.ChoiceField(label="File", choices=FORMS, initial="csv", widget=forms.RadioSelect)
    everything = forms.BooleanField(
        label="Also images that are not accepted, and questions that were withdrawn", required=False
    )
    linkable = forms.BooleanField(
        label="The same pseudonyms in every file that is taken with this",
        required=False,
        help_text="Off: nobody can follow a person by the pseudonym from file to file.",
    )


def taking_urls(hub: Hub) -> list[URLPattern]:
    return [hub.at("<int:pk>/data/", take_view, "take")]


def take_view(hub: Hub, request: HttpRequest, pk: int) -> HttpResponseBase:
    project = hub.find(request, pk, TAKE)
    form = TakeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return _take(project, request, **form.cleaned_data)
    context = {
        "title": "Take the data out",
        "form": form,
        "images": exported_images(project, everything=False).count(),
        "questions": exported_questions(project, everything=False).count(),
        "lists": (
            ("Images", IMAGES),
            ("In full also", PROVENANCE),
            ("Questions", QUESTIONS),
            ("Answers", ANSWERS),
        ),
    }
    return hub.render(request, "admin/whoops/take.html", context, project=project)


def _take(
    project: Project, request: HttpRequest, *, what: str, form: str, everything: bool, linkable: bool
) -> HttpResponseBase:
    study, now = project.study, timezone.now()
    words = f"Weird images were taken: {what}, {form}."
    auditing.note("whoops.taken", words, by=signed_in(request), now=now, study=study)
    name = f"whoops-{str(study.public_id)[:8]}-{what}-{now:%Y%m%d-%H%M}.{form}"
    naming = Naming(family="whoops", salt=salt_of(study, linkable=linkable))
    columns = FILES[what].columns
    rows = FILES[what].rows(project, everything=everything, naming=naming)
    if form in TEXTS:
        lines = StreamingHttpResponse(_in_pieces(TEXTS[form](columns, rows)), content_type=TYPES[form])
        lines["Content-Disposition"] = f'attachment; filename="{name}"'
        return lines
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_rows(path, columns, rows, form=form)
        # Open, so that it can be sent once its name is gone.
        return FileResponse(path.open("rb"), as_attachment=True, filename=name, content_type=TYPES[form])


def _in_pieces(lines: Iterator[bytes]) -> Iterator[bytes]:
    while piece := b"".join(islice(lines, LINES)):
        yield piece
