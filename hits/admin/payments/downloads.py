"""Files for the finance office, sent while they are read or from the disk: memory stays flat."""

from typing import Any

from django import forms
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase

from hits.admin.data.take_files import send_csv, send_lines
from hits.common.spreadsheets import write_json_lines
from hits.payments.services.finance_files import LONGEST_REASON, FinanceFile
from hits.payments.services.workbooks import write_workbook

FORMATS = [("xlsx", "XLSX, for Excel and LibreOffice"), ("csv", "CSV, for everything else")]
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class FormatForm(forms.Form):
    """The choice of a file format. Users who may see the provider's ids can ask for them, with a reason."""

    format = forms.ChoiceField(label="File", choices=FORMATS, initial="xlsx", widget=forms.RadioSelect)
    with_ids = forms.BooleanField(label="Add the workers' ids at the provider", required=False)
    reason = forms.CharField(
        label="Why the ids are needed", required=False, max_length=LONGEST_REASON, help_text="For the record."
    )

    def __init__(self, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(request.POST if request.method == "POST" else None, label_suffix="", **kwargs)
        if not request.user.has_perm("hits.see_worker_id"):
            del self.fields["with_ids"], self.fields["reason"]

    @property
    def wanted_reason(self) -> str | None:
        """The reason to include the provider's ids; None if they are not asked for."""
        return self.cleaned_data.get("reason", "") if self.cleaned_data.get("with_ids") else None


def send(file: FinanceFile, *, kind: str) -> HttpResponseBase:
    name = f"{file.name}.{kind}"
    if kind == "xlsx":
        book = write_workbook(file.header, file.rows)
        return FileResponse(book, as_attachment=True, filename=name, content_type=XLSX)
    if kind == "jsonl":
        return send_lines(write_json_lines(file.header, file.rows), name=name, kind=kind)
    return send_csv(file.header, file.rows, name=name)
