"""Step 2: whether a statement makes sense, and what else could be true of the thing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.questions.answer_columns import AnsweredQuestion, yes_or_no
from crowd.questions.domain import NO, YES
from crowd.questions.family import AskTask
from crowd.questions.page_entries import Look, Texts, fault_of_pick, fault_of_unread
from crowd.winoventi import domain
from crowd.winoventi.domain.answers import ALTERNATIVES as WORDS
from crowd.winoventi.domain.prompts import statement
from crowd.winoventi.domain.words import are_same, is_na
from crowd.winoventi.entries import LABELS, fault_of_word
from crowd.winoventi.models import Alternative, Generic
from hits.datasets.columns import FLAG, TEXT, TEXTS, column
from hits.families import GivesFeedback, TaskPage, Terms
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

ENTRIES = ("makes_sense", *WORDS)
PART = "sense"
EXAMPLES = (
    {
        "statement": gettext_lazy("The sock is dry."),
        "answer": gettext_lazy("Yes: wet, damp"),
        "good": True,
        "why": gettext_lazy("One word each, and each is true of a sock that is not dry."),
    },
    {
        "statement": gettext_lazy("The pebble is married."),
        "answer": gettext_lazy("No: N/A"),
        "good": True,
        "why": gettext_lazy("Pebbles do not marry, so the statement makes no sense."),
    },
    {
        "statement": gettext_lazy("The lantern is lit."),
        "answer": gettext_lazy("Yes: not lit, switched off"),
        "good": False,
        "why": gettext_lazy("These are two words each. “Unlit” and “dark” would be good."),
    },
    {
        "statement": gettext_lazy("The soup is hot."),
        "answer": gettext_lazy("Yes: tasty"),
        "good": False,
        "why": gettext_lazy(
            "A hot soup can be tasty too. What is asked is what it is if it is not hot: cold."
        ),
    },
)


@dataclass(frozen=True, kw_only=True)
class Statement:
    noun: str
    generic: str
    row: Generic | None = None

    @property
    def text(self) -> str:
        return statement(self.noun, self.generic)


def _written(texts: Texts) -> list[str]:
    return [texts[entry] for entry in WORDS if texts.get(entry)]


def _states_of(one: AnsweredQuestion) -> list[str]:
    row: Generic | None = one.asked.row
    own = [word for word in row.alternatives.all() if one.is_own(word)] if row else []
    return [f"{word.word}: {word.state}" for word in sorted(own, key=lambda word: word.position)]


# What a file of the work says of an answered statement.
FLAT = (
    column("noun", TEXT, "the thing", of="asked.noun"),
    column("generic", TEXT, "what a model says that it is", of="asked.generic"),
    column("statement", TEXT, "what the worker read", of="asked.text"),
    yes_or_no("makes_sense", "whether the worker says that it makes sense"),
    column("words", TEXTS, "what else it could be, as written", of=lambda one: _written(one.texts)),
    column(
        "counts", FLAG, "whether this answer is the statement's", of=lambda one: one.is_own(one.asked.row)
    ),
    column("states", TEXTS, "how far each of the words has come that count", of=_states_of),
)


class ExceptionsTask(AskTask[Statement], GivesFeedback):
    key = domain.EXCEPTIONS
    name = "Exception procedure: exceptions"
    role = "Writers of exceptions"
    terms = Terms(
        title="What else could it be?",
        description=(
            "You read a short statement about a thing. Say whether it makes sense, and what else could be."
        ),
        reward=Decimal("0.10"),
        workers_per_hit=1,
        item_s=40,
    )
    heading = gettext_lazy("What else could it be?")
    page = "winoventi/exceptions.html"
    question = "winoventi/parts/exceptions_question.html"
    review = "winoventi/review/exceptions.html"
    entries = ENTRIES
    labels = LABELS
    examples = EXAMPLES
    flat = FLAT
    practice = Statement(noun="kettle", generic="clean")

    def asked_by(self, items: Sequence[Item]) -> Mapping[int, Statement]:
        rows = Generic.objects.filter(item__in=items).select_related("noun").prefetch_related("alternatives")
        return {
            row.item_id: Statement(noun=row.noun.word, generic=row.word, row=row)
            for row in rows
            if row.item_id
        }

    def shown(self, asked: Statement, *, seed: str) -> Mapping[str, Any]:
        return {"noun": asked.noun, "generic": asked.generic, "statement": asked.text}

    def look(self, texts: Texts, asked: Statement) -> Look:
        return look_at_exceptions(texts, generic=asked.generic)

    def reviewed(self, asked: Statement, texts: Texts, *, assignment: Assignment) -> Mapping[str, Any]:
        row = asked.row if asked.row and asked.row.assignment_id == assignment.pk else None
        return {
            "statement": asked.text,
            "answer": texts,
            "words": words_of(texts),
            "is_nonsense": row is not None and row.state == Generic.State.NONSENSE,
            "alternatives": [one for one in row.alternatives.all() if one.assignment_id == assignment.pk]
            if row
            else [],
        }

    def feedback_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage | None:
        """The feedback page once it is known which of the worker's words go on; None before."""
        rows = [asked.row for asked in self.asked_by(items).values() if asked.row]
        own = [row for row in rows if row.assignment_id == assignment.pk and _is_settled(row)]
        return self.review_page(assignment=assignment, items=items) if len(own) == len(items) else None


def look_at_exceptions(texts: Texts, *, generic: str, wants_words: bool = False) -> Look:
    """Check an answer: words are needed if the statement makes sense; in the walk, always."""
    faults = {"makes_sense": fault_of_pick(texts["makes_sense"])}
    if wants_words or texts["makes_sense"] != NO:
        faults |= {entry: fault_of_word(texts[entry]) for entry in WORDS if texts[entry]}
        if not texts[WORDS[0]]:
            faults[WORDS[0]] = _("Write at least one word here, or N/A.")
    else:
        faults |= {entry: fault_of_unread(texts[entry]) for entry in WORDS}
    odd = " ".join(_oddities(texts, generic=generic)) if texts["makes_sense"] == YES else ""
    return Look(
        faults={entry: words for entry, words in faults.items() if words}, odd={PART: odd} if odd else {}
    )


def words_of(texts: Texts) -> str:
    return ", ".join(_written(texts))


def _oddities(texts: Texts, *, generic: str) -> Iterator[str]:
    words = [texts[entry].casefold() for entry in WORDS if texts[entry] and not is_na(texts[entry])]
    if any(are_same(word, generic) for word in words):
        yield _("One of your words is the word of the statement itself.")
    if len(set(words)) < len(words):
        yield _("You have written one word twice. It counts once.")


def _is_settled(row: Generic) -> bool:
    if row.state == Generic.State.NONSENSE:
        return True
    words = list(row.alternatives.all())
    return row.state == Generic.State.ANSWERED and all(
        word.state != Alternative.State.GIVEN for word in words
    )
