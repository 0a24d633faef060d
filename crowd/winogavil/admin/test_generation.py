"""Questions for the solver's test from an association list: previewed first, then added to a draft."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import QueryDict
from django.urls import URLPattern, path, reverse

from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.admin.list_questions import BATCHES, ListQuestionsForm, drafts_of, note_lacking
from crowd.winogavil.admin.picture_set_draw import no_rows
from crowd.winogavil.models import Association
from crowd.winogavil.services.test_generation import MOST, SIZES, Order, add_questions, look_ahead
from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.page_parts import read_number
from hits.core.domain.counted_nouns import plural

ABOUT = (
    "The weakest associations of a list, with pictures of the pool ({}): few people answered the "
    "word with the chosen ones, and nobody with the others. Only concepts that have a picture are used."
)


class QuestionsForm(ListQuestionsForm):
    count = forms.IntegerField(
        label="Number of questions",
        min_value=1,
        max_value=MOST,
        initial=50,
        help_text="Each worker is given some of them, drawn at random. The more there are, the "
        "less workers can tell one another.",
    )
    size = forms.TypedChoiceField(
        label="Pictures in a question", choices=[(size, str(size)) for size in SIZES], coerce=int, initial=5
    )
    field_order = ("batch", "swow", "count", "size", "seed")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["batch"].label = "Test"
        self.fields["batch"].help_text = "Drafts of the task “Association game: solver's test”."


def urls(page: admin.ModelAdmin[Any]) -> list[URLPattern]:
    return [path("make-test/", page.admin_site.admin_view(MAKING.view("make")), name="winogavil_make_test")]


def _form(data: QueryDict | None, call: Call[Any]) -> QuestionsForm:
    return QuestionsForm(data, drafts=drafts_of(domain.SOLVER_TEST, call))


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


def _add(call: Call[Any]) -> Outcome:
    order = Order(**call.values)
    added = add_questions(order, seen=read_number(call.sent.get("there", "")), now=call.now)
    words = "1 question was added." if added == 1 else f"{added} questions were added."
    return Outcome(
        said=f"{words} They belong to the test, and are in no data of the study.",
        to=reverse("admin:hits_batch_step", args=[order.batch.pk, "what"]),
    )


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
