"""Imports: files are read, and shown first where something is to be decided; the background adds the rest."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from zipfile import ZipFile

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.files.base import File
from django.core.paginator import Paginator
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from crowd.pictures.admin.pool_parts import IMPORT, render
from crowd.pictures.bringing.import_lines import LONGEST, ConceptFrom
from crowd.pictures.bringing.sources import SUFFIXES
from crowd.pictures.models import Import, Picture, Request
from crowd.pictures.queries.wanted_concepts import ready_lists
from crowd.pictures.services import picture_imports
from crowd.pictures.services.picture_imports import MOST_BYTES, Rights
from crowd.pictures.services.preparation import count_unread
from hits.admin.actions import Action, Call, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.data.take_files import send_csv
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin, read_number
from hits.admin.selection import need, signed_in
from hits.admin.studies.overview import next_in_current_study
from hits.common.spreadsheets import Cell
from hits.core.domain.days import moment_in_words
from hits.core.errors import InvalidItems
from hits.identity.models.users import User
from qualifications.models import SwowList

A_PAGE = 50
MOST_AT_ONCE = settings.DATA_UPLOAD_MAX_NUMBER_FILES
SAMPLE = 12
LOOK_AGAIN_MS = 2_000
WRONG = ("place", "concept", "file", "url", "problem")
Status = Request.Status


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        found = files.getlist(name) if hasattr(files, "getlist") else [files.get(name)]
        return [one for one in found if one]


class FilesField(forms.FileField):
    """Any number of files, each as Django's own field takes it."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        return [super(FilesField, self).clean(one, initial) for one in data or [None]]


class ImportForm(forms.Form):
    file = FilesField(
        label="Files",
        help_text=f"Up to {MOST_AT_ONCE} pictures at once. Or one CSV list of addresses, or one ZIP archive "
        "of pictures. Without a list, the names of files or folders say what the pictures show.",
        widget=FilesInput(
            attrs={"accept": f".csv,.zip,text/csv,application/zip,{','.join(sorted(SUFFIXES))}"}
        ),
    )
    concept_from = forms.ChoiceField(
        label="Without a list, the concept is",
        choices=[(ConceptFrom.FILE, "the name of the file"), (ConceptFrom.FOLDER, "the name of its folder")],
        initial=ConceptFrom.FILE,
        widget=forms.RadioSelect,
        help_text="What a camera writes and numbers do not count: IMG_2011_owl-2.png shows an owl.",
    )
    source = forms.CharField(
        required=False,
        max_length=LONGEST["source"],
        help_text="Where the pictures come from, if a line does not say so.",
    )
    licence = forms.CharField(
        label="License",
        required=False,
        max_length=LONGEST["licence"],
        help_text="Such as CC BY 4.0, if a line names none. A picture without a license is shown to workers, "
        "and left out of releases unless whoever makes one decides otherwise.",
    )
    credit = forms.CharField(
        required=False, max_length=LONGEST["credit"], help_text="Whom to name, if a line does not say so."
    )
    swow = forms.ModelChoiceField(
        SwowList.objects.none(),
        label="Only concepts that still need a picture, of the association list",
        required=False,
        empty_label="No list: every picture comes in",
        help_text="Of a list, pictures of other words are left out, and so are lines that name no picture.",
    )
    is_checked = forms.BooleanField(
        label="Every picture has been looked at already",
        required=False,
        help_text="They can be shown to workers at once, except those on which letters are found. Otherwise "
        "they wait for the manual check.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["swow"]
        field.queryset = ready_lists()

    def clean_file(self) -> Any:
        files = self.cleaned_data["file"]
        if sum(file.size or 0 for file in files) > MOST_BYTES:
            raise forms.ValidationError(
                f"A file has at most {MOST_BYTES // 1_000_000} MB. Split it, "
                "or use manage.py import_pictures."
            )
        names = [file.name for file in files]
        if len(names) > 1 and any(name.lower().endswith(".zip") for name in names):
            raise forms.ValidationError("Choose one ZIP archive alone, or pictures without one.")
        if len(set(names)) < len(names):
            raise forms.ValidationError("Two of these files have the same name. Rename one of them.")
        return files


@admin.register(Import)
class ImportAdmin(ReadOnlyAdmin[Import]):
    menu = MenuPlace(Section.DATA, 4, "Imports of pictures")
    nothing_yet = (
        "An import brings pictures into the pool, from files or from addresses. Start one with the button "
        "above."
    )
    list_display = ("name", "state", "made_by", "made")
    list_select_related = ("made_by",)
    search_fields = ("name",)
    ordering = ("-pk",)
    show_full_result_count = False
    actions = None

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [
            *(
                path(f"<int:pk>/{key}/", shown(require_POST(PAGES.view(key))), name=f"pictures_import_{key}")
                for key in PAGES.actions
            ),
            path("<int:pk>/wrong/", shown(wrong_view), name="pictures_import_wrong"),
            *super().get_urls(),
        ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(IMPORT)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(IMPORT)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(IMPORT)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        need(request, IMPORT)
        initial = {"swow": read_number(request.GET.get("swow", ""))}
        form = ImportForm(request.POST or None, request.FILES or None, initial=initial, label_suffix="")
        problems: list[str] = []
        if request.method == "POST" and form.is_valid():
            now = timezone.now()
            try:
                made = prepare(form.cleaned_data, by=signed_in(request), now=now)
            except InvalidItems as invalid:
                problems = invalid.problems
            else:
                # What was left out is to be seen first.
                if not ("look" in request.POST or made.unwanted_lines or made.empty_lines):
                    picture_imports.begin_import(importing=made, now=now)
                return redirect("admin:pictures_import_change", made.pk)
        context = {"title": "Import pictures", "form": form, "problems": problems}
        status = 409 if problems else 200
        return render(request, "import_form", context, model=Import, status=status)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The page of an import: what is to come in, how far it is, and what went wrong.

        With ?fragment, only the part that the page polls for.
        """
        if not self.has_view_permission(request):
            raise PermissionDenied
        found = get_object_or_404(Import.objects.select_related("made_by", "swow"), pk=read_number(object_id))
        counts = dict(found.requests.values_list("status").annotate(Count("pk")).order_by())
        failed = found.requests.filter(status=Status.FAILED).order_by("pk")
        total = sum(counts.values())
        page = Paginator(failed, A_PAGE).get_page(request.GET.get("page"))
        pictures = Picture.objects.filter(pk__in=found.requests.values("picture"))
        reading = count_unread(pictures) if found.begun_at else 0
        is_done = found.ended_at is not None and not reading
        is_running = found.begun_at is not None and not is_done
        context = {
            "title": f"Import of {found}",
            "import": found,
            "total": total,
            "added": counts.get(Status.ADDED, 0),
            "duplicates": counts.get(Status.DUPLICATE, 0),
            "brought": counts.get(Status.ADDED, 0) + counts.get(Status.DUPLICATE, 0),
            "failed": counts.get(Status.FAILED, 0),
            "waiting": counts.get(Status.WAITING, 0),
            "flagged": pictures.undecided().count(),
            "reading": reading,
            "is_done": is_done,
            "done": total - counts.get(Status.WAITING, 0),
            "sample": found.requests.order_by("pk")[:SAMPLE] if found.begun_at is None else (),
            "more": max(0, total - SAMPLE),
            "page": page,
            # What is polled is the first page of what failed.
            "every_ms": LOOK_AGAIN_MS if is_running and page.number == 1 else 0,
            "next": next_in_current_study(request) if is_done else None,
            "can_try_again": failed.exclude(url="").exists(),
        }
        is_polled = found.begun_at is not None and "fragment" in request.GET
        return render(request, "import_parts" if is_polled else "import", context, model=Import)

    @admin.display(description="state")
    def state(self, row: Import) -> str:
        if row.begun_at is None:
            return "Not begun"
        return "Done" if row.ended_at else "Running"

    @admin.display(description="uploaded (UTC)", ordering="made_at")
    def made(self, row: Import) -> str:
        return moment_in_words(row.made_at)


def _begin(call: Call[Import]) -> Outcome:
    picture_imports.begin_import(importing=call.row, now=call.now)
    return Outcome(said="The import has begun. You can leave this page; it goes on in the background.")


def _discard(call: Call[Import]) -> Outcome:
    picture_imports.discard_import(importing=call.row)
    said = "The file was discarded. No picture was added."
    return Outcome(said=said, to=reverse("admin:pictures_import_changelist"))


def _try_again(call: Call[Import]) -> Outcome:
    count = picture_imports.try_again(importing=call.row, now=call.now)
    words = "1 address is" if count == 1 else f"{count} addresses are"
    return Outcome(said=f"{words} tried again.")


PAGES = ActionPages(
    actions={
        "begin": Action(label="Import the pictures", one_click=True, run=_begin),
        "discard": Action(label="Discard this file", one_click=True, run=_discard),
        "again": Action(label="Try the failed addresses again", one_click=True, run=_try_again),
    },
    find=lambda request, pk: [_find(request, pk)],
    back=lambda rows: reverse("admin:pictures_import_change", args=[rows[0].pk]),
    shared=lambda _: {"opts": Import._meta},
)


def wrong_view(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The failed lines as CSV, to correct and to upload again."""
    failed = _find(request, pk).requests.filter(status=Status.FAILED).order_by("pk")
    return send_csv(WRONG, _wrong_lines(failed), name="wrong-lines.csv")


def prepare(given: Mapping[str, Any], *, by: User, now: datetime) -> Import:
    """Read the files of a valid form. Raises InvalidItems that names the bad lines."""
    with _as_one(given["file"]) as file:
        return picture_imports.prepare_import(
            name=file.name or "",
            upload=file,
            concept_from=ConceptFrom(given["concept_from"]),
            rights=Rights(source=given["source"], credit=given["credit"], licence=given["licence"]),
            is_checked=given["is_checked"],
            swow=given["swow"],
            by=by,
            now=now,
        )


def _as_one(files: Sequence[Any]) -> Any:
    """Return the one list or archive; of pictures, an archive of them and of a list beside them."""
    names = [file.name for file in files]
    if len(names) == 1 and Path(names[0]).suffix.lower() not in SUFFIXES:
        return files[0]
    content = TemporaryFile()  # noqa: SIM115 - whoever reads it closes it
    with ZipFile(content, "w") as archive:
        for file in files:
            archive.writestr(file.name, file.read())
    content.seek(0)
    more = len(names) - 1
    return File(content, name=f"{names[0]} and {more} more" if more else names[0])


def _wrong_lines(rows: QuerySet[Request]) -> Iterator[list[Cell]]:
    for row in rows.iterator(chunk_size=2000):
        yield [row.place, row.concept, row.member, row.url, row.problem]


def _find(request: HttpRequest, pk: int) -> Import:
    need(request, IMPORT)
    return get_object_or_404(Import, pk=pk)
