"""A context sentence with two words to choose from: “Jim was [early / late] for work.”"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from crowd.questions.domain import trim
from crowd.winoventi.domain.words import are_same, is_na, is_one_word

LONGEST_SENTENCE = 500
BRACKET = re.compile(r"\[([^\[\]]*)\]")
BRACKETS = "[]"
BETWEEN = "/"
FINAL_MARKS = ".!?…"
# These may follow the final mark.
CLOSERS = "\"'”’)"


class Fault(StrEnum):
    """Why a premise cannot be used. The first that applies is the reason."""

    NOT_AVAILABLE = "not_available"
    TOO_LONG = "too_long"
    NO_SENTENCE = "no_sentence"
    NOT_ONE_BRACKET = "not_one_bracket"
    NOT_TWO_WORDS = "not_two_words"
    BRACKET_WORD_IS_LONG = "bracket_word_is_long"
    SAME_IN_BRACKET = "same_in_bracket"
    WORD_MISSING = "word_missing"
    WORD_IS_LONG = "word_is_long"
    WORD_HAS_BRACKET = "word_has_bracket"
    SAME_WORD = "same_word"


# Without these there is a premise, well-formed or not.
ABSENT = frozenset({Fault.NOT_AVAILABLE, Fault.NO_SENTENCE})


class Warning(StrEnum):  # noqa: A001  # it is what a worker is shown
    """Oddities that a worker is warned of, and that a recording is counted by."""

    ORDER_DIFFERS = "order_differs"
    WORDS_DIFFER = "words_differ"
    OUTCOME_WORD = "outcome_word"


@dataclass(frozen=True, kw_only=True)
class Premise:
    """A premise as it was typed, with normal spaces and with a final mark."""

    sentence: str
    generic_word: str
    exception_word: str

    @property
    def bracket(self) -> tuple[str, str] | None:
        """The two words, where the sentence has exactly one bracket with exactly two; otherwise None."""
        found = BRACKET.findall(self.sentence)
        words = [trim(word) for word in found[0].split(BETWEEN)] if len(found) == 1 else []
        return (words[0], words[1]) if len(words) == 2 else None

    @property
    def place_of_bracket(self) -> int:
        """Where the deciding word begins in `with_word`."""
        return len(self.sentence.partition("[")[0])

    @property
    def is_na(self) -> bool:
        return is_na(self.sentence.rstrip(".")) or is_na(self.sentence)

    def with_word(self, word: str) -> str:
        """The sentence that a reader sees; a word that opens it gets a capital.

        One without a bracket, which only a recording holds, stays as it is.
        """
        before, bracket, rest = self.sentence.partition("[")
        if not bracket:
            return self.sentence
        after = rest.partition("]")[2]
        return f"{before}{word if before.strip() else word[:1].upper() + word[1:]}{after}"


def read_premise(*, sentence: str, generic_word: str, exception_word: str) -> Premise:
    """The premise with one space between words, and with a full stop where there is no final mark."""
    return Premise(
        sentence=_read_sentence(sentence),
        generic_word=trim(generic_word),
        exception_word=trim(exception_word),
    )


def find_fault(premise: Premise) -> Fault | None:
    """The first fault that keeps the premise out; None if it can be used."""
    return next(_faults(premise), None)


def find_warnings(premise: Premise, *, generic: str, exception: str) -> list[Warning]:
    """Warnings about a premise without a fault; `generic` and `exception` are the outcomes it decides."""
    words = (premise.generic_word, premise.exception_word)
    inside = premise.bracket or ("", "")
    warnings = []
    if not _same_pair(inside, words):
        warnings.append(Warning.ORDER_DIFFERS if _same_pair(inside, words[::-1]) else Warning.WORDS_DIFFER)
    if any(are_same(word, outcome) for word in (*inside, *words) for outcome in (generic, exception)):
        warnings.append(Warning.OUTCOME_WORD)
    return warnings


def _read_sentence(text: str) -> str:
    sentence = trim(text)
    if not sentence or is_na(sentence):
        return sentence
    return sentence if sentence.rstrip(CLOSERS).endswith(tuple(FINAL_MARKS)) else f"{sentence}."


def _faults(premise: Premise) -> Iterator[Fault]:
    if premise.is_na:
        yield Fault.NOT_AVAILABLE
    if not premise.sentence:
        yield Fault.NO_SENTENCE
    if len(premise.sentence) > LONGEST_SENTENCE:
        yield Fault.TOO_LONG
    yield from _faults_of_bracket(premise)
    words = (premise.generic_word, premise.exception_word)
    if not all(words):
        yield Fault.WORD_MISSING
    if not all(is_one_word(word) for word in words):
        yield Fault.WORD_IS_LONG
    if any(mark in word for word in words for mark in BRACKETS):
        yield Fault.WORD_HAS_BRACKET
    if are_same(*words):
        yield Fault.SAME_WORD


def _faults_of_bracket(premise: Premise) -> Iterator[Fault]:
    marks = (premise.sentence.count("["), premise.sentence.count("]"))
    if marks != (1, 1) or not BRACKET.search(premise.sentence):
        yield Fault.NOT_ONE_BRACKET
        return
    inside = premise.bracket
    if inside is None or not all(inside):
        yield Fault.NOT_TWO_WORDS
        return
    if not all(is_one_word(word) for word in inside):
        yield Fault.BRACKET_WORD_IS_LONG
    if are_same(*inside):
        yield Fault.SAME_IN_BRACKET


def _same_pair(one: tuple[str, str], other: tuple[str, ...]) -> bool:
    return all(are_same(left, right) for left, right in zip(one, other, strict=True))
