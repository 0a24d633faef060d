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

from crowd.questions.answer_columns import AnsweredQuestion
from crowd.questions.domain import NO, YES
from crowd.questions.family import AnswerKeys, AskTask
from crowd.questions.judged_choices import Choice
from crowd.questions.page_entries import YES_OR_NO, Look, Texts, fault_of_pick
from crowd.whoops.domain.paper_requirements import PAPER_ASKS
from crowd.whoops.judge.queries.judges import not_own
from crowd.whoops.models.judged_items import Option, Question
from hits.datasets.columns import FLAG, INTEGER, TEXT, TEXTS, column
from hits.families import Answer, NarrowsItems, Score, StatesJudgments, Terms
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


@dataclass(frozen=True, kw_only=True)
class JudgedAnswer(AnsweredQuestion):
    """An answer with its vote on each option, True if marked, and its choice in words if there is one."""

    votes: Sequence[tuple[Option, bool]]
    said: str

    @property
    def marked(self) -> list[str]:
        return [option.text for option, is_marked in self.votes if is_marked]

    @property
    def is_right(self) -> bool | None:
        """Whether every vote is what is known of its option; None where that is not known of all."""
        known = [option.label for option, _ in self.votes]
        if not known or None in known:
            return None
        return all(option.label == is_marked for option, is_marked in self.votes)


FLAT = (
    column("question", TEXT, "the question's name in files", of="asked.row.key"),
    column(
        "image",
        INTEGER,
        "the image's number",
        of=lambda one: one.asked.row.image and one.asked.row.image.number,
    ),
    column("variant", TEXT, "weird, or one of its normal and natural partners", of="asked.row.variant"),
    column("image_sha256", TEXT, "the SHA-256 of the file that was shown", of="asked.row.picture.sha256"),
    column("text", TEXT, "the words of the question", of="asked.text"),
    column("options", TEXTS, "what could be marked", of=lambda one: [option.text for option, _ in one.votes]),
    column(
        "sources",
        TEXTS,
        "who each of them is from",
        of=lambda one: [option.source for option, _ in one.votes],
    ),
    column("said", TEXT, "the worker's choice"),
    column("marked", TEXTS, "what the worker marked"),
    column(
        "votes",
        TEXTS,
        "yes or no for each of the options",
        of=lambda one: [_word(vote) for _, vote in one.votes],
    ),
    column("is_right", FLAG, "whether the answer is the right one; empty where only judges can say"),
)


class JudgedTask(AskTask[JudgedQuestion], NarrowsItems, StatesJudgments):
    """A task with one question of a project for each item. Votes are scores: 1 if marked, 0 if not."""

    role = "Judges"
    item_noun = "question"
    mixes_attention = True
    terms = Terms(
        most_items=20,
        items_each=10,
        requirements=PAPER_ASKS,
    )
    review = "whoops/review/judged.html"
    flat = FLAT
    answer_keys: ClassVar[AnswerKeys] = "digits"

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

    def choices_of(self, asked: JudgedQuestion, texts: Texts, *, seed: str) -> Iterable[Choice]:
        """Return one vote for each option, as for the scores."""
        return [
            Choice(self.entries[0], _word(is_marked), about=str(option.number))
            for option, is_marked in self.votes(texts, asked)
        ]

    def answered(self, **about: Any) -> JudgedAnswer:
        texts, asked = about["texts"], about["asked"]
        votes = list(self.votes(texts, asked))
        return JudgedAnswer(**about, votes=votes, said=str(self.said(texts, asked)))

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


def _word(vote: bool) -> str:
    return YES if vote else NO


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

    def reading(self, asked: JudgedQuestion) -> Any:
        """Return what differs: the question above the choices is the same each time."""
        return {**self.shown(asked, seed=""), "asks": "", "picks": ()}

    def look(self, texts: Texts, asked: JudgedQuestion) -> Look:
        fault = fault_of_pick(texts[PICK], options=[str(pick["value"]) for pick in self.picks])
        return Look(faults={PICK: fault} if fault else {})

    def votes(self, texts: Texts, asked: JudgedQuestion) -> Iterable[tuple[Option, bool]]:
        return [(option, texts[PICK] == self.picks[0]["value"]) for option in asked.options]

    def said(self, texts: Texts, asked: JudgedQuestion) -> str | Promise:
        return next((pick["words"] for pick in self.picks if pick["value"] == texts[PICK]), "")


class RightTask(PickTask):
    """A task with one sentence: is it right for the image?"""

    answer_keys = "yes_or_no"

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
