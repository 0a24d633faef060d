"""Pairs and lists made of a project's images by a click, after a look at how many that would be."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import URLPattern

from crowd.whoops.judge.admin.judging_cards import ADD, SEED_HELP, card_key
from crowd.whoops.judge.services.explanation_lists import (
    PlannedQuestions,
    gather_explanations,
    make_explanations,
)
from crowd.whoops.judge.services.weird_normal_pairs import PlannedPairs, draw_pairs, make_pairs
from crowd.whoops.models import Project
from crowd.whoops.models.judged_items import Question
from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.projects.project_actions import project_actions
from hits.admin.projects.project_page import ProjectPages
from hits.core.domain.counted_nouns import plural

Kind = Question.Kind
ABOUT_PAIRS = (
    "Weird images are drawn by lot from those that are accepted and have a normal partner. Each is asked "
    "about, and so is its partner: is it weird or normal?"
)
ABOUT_LISTS = (
    "Each list holds what annotators, the designer and models have said of one image. What is said in the "
    "same words is shown once, and counts for each who said it. A list that a worker has seen stays as it "
    "is; what comes later makes a further list."
)
SPENDS_NOTHING = "Nothing is spent: workers are asked once a batch is launched."
LAUNCH = "Launch a batch to ask."


class PairsForm(forms.Form):
    wanted = forms.IntegerField(
        label="Weird images, in all",
        initial=100,
        min_value=1,
        max_value=100_000,
        help_text="Those that are asked already count among them.",
    )
    seed = forms.IntegerField(initial=1, min_value=0, max_value=2**31, help_text=SEED_HELP)


class ListsForm(forms.Form):
    incomplete = forms.BooleanField(
        label="Also of images whose annotations are not all there yet",
        required=False,
        help_text="What is annotated later makes a further list of the same image.",
    )


def making_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/judging/pairs/", pairs_view, "pairs"),
        pages.at("<int:pk>/judging/explanations/", lists_view, "lists"),
    ]


def pairs_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    return _pages(pages, Kind.IDENTIFY, PAIRS).answer(request, Kind.IDENTIFY, pk=pk)


def lists_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    return _pages(pages, Kind.EXPLAIN, LISTS).answer(request, Kind.EXPLAIN, pk=pk)


def _pages(pages: ProjectPages[Any], kind: str, action: Action[Project]) -> ActionPages[Project]:
    return project_actions(
        pages,
        {kind: action},
        find=lambda request, pk: [pages.find(request, pk, ADD)],
        back=lambda project: f"{pages.address(project)}#{card_key(kind)}",
    )


def _ask_for_pairs(call: Call[Project]) -> Confirm:
    about = Confirm(title="Draw images: weird or normal", text=ABOUT_PAIRS, button="Draw the images")
    if not call.values:
        return about
    drawn = draw_pairs(project=call.row, **call.values)
    said = _standing(drawn)
    if not drawn.images:
        why = emphasize("{} {why}", "Nothing would be drawn.", why=_why_none(drawn))
        return replace(about, consequences=[why, *said], is_blocked=True)
    count = len(drawn.images)
    images = f"{plural(count, 'weird image')}, and {count} normal."
    asked = emphasize("{} {judges} people look at each.", images, judges=call.row.judges_wanted)
    return replace(about, consequences=[asked, *said], cost=SPENDS_NOTHING)


def _standing(drawn: PlannedPairs) -> Sequence[str]:
    lack = f"{plural(drawn.lacking, 'accepted image')} {'lacks' if drawn.lacking == 1 else 'lack'} a normal"
    return [
        f"{plural(drawn.there, 'pair')} {'is' if drawn.there == 1 else 'are'} there already.",
        f"{drawn.left} more could be drawn.",
        f"{lack} partner.{' Designers add partners on their pages.' if drawn.lacking else ''}",
    ]


def _why_none(drawn: PlannedPairs) -> str:
    if drawn.left:
        return "All that you want are there. Raise the number to draw more."
    return "No further image has a normal partner." if drawn.lacking else "No further image is accepted."


def _make_pairs(call: Call[Project]) -> Outcome:
    count = make_pairs(project=call.row, now=call.now, **call.values)
    return Outcome(
        said=f"Pairs that wait for workers now: {count}. {LAUNCH}",
        history=f"{count} pairs of images were drawn: {dict(call.values)}.",
    )


def _lists_form(data: QueryDict | None, _: Call[Project]) -> ListsForm:
    """Bind the form at once: nothing has to be typed before the page shows what would be made."""
    return ListsForm({} if data is None else data)


def _ask_for_lists(call: Call[Project]) -> Confirm:
    found = gather_explanations(project=call.row, **call.values)
    about = Confirm(title="Make lists of explanations", text=ABOUT_LISTS)
    waits = _waiting(found, incomplete=call.values["incomplete"], wanted=call.row.annotations_wanted)
    if not found.lists:
        nothing = emphasize("{}", "There is nothing new to ask.")
        return replace(about, consequences=[nothing, waits], is_blocked=True)
    lists = f"{plural(found.lists, 'list')} with {plural(found.explanations, 'explanation')}."
    asked = emphasize("{} {judges} people look at each.", lists, judges=call.row.judges_wanted)
    button = "Make the list" if found.lists == 1 else "Make the lists"
    return replace(about, consequences=[asked, waits], cost=SPENDS_NOTHING, button=button)


def _waiting(found: PlannedQuestions, *, incomplete: bool, wanted: int) -> str:
    does, waits = ("does", "waits") if found.incomplete == 1 else ("do", "wait")
    tail = f", and {waits}" if found.incomplete and not incomplete else ""
    return f"{plural(found.incomplete, 'accepted image')} {does} not have all {wanted} annotations{tail}."


def _make_lists(call: Call[Project]) -> Outcome:
    count = make_explanations(project=call.row, now=call.now, **call.values)
    return Outcome(
        said=f"Lists that wait for workers now: {count}. {LAUNCH}",
        history=f"{count} lists of explanations were made.",
    )


PAIRS = Action(
    label="Draw images",
    form=lambda data, _: PairsForm(data),
    looks_first="Count",
    confirm=_ask_for_pairs,
    run=_make_pairs,
)
LISTS = Action(
    label="Make lists", form=_lists_form, looks_first="Count again", confirm=_ask_for_lists, run=_make_lists
)
