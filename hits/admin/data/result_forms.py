"""The page on which a model's results are uploaded or replaced, wherever they belong."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse

from hits.common.uploads import UploadedColumn
from hits.core.errors import InvalidItems, RuleBroken
from hits.data.services.model_results import ModelResults

ACCEPT = ".csv,.jsonl,.json,.txt,text/csv"
MOST_BYTES = 20_000_000
# Wide enough to show a whole sentence; a narrow window shrinks it.
WIDE = {"size": 50}
Taken = TypeVar("Taken")


@dataclass(frozen=True, kw_only=True)
class UploadedFile:
    """A description of the expected file, shown below its form, each column in its own words.

    `note` says why there is nothing to upload results about yet. `fill_in` leads to a file with empty cells.
    """

    columns: Sequence[UploadedColumn]
    about: str
    examples: Sequence[str] = ()
    note: str = ""
    fill_in: str = ""


class ResultsForm(forms.Form):
    """A form for a file; for a new model also its name, and a note for colleagues if the table has one."""

    file = forms.FileField(
        label="File",
        help_text="CSV or JSON, as described below.",
        widget=forms.ClearableFileInput(attrs={"accept": ACCEPT}),
    )
    field_order: Sequence[str] = ("name", "about", "file")
    most_bytes = MOST_BYTES

    def __init__(
        self, request: HttpRequest, *, results: ModelResults[Any, Any], made: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(request.POST or None, request.FILES or None, **kwargs)
        if made is None:
            field = results.of._meta.get_field(results.header["name"])
            self.fields["name"] = forms.CharField(
                label="Name of the model", max_length=field.max_length, widget=forms.TextInput(WIDE)
            )
        if about := results.header.get("about"):
            self.fields["about"] = forms.CharField(
                label="About it",
                widget=forms.TextInput(WIDE),
                required=False,
                max_length=results.of._meta.get_field(about).max_length,
                help_text="For colleagues: which weights, which prompt, where it comes from.",
                initial=getattr(made, about, ""),
            )
        self.order_fields(self.field_order)

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > self.most_bytes:
            raise ValidationError(f"A file has at most {self.most_bytes // 1_000_000} MB.")
        return file


def answer_upload(
    request: HttpRequest,
    form: forms.BaseForm,
    *,
    take: Callable[[Mapping[str, Any]], Taken],
    done: Callable[[Taken], HttpResponse],
    show: Callable[[Mapping[str, Any]], HttpResponse],
) -> HttpResponse:
    """Take the upload, or show the form again with what was typed and every line that is wrong."""
    problems: Sequence[str] = ()
    if request.method == "POST" and form.is_valid():
        try:
            upload = take(form.cleaned_data)
        except InvalidItems as refusal:
            problems = refusal.problems
        except RuleBroken as refusal:
            form.add_error("name" if "name" in form.fields else None, str(refusal))
        else:
            return done(upload)
    return show({"form": form, "problems": problems})
