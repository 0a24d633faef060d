"""Explanations: workers mark those that say why an image is weird, in random order and without a source."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any, ClassVar

from django.templatetags.static import static
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.questions.domain import trim
from crowd.questions.page_entries import Look, Texts
from crowd.whoops import domain
from crowd.whoops.judge.pages.judged_pages import JudgedQuestion, JudgedTask
from crowd.whoops.models.judged_items import Option

MARKED = "marked"
NONE = "none"
PRACTICE = (
    gettext_lazy("A candle needs air to burn, and this one burns under water."),
    gettext_lazy("Candles are often lit at dinner."),
    gettext_lazy("It is a very unusual picture."),
)


class ExplanationsTask(JudgedTask):
    key = domain.EXPLAIN
    name = "Weird images: explanations"
    terms = replace(
        JudgedTask.terms,
        title="Which explanations are good?",
        description="You look at a weird image, and mark every explanation that says why it is weird.",
        reward=Decimal("0.65"),
        item_s=60,
        items_each=3,
        most_items=10,
    )
    heading = gettext_lazy("Which explanations are good?")
    page = "whoops/explanations.html"
    question = "whoops/parts/explanations_question.html"
    entries = (MARKED,)
    many = (MARKED,)
    labels: ClassVar[Mapping[str, str | Promise]] = {MARKED: gettext_lazy("The explanations")}

    @property
    def practice(self) -> JudgedQuestion:
        options = [Option(number=number, text=str(text)) for number, text in enumerate(PRACTICE, start=1)]
        return JudgedQuestion(url=static("whoops/candle.svg"), options=options)

    def shown(self, asked: JudgedQuestion, *, seed: str) -> Mapping[str, Any]:
        """The numbers are random, and each worker gets a random order."""
        texts = [{"value": value, "words": own[0].text} for value, own in by_text(asked).items()]
        texts.sort(key=lambda one: one["value"])
        Random(seed).shuffle(texts)  # noqa: S311
        return {**super().shown(asked, seed=seed), "explanations": texts, "none": NONE}

    def look(self, texts: Texts, asked: JudgedQuestion) -> Look:
        fault = _fault(texts[MARKED].split(), known=by_text(asked).keys())
        return Look(faults={MARKED: fault} if fault else {})

    def votes(self, texts: Texts, asked: JudgedQuestion) -> Iterable[tuple[Option, bool]]:
        """An explanation that several gave in the same words is shown once, and counts for each of them."""
        marked = texts[MARKED].split()
        return [(option, value in marked) for value, own in by_text(asked).items() for option in own]

    def said(self, texts: Texts, asked: JudgedQuestion) -> str | Promise:
        return _("None of them") if texts[MARKED] == NONE else ""


def by_text(asked: JudgedQuestion) -> dict[str, Sequence[Option]]:
    """The options by text, each group under the lowest of its numbers."""
    found: dict[str, list[Option]] = {}
    for option in sorted(asked.options, key=lambda one: one.number):
        found.setdefault(trim(option.text).casefold(), []).append(option)
    return {str(own[0].number): own for own in found.values()}


def _fault(marked: Sequence[str], *, known: Iterable[str]) -> str:
    if not marked:
        return _("Mark every good explanation; or say that none of them is.")
    if not set(marked) <= {*known, NONE}:
        return _("This answer is not on the page. Choose one that is.")
    if len(set(marked)) < len(marked):
        return _("One explanation is marked twice. Please mark each once.")
    if NONE in marked and len(marked) > 1:
        return _("You marked explanations, and also that none of them is good. Take back one of the two.")
    return ""
