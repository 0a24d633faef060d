"""Human performance: which of two words completes one of the challenge set's texts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy

from crowd.questions.answer_columns import as_entered
from crowd.questions.family import AskTask
from crowd.questions.judged_choices import Choice, place_of
from crowd.questions.page_entries import Look, Texts, fault_of_pick
from crowd.winoventi import domain
from crowd.winoventi.entries import LABELS
from crowd.winoventi.models import Prompt
from crowd.winoventi.queries.counts import hits_of_prompts
from crowd.winoventi.queries.pair_people import one_of_each_pair, strangers_to
from hits.datasets.columns import FLAG, TEXT, TEXTS, column
from hits.families import MainFigure, NarrowsItems, StatesJudgments, StatesMainFigure, Terms
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

EXAMPLES = (
    {
        "prompt": gettext_lazy("The inspector closed the bridge after her visit. The bridge is ____."),
        "why": gettext_lazy("Of “safe” and “dangerous”, choose “dangerous”: a safe bridge would stay open."),
    },
    {
        "prompt": gettext_lazy("The cook took the soup off the stove a minute ago. The soup is ____."),
        "why": gettext_lazy("Of “cold” and “hot”, choose “hot”: a minute is too short for it to get cold."),
    },
)


@dataclass(frozen=True, kw_only=True)
class Blank:
    text: str
    # Never shown in this order, which would tell the right word.
    target: str
    incorrect: str
    # Whether the thing is as usual in this text, or the exception.
    kind: str = domain.EXCEPTION

    @property
    def words(self) -> list[str]:
        return sorted((self.target, self.incorrect))

    def outcome(self, word: str) -> str:
        """Return which outcome a word names: words differ from text to text, and outcomes do not."""
        other = domain.GENERIC if self.kind == domain.EXCEPTION else domain.EXCEPTION
        return self.kind if word == self.target else other


FLAT = (
    column("prompt", TEXT, "the text with its blank", of="asked.text"),
    column("words", TEXTS, "the two words to choose from, in the alphabet's order", of="asked.words"),
    as_entered("choice", "the word that the worker chose"),
    column("target", TEXT, "the right word", of="asked.target"),
    column(
        "is_right", FLAG, "whether it was chosen", of=lambda one: one.texts.get("choice") == one.asked.target
    ),
)


class ChoicesTask(AskTask[Blank], NarrowsItems, StatesJudgments, StatesMainFigure):
    key = domain.CHOOSE
    name = "Exception procedure: human performance"
    role = "Test takers"
    terms = Terms(
        title="Which word fills the blank?",
        description="You read a short text with a blank, and choose the one of two words that fills it best.",
        reward=Decimal("0.03"),
        workers_per_hit=1,
        item_s=10,
    )
    heading = gettext_lazy("Which word fills the blank?")
    answer_keys = "digits"
    page = "winoventi/choices.html"
    question = "winoventi/parts/choices_question.html"
    review = "winoventi/review/choices.html"
    entries = ("choice",)
    labels = LABELS
    examples = EXAMPLES
    flat = FLAT
    main_figure = MainFigure(
        name="Share of texts that people complete as meant",
        is_share=True,
        alike="The two texts of a pair, and pairs of one noun, depend on each other.",
    )
    practice = Blank(
        text="My sister put on two sweaters before she went out. The morning is ____.",
        target="cold",
        incorrect="warm",
    )

    def final_values(self, study: Study) -> Sequence[float]:
        return hits_of_prompts(study)

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """Items of pairs that this worker has not worked on, and never both prompts of one pair."""
        return one_of_each_pair(strangers_to(items, worker_id=worker_id))

    def asked_by(self, items: Sequence[Item]) -> Mapping[int, Blank]:
        rows = Prompt.objects.filter(item__in=items).select_related("premise__alternative__generic__noun")
        return {
            row.item_id: Blank(text=row.text, target=row.target, incorrect=row.incorrect, kind=row.kind)
            for row in rows
            if row.item_id
        }

    def shown(self, asked: Blank, *, seed: str) -> Mapping[str, Any]:
        """Show the words in an order drawn for each worker, which does not tell the right one."""
        words = asked.words
        Random(seed).shuffle(words)  # noqa: S311
        return {"prompt": asked.text, "options": [{"value": word, "words": word} for word in words]}

    def look(self, texts: Texts, asked: Blank) -> Look:
        fault = fault_of_pick(texts["choice"], options=asked.words)
        return Look(faults={"choice": fault} if fault else {})

    def choices_of(self, asked: Blank, texts: Texts, *, seed: str) -> Iterable[Choice]:
        word = texts.get("choice", "")
        if word in asked.words:
            place = place_of(word, self.shown(asked, seed=seed)["options"])
            yield Choice("choice", asked.outcome(word), place=place)

    def reviewed(self, asked: Blank, texts: Texts, *, assignment: Assignment) -> Mapping[str, Any]:
        return {
            "prompt": asked.text,
            "words": asked.words,
            "choice": texts.get("choice", ""),
            "target": asked.target,
        }
