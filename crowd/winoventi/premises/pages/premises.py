"""Step 4: a sentence in which one word decides which of two outcomes holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, cast

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.questions.answer_columns import AnsweredQuestion, as_entered
from crowd.questions.family import AskTask
from crowd.questions.page_entries import Look, Texts, fault_of_text, fault_of_unread
from crowd.winoventi import domain
from crowd.winoventi.domain.outcomes import Question
from crowd.winoventi.domain.premises import (
    BRACKETS,
    Fault,
    Premise,
    find_fault,
    find_warnings,
    read_premise,
)
from crowd.winoventi.domain.premises import Warning as Oddity
from crowd.winoventi.domain.prompts import statement
from crowd.winoventi.domain.words import are_same, is_na
from crowd.winoventi.entries import LABELS, fault_of_word
from crowd.winoventi.models import Alternative
from crowd.winoventi.models import Premise as PremiseRow
from crowd.winoventi.reason_words import reason_in_words
from crowd.winoventi.services.pair_states import ALTERNATIVE_AWAY
from hits.datasets.columns import TEXT, column
from hits.families import GivesFeedback, TaskPage, Terms
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

WORDS = ("generic_word", "exception_word")
ENTRIES = ("sentence", *WORDS)
PART = "premise"
EXAMPLES = (
    {
        "statement": gettext_lazy("The bridge is [safe / dangerous]."),
        "answer": gettext_lazy("The inspector [praised / closed] the bridge after her visit."),
        "good": True,
        "why": gettext_lazy("Two verbs decide. Nobody closes a safe bridge, or praises a dangerous one."),
    },
    {
        "statement": gettext_lazy("The soup is [hot / cold]."),
        "answer": gettext_lazy("The cook took the soup off the stove a [minute / day] ago."),
        "good": True,
        "why": gettext_lazy("Each word leads to one outcome only, and neither means “hot” or “cold”."),
    },
    {
        "statement": gettext_lazy("The knife is [sharp / blunt]."),
        "answer": gettext_lazy("The knife is [keen / dull]."),
        "good": False,
        "why": gettext_lazy("It only repeats the statement, with words that mean the same."),
    },
    {
        "statement": gettext_lazy("The lamp is [bright / broken]."),
        "answer": gettext_lazy("My guests [sat down / ran away] when they saw the lamp."),
        "good": False,
        "why": gettext_lazy(
            "There are two words on each side, and neither tells what is the matter with the lamp."
        ),
    },
)
_FAULTS: Mapping[Fault, str | Promise] = {
    Fault.NO_SENTENCE: gettext_lazy("Write a sentence here, or N/A."),
    Fault.TOO_LONG: gettext_lazy("The sentence is too long. Say it in fewer words."),
    Fault.NOT_ONE_BRACKET: gettext_lazy(
        "The sentence needs square brackets exactly once, around the two words: [one / other]."
    ),
    Fault.NOT_TWO_WORDS: gettext_lazy(
        "The brackets need two words with one slash between them: [one / other]."
    ),
    Fault.BRACKET_WORD_IS_LONG: gettext_lazy("Each side of the slash has to be exactly one word."),
    Fault.SAME_IN_BRACKET: gettext_lazy("The two words have to differ."),
}
_REASONS: Mapping[str, str | Promise] = {
    Question.GENERIC_SYNONYM: gettext_lazy("the first word means the same as its outcome"),
    Question.EXCEPTION_SYNONYM: gettext_lazy("the second word means the same as its outcome"),
    Question.EXCEPTION_FITS_GENERIC: gettext_lazy("with the first word both outcomes are possible"),
    Question.GENERIC_FITS_EXCEPTION: gettext_lazy("with the second word both outcomes are possible"),
    Fault.NOT_AVAILABLE: gettext_lazy("no sentence was written"),
    Fault.WORD_MISSING: gettext_lazy("one of the two words is missing"),
    Fault.WORD_IS_LONG: gettext_lazy("one of the two words is more than one word"),
    Fault.WORD_HAS_BRACKET: gettext_lazy("one of the two words has a bracket in it"),
    Fault.SAME_WORD: gettext_lazy("the two words are the same"),
    ALTERNATIVE_AWAY: gettext_lazy("its statement is not asked about any more"),
}
_WARNINGS: Mapping[Oddity, str | Promise] = {
    Oddity.ORDER_DIFFERS: gettext_lazy(
        "The words in the brackets are in the opposite order of the statement. That is fine if you intend it."
    ),
    Oddity.WORDS_DIFFER: gettext_lazy(
        "A word below the sentence is not in its brackets. Is that what you mean?"
    ),
}


@dataclass(frozen=True, kw_only=True)
class Triplet:
    noun: str
    generic: str
    exception: str
    row: Alternative | None = None

    @property
    def text(self) -> str:
        return statement(self.noun, f"[{self.generic} / {self.exception}]")


FLAT = (
    column("noun", TEXT, "the thing", of="asked.noun"),
    column("generic", TEXT, "the first outcome", of="asked.generic"),
    column("exception", TEXT, "the second outcome", of="asked.exception"),
    column("statement", TEXT, "what the worker read", of="asked.text"),
    as_entered("sentence", "the sentence as written, with the two words in brackets"),
    as_entered("generic_word", "the word that leads to the first outcome"),
    as_entered("exception_word", "the word that leads to the second outcome"),
    column(
        "state",
        TEXT,
        "malformed, waiting for validators, valid or failed",
        of=lambda one: _row_of(one, "state"),
    ),
    column("reason", TEXT, "what it failed by", of=lambda one: reason_in_words(_row_of(one, "reason") or "")),
)


class PremisesTask(AskTask[Triplet], GivesFeedback):
    key = domain.PREMISES
    name = "Exception procedure: premises"
    role = "Writers of premises"
    terms = Terms(
        title="Write a sentence that decides",
        description=(
            "A thing can be one way or the other. Write one sentence in which a single word decides which."
        ),
        reward=Decimal("0.30"),
        workers_per_hit=1,
        item_s=120,
    )
    heading = gettext_lazy("Write a sentence that decides")
    page = "winoventi/premises.html"
    question = "winoventi/parts/premises_question.html"
    review = "winoventi/review/premises.html"
    entries = ENTRIES
    labels = LABELS
    examples = EXAMPLES
    flat = FLAT
    practice = Triplet(noun="towel", generic="clean", exception="dirty")

    def asked_by(self, items: Sequence[Item]) -> Mapping[int, Triplet]:
        rows = (
            Alternative.objects.filter(item__in=items)
            .select_related("generic__noun")
            .prefetch_related("premises")
        )
        return {
            row.item_id: Triplet(noun=row.noun, generic=row.generic.word, exception=row.word, row=row)
            for row in rows
            if row.item_id
        }

    def shown(self, asked: Triplet, *, seed: str) -> Mapping[str, Any]:
        return {
            "noun": asked.noun,
            "generic": asked.generic,
            "exception": asked.exception,
            "statement": asked.text,
            "outcomes": {
                "generic": statement(asked.noun, asked.generic),
                "exception": statement(asked.noun, asked.exception),
            },
        }

    def look(self, texts: Texts, asked: Triplet) -> Look:
        return look_at_premise(texts, generic=asked.generic, exception=asked.exception)

    def reviewed(self, asked: Triplet, texts: Texts, *, assignment: Assignment) -> Mapping[str, Any]:
        rows = asked.row.premises.all() if asked.row else ()
        premise = next((row for row in rows if row.assignment_id == assignment.pk), None)
        return {
            "statement": asked.text,
            "answer": texts,
            "odd": self.look(texts, asked).odd.get(PART, "") if texts else "",
            "premise": premise,
            "reasons": words_of(premise.reason) if premise else [],
        }

    def feedback_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage | None:
        """The feedback page once none of the assignment's premises waits for validators; None before.

        Validators decide on a premise that is well-formed; a malformed or withdrawn one waits for nobody.
        """
        own = PremiseRow.objects.filter(assignment=assignment).exclude(state=PremiseRow.State.WAITING)
        return self.review_page(assignment=assignment, items=items) if own.count() == len(items) else None


def words_of(reason: str) -> list[str]:
    """The reasons that a premise failed by, in words for workers."""
    codes = [code for code in reason.split(",") if code]
    return [str(_REASONS.get(code, _FAULTS.get(cast(Fault, code), code))) for code in codes]


def _row_of(one: AnsweredQuestion, name: str) -> str | None:
    """Read a value of the premise that was made of the answer."""
    rows = one.asked.row.premises.all() if one.asked.row else ()
    return next((getattr(row, name) for row in rows if one.is_own(row)), None)


def look_at_premise(texts: Texts, *, generic: str, exception: str) -> Look:
    premise = read_premise(**{entry: texts[entry] for entry in ENTRIES})
    if premise.is_na:
        unread = {entry: fault_of_unread(texts[entry]) for entry in WORDS}
        return Look(faults={entry: words for entry, words in unread.items() if words})
    outcomes = (generic, exception)
    faults = {"sentence": _fault_of_sentence(premise, outcomes=outcomes)}
    for entry in WORDS:
        faults[entry] = _fault_of_entry(texts[entry], outcomes=outcomes)
    if texts["generic_word"] and are_same(texts["generic_word"], texts["exception_word"]):
        faults["exception_word"] = faults["exception_word"] or str(_FAULTS[Fault.SAME_IN_BRACKET])
    found = {entry: words for entry, words in faults.items() if words}
    return Look(faults=found) if found else Look(odd=_odd(premise, outcomes=outcomes))


def _fault_of_sentence(premise: Premise, *, outcomes: Sequence[str]) -> str:
    """The fault of the sentence alone; the two words beneath it have messages of their own."""
    fault = find_fault(replace(premise, generic_word="one", exception_word="other"))
    if fault:
        return str(_FAULTS[fault])
    if any(are_same(word, outcome) for word in premise.bracket or () for outcome in outcomes):
        return _("This uses a word of the statement itself. Find another one that only leads to it.")
    return fault_of_text(premise.sentence)


def _fault_of_entry(text: str, *, outcomes: Sequence[str]) -> str:
    if not text or is_na(text):
        return _("Write the word here.")
    if any(mark in text for mark in BRACKETS):
        return _("Write this word without brackets.")
    return fault_of_word(text, outcomes=outcomes)


def _odd(premise: Premise, *, outcomes: Sequence[str]) -> dict[str, str]:
    warnings = find_warnings(premise, generic=outcomes[0], exception=outcomes[1])
    words = " ".join(str(_WARNINGS[warning]) for warning in warnings if warning in _WARNINGS)
    return {PART: words} if words else {}
