"""Files of questions with answers, captions and models' explanations: read, shown, and then asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils import timezone

from crowd.whoops.judge.admin.judging_cards import ADD, SEED_HELP, card_key
from crowd.whoops.judge.services.question_files import COLUMNS, MOST_BYTES, MOST_ROWS
from crowd.whoops.judge.services.question_import import Preview, import_rows, preview_import
from crowd.whoops.models import Image, Project
from crowd.whoops.models.judged_items import Question
from hits.admin.data.result_forms import UploadedFile
from hits.admin.data.take_files import send_csv
from hits.admin.projects.project_page import ProjectPages
from hits.common.spreadsheets import Cell
from hits.common.uploads import UploadedColumn, example_file
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.text_lines import whole_text
from hits.core.domain.counted_nouns import plural
from hits.core.errors import InvalidItems

ABOUT = (
    "You see what was read before anything is added, and the same rows once more add nothing. The file to "
    "fill in has a line for each accepted image: take out those that you do not need."
)
Kind = Question.Kind


@dataclass(frozen=True, kw_only=True)
class Sort:
    """One sort of file that can be imported."""

    kind: str
    title: str
    what: str

    @property
    def columns(self) -> Sequence[UploadedColumn]:
        return COLUMNS[self.kind]


SORTS = {
    card_key(sort.kind): sort
    for sort in (
        Sort(
            kind=Kind.VERIFY,
            title="Import questions and answers",
            what="questions with answers",
        ),
        Sort(
            kind=Kind.RATE,
            title="Import captions",
            what="captions",
        ),
        Sort(
            kind=Kind.EXPLAIN,
            title="Import models' explanations",
            what="explanations",
        ),
    )
}


class UploadForm(forms.Form):
    file = forms.FileField(
        help_text=f"CSV or JSON, with at most {MOST_ROWS:,} rows and {MOST_BYTES // 1_000_000} MB.",
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.jsonl,.json,.txt,text/csv"}),
    )

    def clean_file(self) -> str:
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise ValidationError(f"A file has at most {MOST_BYTES // 1_000_000} MB. Split it into several.")
        return whole_text(file, problems=Problems(ValidationError))


class SeedForm(forms.Form):
    """The seed of the wrong answers that are mixed in."""

    seed = forms.IntegerField(
        label="Seed of the wrong answers", initial=1, min_value=0, max_value=2**31, help_text=SEED_HELP
    )
    waits = forms.BooleanField(
        label="They wait for a sample",
        required=False,
        help_text="Nobody is asked about them until you draw a sample; wrong answers are mixed in then.",
    )


def import_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/judging/import/<slug:sort>/", import_view, "import"),
        pages.at("<int:pk>/judging/import/<slug:sort>/template/", template_view, "import_template"),
    ]


def import_view(pages: ProjectPages[Any], request: HttpRequest, pk: int, sort: str) -> HttpResponse:
    """Read the file and show it; a second click sends the same text once more, to be added."""
    project, chosen = pages.find(request, pk, ADD), _sort(sort)
    is_sent = request.method == "POST"
    seed = SeedForm(request.POST if is_sent else None) if chosen.kind == Kind.VERIFY else None
    is_confirmed = is_sent and "content" in request.POST
    form = UploadForm(request.POST, request.FILES) if is_sent else UploadForm()
    problems: Sequence[str] = ()
    preview: Preview | None = None
    text = ""
    if is_sent and (is_confirmed or form.is_valid()) and (seed is None or seed.is_valid()):
        text = request.POST["content"] if is_confirmed else form.cleaned_data["file"]
        draw = seed.cleaned_data if seed else {"seed": 0, "waits": False}
        try:
            if is_confirmed:
                messages.success(request, import_file(pages, request, project, chosen, text=text, **draw))
                return redirect(f"{pages.address(project)}#{card_key(chosen.kind)}")
            preview = preview_import(project=project, kind=chosen.kind, text=text, **draw)
        except InvalidItems as invalid:
            problems = invalid.problems
    context = {
        "title": chosen.title,
        "sort": chosen,
        "key": sort,
        "form": UploadForm() if is_confirmed else form,
        "seed": seed,
        "problems": problems,
        "preview": preview,
        "content": text,
        "card": f"{pages.address(project)}#{card_key(chosen.kind)}",
        "file": _file(pages, project, chosen),
    }
    return pages.render(request, "admin/whoops/import.html", context, project=project)


def template_view(pages: ProjectPages[Any], request: HttpRequest, pk: int, sort: str) -> HttpResponseBase:
    """Send a file to fill in, with a line for each accepted image."""
    project, chosen = pages.find(request, pk, ADD), _sort(sort)
    names = [column.name for column in chosen.columns]
    return send_csv(names, _lines(project, chosen), name=f"{sort}.csv")


def _file(pages: ProjectPages[Any], project: Project, sort: Sort) -> UploadedFile:
    any_image = project.images.filter(state=Image.State.ACCEPTED).exists()
    return UploadedFile(
        columns=sort.columns,
        about=ABOUT,
        examples=[example_file(sort.columns)],
        note="" if any_image else "No image is accepted yet, so there is nothing that a row could be about.",
        fill_in=pages.address(project, "import_template", card_key(sort.kind)),
    )


def _sort(name: str) -> Sort:
    if name not in SORTS:
        raise Http404
    return SORTS[name]


def import_file(
    pages: ProjectPages[Any],
    request: HttpRequest,
    project: Project,
    sort: Sort,
    *,
    text: str,
    seed: int,
    waits: bool,
) -> str:
    """Import the rows, write it into the project's history, and say what was done."""
    now = timezone.now()
    # Wrong answers are mixed into questions with answers alone, and only these can wait for a sample.
    draw = {"seed": seed, "waits": waits} if sort.kind == Kind.VERIFY else {"seed": 0, "waits": False}
    count = import_rows(project=project, kind=sort.kind, text=text, now=now, **draw)  # type: ignore[arg-type]
    pages.log_change(request, project, f"{count} {sort.what} were imported.")
    if not count:
        return "Everything in this file was there already. Nothing was added."
    if sort.kind == Kind.EXPLAIN:
        return f"Explanations added: {count}. Make lists of them to have them asked."
    if draw["waits"]:
        return f"Added: {count} {sort.what}. Draw a sample of them to have it asked."
    return f"Added, and waiting for workers: {count} {sort.what}."


def words_of_preview(preview: Preview) -> str:
    """Say what an import would add, for whoever has no page to look at."""
    words = f"New: {preview.new}, of {plural(preview.images, 'image')}. There already: {preview.known}."
    if not preview.negatives_wanted:
        return words
    return f"{words} Wrong answers mixed in: {preview.negatives} of {preview.negatives_wanted}."


def _lines(project: Project, sort: Sort) -> Iterator[Sequence[Cell]]:
    accepted = project.images.filter(state=Image.State.ACCEPTED).order_by("number")
    for number in accepted.values_list("number", flat=True).iterator():
        yield (number, *("" for _ in sort.columns[1:]))
