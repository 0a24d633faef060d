"""What registered models make of the images, judged by people: questions, explanations and captions."""

from dataclasses import replace
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from crowd.benchmarks.models import Result
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.whoops.judge.admin.judging_cards import ADD, card_key
from crowd.whoops.judge.services.answered_blind import blind_results, count_answered, withdraw_answered
from crowd.whoops.judge.services.benchmark_words import results_with_words, take_words
from crowd.whoops.judge.services.making_questions import captioned_images, make_questions, makers
from crowd.whoops.models import Project
from crowd.whoops.models.judged_items import Question
from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.projects.project_actions import project_actions
from hits.admin.projects.project_page import ProjectPages
from hits.core.domain.counted_nouns import plural

MAKE, WITHDRAW, TAKE = "make_questions", "withdraw_answered", "take_words"
ABOUT_MAKING = (
    "A tagger reads each caption, and rules turn it into questions that it answers: who or what does "
    "something, how many they are, what they do it with, and where. Questions that two captions of an image "
    "answer differently are left out. The others wait for a sample, like imported ones."
)
ABOUT_WITHDRAWING = (
    "What a model answers without seeing the image says nothing about seeing. Choose the result of such a "
    "model on a release of this study: the questions that it answered rightly, exactly or by the learned "
    "match, are withdrawn, and are in no later release. Each can be brought back on its own page."
)

BLIND_HELP = (
    "Language models that were asked here, and uploaded answers: of those, take none of a model that saw the "
    "images."
)
NO_RESULT = "No such model has answered yet: ask one, or upload its answers, on the page of a release."
ABOUT_TAKING = (
    "Judges see what a model has said on a benchmark among what people have said, in no order and without a "
    "name. Explanations wait for the next lists that you make; captions are asked about at once. What is "
    "there already, and what has more than 500 characters, is left out."
)


class MakingForm(forms.Form):
    model = forms.ModelChoiceField(
        queryset=makers(),
        to_field_name="name",
        label="Tagger",
        empty_label=None,
        help_text="Taggers are registered on the server, by manage.py fetch_rival.",
    )


class ResultForm(forms.Form):
    """One of some results of benchmarks, by its id."""

    result = forms.ModelChoiceField(
        queryset=Result.objects.none(), to_field_name="public_id", label="Answers of", empty_label=None
    )

    def __init__(self, data: Any, results: QuerySet[Result], *, about: str = "") -> None:
        super().__init__(data)
        field: Any = self.fields["result"]
        field.queryset, field.help_text = results, about
        field.label_from_instance = lambda one: (
            f"{one}: {task_of(one.benchmark).name}, {one.benchmark.release}"
        )


def model_word_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/judging/make-questions/", make_view, MAKE),
        pages.at("<int:pk>/judging/withdraw-answered/", withdraw_view, WITHDRAW),
        pages.at("<int:pk>/judging/take-words/", take_view, TAKE),
    ]


def take_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    return _pages(pages, Question.Kind.EXPLAIN).answer(request, TAKE, pk=pk)


def make_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    return _pages(pages).answer(request, MAKE, pk=pk)


def withdraw_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    return _pages(pages).answer(request, WITHDRAW, pk=pk)


def _pages(pages: ProjectPages[Any], kind: str = Question.Kind.VERIFY) -> ActionPages[Project]:
    return project_actions(
        pages,
        {MAKE: MAKING, WITHDRAW: WITHDRAWING, TAKE: TAKING},
        find=lambda request, pk: [pages.find(request, pk, ADD)],
        back=lambda project: f"{pages.address(project)}#{card_key(kind)}",
    )


def _ask_to_make(call: Call[Project]) -> Confirm:
    images, has_taggers = captioned_images(call.row).count(), makers().exists()
    captioned = emphasize("{} {rest}", plural(images, "image"), rest="with captions that count.")
    return Confirm(
        title="Make questions of captions",
        text=ABOUT_MAKING,
        button="Make the questions",
        consequences=[captioned, *([] if has_taggers else ["No tagger is registered."])],
        is_blocked=not (images and has_taggers),
        cost="Nothing is spent: nobody is asked before a sample is drawn.",
    )


def _make(call: Call[Project]) -> Outcome:
    rival = call.values["model"]
    make_questions(project=call.row, rival=rival, by=call.by, now=call.now)
    return Outcome(
        said="Questions are being made. They are there within minutes, and this card counts them.",
        history=f"{rival} makes questions of captions.",
    )


def _ask_to_withdraw(call: Call[Project]) -> Confirm:
    about = Confirm(
        title="Withdraw what needs no image", text=ABOUT_WITHDRAWING, button="Withdraw them", cost=""
    )
    if not blind_results(call.row).exists():
        return replace(about, consequences=[NO_RESULT], is_blocked=True)
    if not call.values:
        return about
    result = call.values["result"]
    count = count_answered(call.row, result)
    answered = emphasize("{} answers {}.", result, plural(count, "question") + " that still count")
    return replace(about, consequences=[answered], is_blocked=not count)


def _withdraw(call: Call[Project]) -> Outcome:
    result = call.values["result"]
    count = withdraw_answered(project=call.row, result=result, now=call.now)
    words = f"Withdrawn, since {result} answers without the image: {plural(count, 'question')}."
    return Outcome(said=words, history=words)


def _ask_to_take(call: Call[Project]) -> Confirm:
    has_some = results_with_words(call.row).exists()
    return Confirm(
        title="Have a model's words judged",
        text=ABOUT_TAKING,
        button="Take them over",
        cost="Nothing is spent: workers are asked once a batch is launched.",
        consequences=[] if has_some else [NO_RESULT],
        is_blocked=not has_some,
    )


def _take(call: Call[Project]) -> Outcome:
    result = call.values["result"]
    count = take_words(project=call.row, result=result, now=call.now)
    words = f"Taken over of {result}: {count}."
    return Outcome(said=f"{words} Make lists of explanations to have them asked.", history=words)


MAKING = Action(
    label="Make questions of captions", form=lambda data, _: MakingForm(data), confirm=_ask_to_make, run=_make
)
WITHDRAWING = Action(
    label="Withdraw what needs no image",
    form=lambda data, call: ResultForm(data, blind_results(call.row), about=BLIND_HELP),
    looks_first="Count",
    confirm=_ask_to_withdraw,
    run=_withdraw,
)
TAKING = Action(
    label="Have a model's words judged",
    form=lambda data, call: ResultForm(data, results_with_words(call.row)),
    confirm=_ask_to_take,
    run=_take,
)
