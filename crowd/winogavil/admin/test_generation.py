"""Questions for the solver's test from an association list: previewed first, then added to a draft."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.admin.picture_set_draw import no_rows
from crowd.winogavil.models import Association
from crowd.winogavil.services.list_questions import MOST, SIZES, Order, add_questions, look_ahead
from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.page_parts import plural, read_number
from hits.studies.models import Batch
from hits.work.access import visible
from qualifications.models import SwowList

ABOUT = (
    "The weakest associations of a list, with pictures of the pool ({}): few people answered the "
    "word with the chosen ones, and nobody with the others. Only concepts that have a picture are used."
)
NO_DRAFT = (
    '<strong>There is no draft of this test yet.</strong> <a href="{}">Make a batch</a> of the task '
    "“Association game: solver's test” first; its questions come from here, or from a file."
)
NO_LIST = "There is no association list yet. Import one with the command import_swow."


class QuestionsForm(forms.Form):
    batch = forms.ModelChoiceField(
        Batch.objects.none(), label="Test", help_text="Drafts of the task “Association game: solver's test”."
    )
    swow = forms.ModelChoiceField(SwowList.objects.none(), label="Association list")
    count = forms.IntegerField(
        label="Number of questions",
        min_value=1,
        max_value=MOST,
        initial=50,
        help_text="Each worker is given some of them, drawn at random. The more there are, the "
        "less workers can tell one another.",
    )
    size = forms.TypedChoiceField(
        label="Pictures of each", choices=[(size, str(size)) for size in SIZES], coerce=int, initial=5
    )
    field_order = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="The same seed makes the same questions from the same list and pictures.",
    )
    field_order = ("batch", "swow", "count", "size", "seed")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["batch"].queryset = drafts
        fields["swow"].queryset = SwowList.objects.filter(status=SwowList.Status.READY).order_by("name")
        fields["batch"].label_from_instance = lambda batch: f"{batch} (number {batch.pk})"


def urls(page: admin.ModelAdmin[Any]) -> list[URLPattern]:
    return [path("make-test/", page.admin_site.admin_view(MAKING.view("make")), name="winogavil_make_test")]


def _form(data: QueryDict | None, call: Call[Any]) -> QuestionsForm:
    drafts = _drafts(call)
    first = {"seed": secrets.randbelow(LARGEST_SEED), "batch": drafts.first()}
    return QuestionsForm(data, drafts=drafts, initial=first)


def _look(call: Call[Any]) -> Confirm:
    order = Order(**call.values) if call.values else None
    questions = look_ahead(order) if order else []
    there = order.batch.items.count() if order else 0
    return Confirm(
        title="Make questions for the solver's test",
        text=ABOUT.format(plural(Picture.objects.playable().count(), "fit picture")),
        problem=note_lacking(domain.SOLVER_TEST, call),
        detail="admin/winogavil/questions.html" if questions else "",
        details={"questions": questions, "there": there},
        button=f"Add {plural(len(questions), 'question')}",
        hidden=[("there", there)],
    )


def note_lacking(call: Call[Any]) -> SafeString:
    """What there has to be before any question can be made."""
    address = f"{reverse('admin:hits_batch_add')}?{urlencode({'task': domain.SOLVER_TEST})}"
    has_list = SwowList.objects.filter(status=SwowList.Status.READY).exists()
    lacking = [
        *(() if _drafts(call).exists() else [format_html(NO_DRAFT, address)]),
        *(() if has_list else [NO_LIST]),
    ]
    return format_html_join(" ", "{}", [(words,) for words in lacking])


def _add(call: Call[Any]) -> Outcome:
    order = Order(**call.values)
    added = add_questions(order, seen=read_number(call.sent.get("there", "")), now=call.now)
    words = "1 question was added." if added == 1 else f"{added} questions were added."
    return Outcome(
        said=f"{words} They belong to the test, and are in no data of the study.",
        to=reverse("admin:hits_batch_step", args=[order.batch.pk, "what"]),
    )


def _drafts(call: Call[Any]) -> QuerySet[Batch]:
    rows = visible(Batch.objects.filter(status=Batch.Status.DRAFT, task=domain.SOLVER_TEST), call.by)
    if study := read_number(call.query.get("study", "")):
        rows = rows.filter(study=study)
    return rows.select_related("study").order_by("-pk")


MAKING: ActionPages[Any] = ActionPages(
    actions={
        "make": Action(
            label="Add",
            permissions=["hits.change_batch"],
            form=_form,
            looks_first="Preview the questions",
            confirm=_look,
            run=_add,
        )
    },
    find=no_rows,
    back=lambda _: reverse(BATCHES),
    base="admin/hits/action_base.html",
    shared=lambda _: {"opts": Association._meta, "trail": [("Batches", reverse(BATCHES))]},
)
