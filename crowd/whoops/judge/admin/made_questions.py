"""Questions made of captions by a registered tagger, and taken out where a model needs no image for them."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from crowd.whoops.judge.admin.judging_cards import ADD, card_key
from crowd.whoops.judge.services.answered_blind import blind_results, count_answered, withdraw_answered
from crowd.whoops.judge.services.making_questions import captioned_images, make_questions, makers
from crowd.whoops.models import Project
from crowd.whoops.models.judged_items import Question
from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.page_parts import plural
from hits.admin.projects.project_actions import project_actions
from hits.admin.projects.project_page import ProjectPages

MAKE, WITHDRAW = "make_questions", "withdraw_answered"
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


class MakingForm(forms.Form):
    model = forms.ModelChoiceField(
        queryset=makers(),
        to_field_name="name",
        label="Tagger",
        empty_label=None,
        help_text="Taggers are registered on the server, by manage.py fetch_rival.",
    )


class BlindForm(forms.Form):
    result = forms.ModelChoiceField(
        queryset=blind_results(Project()).none(),
        to_field_name="public_id",
        label="Answers of",
        empty_label=None,
        help_text="Language models that were asked here, and uploaded answers: of those, take none of a "
        "model that saw the images.",
    )

    def __init__(self, data: Any, project: Project) -> None:
        super().__init__(data)
        field: Any = self.fields["result"]
        field.queryset = blind_results(project)
        field.label_from_instance = lambda result: f"{result}, {result.benchmark.release}"


def made_question_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/judging/make-questions/", make_view, MAKE),
        pages.at("<int:pk>/judging/withdraw-answered/", withdraw_view, WITHDRAW),
    ]


def make_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    return _pages(pages).answer(request, MAKE, pk=pk)


def withdraw_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    return _pages(pages).answer(request, WITHDRAW, pk=pk)


def _pages(pages: ProjectPages[Any]) -> ActionPages[Project]:
    return project_actions(
        pages,
        {MAKE: MAKING, WITHDRAW: WITHDRAWING},
        find=lambda request, pk: [pages.find(request, pk, ADD)],
        back=lambda project: f"{pages.address(project)}#{card_key(Question.Kind.VERIFY)}",
        project_of=lambda project: project,
        logged=lambda project: project,
    )


def _ask_to_make(call: Call[Project]) -> Confirm:
    images = captioned_images(call.row).count()
    return Confirm(
        title="Make questions of captions",
        text=ABOUT_MAKING,
        button="Make the questions",
        consequences=[emphasize("{} {rest}", plural(images, "image"), rest="with captions that count.")],
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
    if not call.values:
        return about
    result = call.values["result"]
    count = count_answered(call.row, result)
    answered = emphasize("{} answers {}.", result, plural(count, "question") + " that still count")
    return Confirm(
        title=about.title,
        text=about.text,
        button=about.button,
        consequences=[answered],
        is_blocked=not count,
    )


def _withdraw(call: Call[Project]) -> Outcome:
    result = call.values["result"]
    count = withdraw_answered(project=call.row, result=result, now=call.now)
    words = f"Withdrawn, since {result} answers without the image: {plural(count, 'question')}."
    return Outcome(said=words, history=words)


MAKING = Action(
    label="Make questions of captions", form=lambda data, _: MakingForm(data), confirm=_ask_to_make, run=_make
)
WITHDRAWING = Action(
    label="Withdraw what needs no image",
    form=lambda data, call: BlindForm(data, call.row),
    looks_first="Count",
    confirm=_ask_to_withdraw,
    run=_withdraw,
)
