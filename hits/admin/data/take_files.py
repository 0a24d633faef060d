"""A family's data as a file, sent while it is read, or from a temporary file that is deleted afterwards."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, AnyStr

from django import forms
from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from hits.admin.selection import signed_in
from hits.common.spreadsheets import Cell, write_csv
from hits.core import audit_trail
from hits.data.exports import DataFile, Naming, salt_of
from hits.data.project_exports import ProjectExport
from hits.datasets.columns import Column, Row
from hits.datasets.file_writer import TEXTS, write_rows
from hits.studies.models import Study

NAMES = {"tsv": "TSV", "csv": "CSV", "jsonl": "JSON Lines", "parquet": "Parquet"}
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "zip": "application/zip",
}
LINES = 200


class TakeForm(forms.Form):
    """The choice of data and of file format."""

    what = forms.ChoiceField(label="What", widget=forms.RadioSelect)
    form = forms.ChoiceField(label="File", widget=forms.RadioSelect)
    everything = forms.BooleanField(required=False)
    linkable = forms.BooleanField(
        label="Use the same pseudonyms in every file that is downloaded with this box ticked",
        required=False,
        help_text="Unticked, no person can be followed by the pseudonym from file to file.",
    )

    def __init__(
        self, data: Any, *, what: Mapping[str, str], everything: str, kinds: Sequence[str] = ()
    ) -> None:
        super().__init__(data)
        self._offer("what", what)
        self._offer("form", {kind: NAMES[kind] for kind in kinds or ("csv", "jsonl", "parquet")})
        self.fields["everything"].label = everything

    def _offer(self, name: str, choices: Mapping[str, str]) -> None:
        field: Any = self.fields[name]
        field.choices, field.initial = tuple(choices.items()), next(iter(choices))


def words_of(files: Mapping[str, DataFile]) -> Mapping[str, str]:
    return {name: file.words for name, file in files.items()}


def take_file(
    request: HttpRequest, export: ProjectExport, source: Any, *, study: Study, said: str, what: str,
    form: str, everything: bool, linkable: bool,
) -> HttpResponseBase:  # fmt: skip
    """One file of the family's data; the download is put on record."""
    now = timezone.now()
    words = f"{said}: {what}, {form}."
    audit_trail.note(export.recorded, words, by=signed_in(request), now=now, study=study)
    naming = Naming(family=export.family, salt=salt_of(study, linkable=linkable))
    file = export.files_of(source)[what]
    rows = file.rows(source, everything=everything, naming=naming)
    return send_rows(file.columns, rows, name=file_name(export.stem, study, what, form, now=now), form=form)


def file_name(stem: str, study: Study, what: str, kind: str, *, now: datetime) -> str:
    return f"{stem}-{str(study.public_id)[:8]}-{what}-{now:%Y%m%d-%H%M}.{kind}"


def send_rows(columns: Sequence[Column], rows: Iterable[Row], *, name: str, form: str) -> HttpResponseBase:
    if form in TEXTS:
        return send_lines(TEXTS[form](columns, rows), name=name, kind=form)
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_rows(path, columns, rows, form=form)
        # The open file can still be sent after its folder is deleted.
        return send_file(path.open("rb"), name=name, kind=form)


def send_file(file: IO[bytes], *, name: str, kind: str) -> FileResponse:
    return FileResponse(file, as_attachment=True, filename=name, content_type=TYPES[kind])


def send_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]], *, name: str) -> StreamingHttpResponse:
    """Send a table that is no data set as CSV, for spreadsheets."""
    return send_lines(write_csv(header, rows), name=name, kind="csv")


def send_lines(lines: Iterable[AnyStr], *, name: str, kind: str) -> StreamingHttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(in_pieces(lines), content_type=TYPES[kind], headers=headers)


def in_pieces(lines: Iterable[AnyStr]) -> Iterator[AnyStr]:
    """Lines joined into pieces: a write to the socket for each row would cost more than the row."""
    remaining = iter(lines)
    while held := list(islice(remaining, LINES)):
        yield held[0][:0].join(held)
