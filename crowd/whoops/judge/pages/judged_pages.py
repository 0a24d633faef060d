"""What people judge of an image: a vote for each option that can be marked, blind to its source."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from crowd.questions.family import AskTask
from crowd.questions.page_entries import YES_OR_NO, Look, Texts, fault_of_pick
from crowd.whoops.domain.paper_requirements import PAPER_ASKS
from crowd.whoops.judge.queries.judges import not_own
from crowd.whoops.models.judged_items import Option, Question
from hits.families import Answer, NarrowsItems, Score, Terms
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

PICK = "pick"
# The longer side of pictures on question pages, in pixels.
SIZE = 480


@dataclass(frozen=True, kw_only=True)
class JudgedQuestion:
    """A picture, a question about it, and the options that can be marked."""

    url: str
    full_url: str = ""
    text: str = ""
    options: Sequence[Option] = field(default_factory=tuple)
    row: Question | None = None


class JudgedTask(AskTask[JudgedQuestion], NarrowsItems):
    """A task with one question of a project for each item. Votes are scores: 1 if marked, 0 if not."""

    role = "Judges"
    terms = Terms(
        most_items=20,
        items_each=10,
        requirements=PAPER_ASKS,
    )
    review = "whoops/review/judged.html"

    @abstractmethod
    def votes(self, texts: Texts, asked: JudgedQuestion) -> Iterable[tuple[Option, bool]]:
        """Each option, and whether the answer marks it."""

    @abstractmethod
    def said(self, texts: Texts, asked: JudgedQuestion) -> str | Promise:
        """The answer in words, for a reader."""

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """No worker judges what is said of an image of their own."""
        return not_own(items, worker_id=worker_id)

    def asked_by(self, items: Sequence[Item]) -> Mapping[int, JudgedQuestion]:
        rows = Question.objects.filter(item__in=items).select_related("picture", "image")
        found = rows.prefetch_related("options")
        return {row.item_id: judged_of(row) for row in found if row.item_id}

    def shown(self, asked: JudgedQuestion, *, seed: str) -> Mapping[str, Any]:
        """What the page may show: neither source nor label of an option, nor what follows from them."""
        return {"url": asked.url, "full_url": asked.full_url, "text": asked.text}

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        asked = self.asked_by(items)
        return [
            Score(item=item, measure=option.measure, value=Fraction(is_marked))
            for item in items
            if (texts := answer.get(str(item.public_id))) is not None
            for option, is_marked in self.votes(texts, asked[item.pk])
        ]

    def reviewed(self, asked: JudgedQuestion, texts: Texts, *, assignment: Assignment) -> Mapping[str, Any]:
        """The answer for a researcher, with source and label of each option."""
        marked = {option.pk: is_marked for option, is_marked in self.votes(texts, asked)} if texts else {}
        return {
            "url": asked.url,
            "text": asked.text,
            "question": asked.row,
            "said": self.said(texts, asked) if texts else "",
            "options": [{"option": option, "is_marked": marked.get(option.pk)} for option in asked.options],
        }


class PickTask(JudgedTask):
    """A task with one option: is it so, or not?"""

    entries = (PICK,)
    labels: ClassVar[Mapping[str, str | Promise]] = {PICK: gettext_lazy("Your answer")}
    question = "whoops/parts/pick_question.html"
    # The choices; the first one is a vote for the option.
    picks: ClassVar[Sequence[Mapping[str, str | Promise]]] = YES_OR_NO
    asks: ClassVar[str | Promise]

    def shown(self, asked: JudgedQuestion, *, seed: str) -> Mapping[str, Any]:
        return {**super().shown(asked, seed=seed), "asks": self.asks, "picks": self.picks}

    def look(self, texts: Texts, asked: JudgedQuestion) -> Look:
        fault = fault_of_pick(texts[PICK], options=[str(pick["value"]) for pick in self.picks])
        return Look(faults={PICK: fault} if fault else {})

    def votes(self, texts: Texts, asked: JudgedQuestion) -> Iterable[tuple[Option, bool]]:
        return [(option, texts[PICK] == self.picks[0]["value"]) for option in asked.options]

    def said(self, texts: Texts, asked: JudgedQuestion) -> str | Promise:
        return next((pick["words"] for pick in self.picks if pick["value"] == texts[PICK]), "")


class RightTask(PickTask):
    """A task with one sentence: is it right for the image?"""

    def shown(self, asked: JudgedQuestion, *, seed: str) -> Mapping[str, Any]:
        return {**super().shown(asked, seed=seed), "claim": asked.options[0].text}


def judged_of(row: Question) -> JudgedQuestion:
    key = row.picture.key
    return JudgedQuestion(
        url=reverse("pictures:thumbnail", args=[key, SIZE]),
        full_url=reverse("pictures:picture", args=[key]),
        text=row.text,
        options=list(row.options.all()),
        row=row,
    )
