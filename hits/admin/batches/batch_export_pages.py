"""A batch's work as a file, sent while it is read, so that its size is not limited."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from hits.admin.batches.steer import get_batch
from hits.admin.data.take_files import send_lines
from hits.common.spreadsheets import MARK, csv_line
from hits.data.services import batch_export
from hits.studies.models import Batch

EXPORT = "hits.export_batch"
# These columns are in every row of a table, so that a part of a file still says where it comes from.
PROVENANCE = ("study", "batch_id", "exported_at")


class ExportForm(forms.Form):
    kind = forms.ChoiceField(
        label="File",
        choices=[("csv", "CSV, for spreadsheets and R"), ("jsonl", "JSON Lines, with the batch's terms")],
        initial="csv",
        widget=forms.RadioSelect,
    )
    include_excluded = forms.BooleanField(
        label="Include rejected work, and work that was paid and kept out of the data",
        required=False,
        help_text="Data that workers have had removed are in no file.",
    )


def urls(batches: admin.ModelAdmin[Batch]) -> list[URLPattern]:
    view = batches.admin_site.admin_view(partial(export_view, batches))
    return [path("<int:batch_id>/export/", view, name="hits_batch_export")]


def export_view(
    batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int
) -> HttpResponse | StreamingHttpResponse:
    """Ask for the file's format, then send the file."""
    batch = get_batch(batches, request, batch_id)
    if not request.user.has_perm(EXPORT):
        raise PermissionDenied
    form = ExportForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        return _send(request, batch, **form.cleaned_data)
    context = {
        **batches.admin_site.each_context(request),
        "title": "Export",
        "batch": batch,
        "form": form,
        "columns": [*batch_export.COLUMNS, *PROVENANCE],
    }
    return TemplateResponse(request, "admin/hits/export.html", context)


def write_csv(rows: Iterable[Mapping[str, Any]], *, about: Mapping[str, Any]) -> Iterator[str]:
    """Write rows as CSV with a byte order mark, by which spreadsheets know the encoding."""
    yield MARK + csv_line([*batch_export.COLUMNS, *PROVENANCE])
    tail = [_cell(about[name]) for name in PROVENANCE]
    for row in rows:
        yield csv_line([*(_cell(row[name]) for name in batch_export.COLUMNS), *tail])


def write_jsonl(rows: Iterable[Mapping[str, Any]], *, about: Mapping[str, Any]) -> Iterator[str]:
    """Write rows as JSON Lines. The first line describes the file; every other line is a row."""
    yield json.dumps({"about": about}, ensure_ascii=False) + "\n"
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _cell(value: Any) -> str | int | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str | int | None) else json.dumps(value, ensure_ascii=False)


def _send(request: HttpRequest, batch: Batch, *, kind: str, include_excluded: bool) -> StreamingHttpResponse:
    by: Any = request.user
    now = timezone.now()
    batch_export.record_export(batch=batch, include_excluded=include_excluded, by=by, now=now)
    about = batch_export.describe_export(batch=batch, include_excluded=include_excluded, by=by, now=now)
    rows = batch_export.export_batch(batch=batch, include_excluded=include_excluded)
    lines = (write_csv if kind == "csv" else write_jsonl)(rows, about=about)
    return send_lines(lines, name=f"batch-{str(batch.public_id)[:8]}-{now:%Y%m%d-%H%M}.{kind}", kind=kind)
