"""The SWOW baseline from an association list: some of it previewed first, then added to a draft."""

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
from crowd.winogavil.services.swow_baseline import (
    MOST,
    PAPER_COUNT,
    SIZES,
    Order,
    add_baseline,
    count_shapes,
    look_ahead,
)
from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.page_parts import read_number
from hits.core.domain.counted_nouns import plural

SHOWN = 6
ABOUT = (
    "Instances to compare the game with, as in the paper: a word of an association list, pictures of what "
    "people said to it, and pictures of what nobody did. The pool has {}; only concepts with a picture are "
    "used. {} people solve each instance, models are asked as about the game's, and those that people solve "
    "are kept. They stand in a row, a column and files of their own."
)


class BaselineForm(ListQuestionsForm):
    count = forms.IntegerField(
        label="Number of instances",
        min_value=1,
        max_value=MOST,
        initial=PAPER_COUNT,
        help_text=f"The paper makes {PAPER_COUNT:,}, and keeps about 1,000. Each has a word of its own.",
    )
    sizes = forms.TypedChoiceField(
        label="Pictures in an instance",
        choices=[("5 6", "5 or 6, half of them each"), *((str(size), f"always {size}") for size in SIZES)],
        coerce=lambda text: tuple(map(int, text.split())),
        initial="5 6",
    )
    field_order = ("batch", "swow", "count", "sizes", "seed")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields[
            "batch"
        ].help_text = "Drafts of the task “Association game: solve”. Best make one for the baseline alone."


def urls(page: admin.ModelAdmin[Any]) -> list[URLPattern]:
    shown = page.admin_site.admin_view(MAKING.view("make"))
    return [path("make-baseline/", shown, name="winogavil_make_baseline")]


def _form(data: QueryDict | None, call: Call[Any]) -> BaselineForm:
    return BaselineForm(data, drafts=drafts_of(domain.SOLVE, call))


def _look(call: Call[Any]) -> Confirm:
    order = Order(**call.values) if call.values else None
    questions = look_ahead(order) if order else []
    there = order.batch.items.count() if order else 0
    pictures = plural(Picture.objects.playable().count(), "fit picture")
    return Confirm(
        title="Make the SWOW baseline",
        text=ABOUT.format(pictures, domain.SOLVERS_WANTED),
        problem=note_lacking(domain.SOLVE, call),
        detail="admin/winogavil/baseline.html" if questions else "",
        details={
            "questions": questions[:SHOWN],
            "count": len(questions),
            "shapes": count_shapes(questions),
            "there": there,
        },
        button=f"Add {plural(len(questions), 'instance')}",
        hidden=[("there", there)],
    )


def _add(call: Call[Any]) -> Outcome:
    order = Order(**call.values)
    added = add_baseline(order, by=call.by, seen=read_number(call.sent.get("there", "")), now=call.now)
    words = "1 instance was added." if added == 1 else f"{added} instances were added."
    return Outcome(
        said=f"{words} Look at the batch's terms and people, then launch it like any other.",
        to=reverse("admin:hits_batch_step", args=[order.batch.pk, "what"]),
    )


MAKING: ActionPages[Any] = ActionPages(
    actions={
        "make": Action(
            label="Add",
            permissions=["hits.change_batch"],
            form=_form,
            looks_first="Preview some of them",
            confirm=_look,
            run=_add,
        )
    },
    find=no_rows,
    back=lambda _: reverse(BATCHES),
    base="admin/hits/action_base.html",
    shared=lambda _: {"opts": Association._meta, "trail": [("Batches", reverse(BATCHES))]},
)
