"""Upload of rows with the columns that the page names, and an example file to fill in."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from crowd.plain.queries.described_pages import described
from crowd.plain.services.uploading import MOST_BYTES, MOST_ROWS, add_rows, columns_of
from hits.admin.projects.project_page import ProjectPages
from hits.common.uploads import example_file, file_help
from hits.core.errors import InvalidItems, RuleBroken

Pages = ProjectPages[Any]
CHANGE = "plain.change_project"


class FileForm(forms.Form):
    file = forms.FileField(
        label="File", widget=forms.ClearableFileInput(attrs={"accept": ".csv,.jsonl,.json,.txt,text/csv"})
    )

    def clean_file(self) -> bytes:
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise ValidationError(f"A file has at most {MOST_BYTES // 1_000_000} MB. Cut it into several.")
        content: bytes = file.read()
        return content


def upload_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, CHANGE)
    form = FileForm(request.POST or None, request.FILES or None)
    problems: Sequence[str] = ()
    if request.method == "POST" and form.is_valid():
        try:
            count = add_rows(project=project, content=form.cleaned_data["file"])
        except InvalidItems as refusal:
            problems = refusal.problems
        except RuleBroken as refusal:
            form.add_error(None, str(refusal))
        else:
            pages.log_change(request, project, f"Rows were uploaded: {count}.")
            messages.success(request, f"Rows uploaded: {count}. They wait until you ask about them.")
            return redirect(pages.address(project, "rows"))
    description = described(project)
    columns = columns_of(description.page) if description else ()
    context = {
        "title": "Upload rows",
        "form": form,
        "problems": problems,
        "columns": columns,
        "pictures": description.page.pictures if description else (),
        "help": file_help(columns) if columns else "",
        "most": MOST_ROWS,
    }
    return pages.render(request, "admin/plain/upload.html", context, project=project)


def example_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    """An example file: the heading that a file needs, and a line to write over."""
    description = described(pages.find(request, pk))
    columns = columns_of(description.page) if description else ()
    content = example_file(columns, [f"a {column.name}" for column in columns])
    headers = {"Content-Disposition": 'attachment; filename="rows.csv"'}
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers=headers)
