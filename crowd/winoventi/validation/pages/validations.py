"""Step 5: whether the pair is fair. Yes is bad on all four questions, and the page does not say so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy

from crowd.questions.answer_columns import yes_or_no
from crowd.questions.family import AskTask
from crowd.questions.page_entries import Look, Texts, fault_of_pick
from crowd.winoventi import domain
from crowd.winoventi.domain.outcomes import QUESTIONS
from crowd.winoventi.domain.premises import Premise as Sentence
from crowd.winoventi.domain.prompts import BLANK, challenge
from crowd.winoventi.entries import LABELS
from crowd.winoventi.models import Premise
from crowd.winoventi.queries.counts import validities_of
from crowd.winoventi.queries.pair_people import judges_of
from crowd.winoventi.reason_words import QUESTIONS as WORDS_OF_QUESTIONS
from crowd.winoventi.reason_words import reason_in_words
from hits.datasets.columns import TEXT, column
from hits.families import MainFigure, NarrowsItems, StatesJudgments, StatesMainFigure, Terms
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

EXAMPLES = (
    {
        "answer": gettext_lazy("Yes"),
        "words": gettext_lazy("large / big · shut / closed · inedible / uneatable"),
    },
    {"answer": gettext_lazy("No"), "words": gettext_lazy("safe / praised · cold / day · old / museum")},
)


@dataclass(frozen=True, kw_only=True)
class Pair:
    noun: str
    generic: str
    exception: str
    sentence: Sentence
    row: Premise | None = None

    def prompt(self, word: str) -> str:
        return challenge(self.sentence.with_word(word), noun=self.noun, mask=BLANK)

    @property
    def shown(self) -> dict[str, str]:
        """All texts that the four questions are about."""
        return {
            "generic": self.generic,
            "exception": self.exception,
            "generic_pair": f"{self.generic} / {self.sentence.generic_word}",
            "exception_pair": f"{self.exception} / {self.sentence.exception_word}",
            "generic_prompt": self.prompt(self.sentence.generic_word),
            "exception_prompt": self.prompt(self.sentence.exception_word),
        }


FLAT = (
    column("noun", TEXT, "the thing", of="asked.noun"),
    column("generic", TEXT, "the first outcome", of="asked.generic"),
    column("exception", TEXT, "the second outcome", of="asked.exception"),
    column("sentence", TEXT, "the premise, with its two words in brackets", of="asked.sentence.sentence"),
    *(
        yes_or_no(str(question), f"whether the worker says: {words}")
        for question, words in WORDS_OF_QUESTIONS.items()
    ),
    column(
        "state", TEXT, "what became of the pair: waiting, valid, failed or withdrawn", of="asked.row.state"
    ),
    column(
        "reason",
        TEXT,
        "the questions that it failed by",
        of=lambda one: reason_in_words(one.asked.row.reason),
    ),
)


class ValidationsTask(AskTask[Pair], NarrowsItems, StatesJudgments, StatesMainFigure):
    key = domain.VALIDATE
    name = "Exception procedure: validation"
    role = "Validators"
    mixes_attention = True
    terms = Terms(
        title="Is this quiz question fair?",
        description=(
            "You read two short texts with a blank. Four yes or no questions tell whether they are fair."
        ),
        reward=Decimal("0.20"),
        workers_per_hit=3,
        item_s=40,
    )
    heading = gettext_lazy("Is this quiz question fair?")
    answer_keys = "yes_or_no"
    page = "winoventi/validations.html"
    question = "winoventi/parts/validations_question.html"
    review = "winoventi/review/validations.html"
    entries = tuple(map(str, QUESTIONS))
    chosen = entries
    labels = LABELS
    examples = EXAMPLES
    flat = FLAT
    main_figure = MainFigure(
        name="Share of valid pairs", is_share=True, alike="Pairs of one noun depend on each other."
    )
    practice = Pair(
        noun="bridge",
        generic="safe",
        exception="dangerous",
        sentence=Sentence(
            sentence="The inspector [praised / closed] the bridge after her visit.",
            generic_word="praised",
            exception_word="closed",
        ),
    )

    def final_values(self, study: Study) -> Sequence[float]:
        return validities_of(study)

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """Items that the project's rule leaves to this worker: own premises only where anybody may judge."""
        return judges_of(items, worker_id=worker_id)

    def asked_by(self, items: Sequence[Item]) -> Mapping[int, Pair]:
        rows = Premise.objects.filter(item__in=items).select_related("alternative__generic__noun")
        return {row.item_id: pair_of(row) for row in rows if row.item_id}

    def shown(self, asked: Pair, *, seed: str) -> Mapping[str, Any]:
        return asked.shown

    def look(self, texts: Texts, asked: Pair) -> Look:
        faults = {entry: fault_of_pick(texts[entry]) for entry in self.entries}
        return Look(faults={entry: words for entry, words in faults.items() if words})

    def reviewed(self, asked: Pair, texts: Texts, *, assignment: Assignment) -> Mapping[str, Any]:
        return {**asked.shown, "answer": texts, "premise": asked.row}


def pair_of(row: Premise) -> Pair:
    return Pair(noun=row.noun, generic=row.generic, exception=row.exception, sentence=row.text, row=row)
