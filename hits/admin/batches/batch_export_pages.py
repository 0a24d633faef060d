"""A batch's work as a file, sent while it is read, so that its size is not limited."""

from collections.abc import Iterable
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
from hits.admin.selection import signed_in
from hits.data.services import batch_files
from hits.data.services.batch_files import KINDS, PROVENANCE, SHAPES
from hits.studies.models import Batch

EXPORT = "hits.export_batch"


class ExportForm(forms.Form):
    shape = forms.ChoiceField(label="Rows", widget=forms.RadioSelect)
    kind = forms.ChoiceField(
        label="File", choices=list(KINDS.items()), initial="csv", widget=forms.RadioSelect
    )
    include_excluded = forms.BooleanField(
        label="Include rejected work, and work that was paid and kept out of the data",
        required=False,
        help_text="Data that workers have had removed are in no file.",
    )

    def __init__(self, data: Any, *, shapes: Iterable[str]) -> None:
        super().__init__(data)
        field: Any = self.fields["shape"]
        field.choices = [(shape, SHAPES[shape]) for shape in shapes]
        field.initial = field.choices[0][0]


def urls(batches: admin.ModelAdmin[Batch]) -> list[URLPattern]:
    view = batches.admin_site.admin_view(partial(export_view, batches))
    return [path("<int:batch_id>/export/", view, name="hits_batch_export")]


def export_view(
    batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int
) -> HttpResponse | StreamingHttpResponse:
    """Ask for the file's rows and format, then send the file."""
    batch = get_batch(batches, request, batch_id)
    if not request.user.has_perm(EXPORT):
        raise PermissionDenied
    columns = batch_files.columns_of(batch)
    form = ExportForm(request.POST if request.method == "POST" else None, shapes=columns)
    if form.is_bound and form.is_valid():
        return _send(request, batch, **form.cleaned_data)
    context = {
        **batches.admin_site.each_context(request),
        "title": "Export",
        "batch": batch,
        "form": form,
        "lists": [(SHAPES[shape], found) for shape, found in columns.items()],
        "provenance": PROVENANCE,
    }
    return TemplateResponse(request, "admin/hits/export.html", context)


def _send(request: HttpRequest, batch: Batch, *, kind: str, **asked: Any) -> StreamingHttpResponse:
    now = timezone.now()
    lines = batch_files.send_batch(batch=batch, kind=kind, by=signed_in(request), now=now, **asked)
    return send_lines(lines, name=batch_files.name_of(batch, kind=kind, now=now), kind=kind)
