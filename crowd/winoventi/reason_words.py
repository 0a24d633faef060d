"""Codes that rows keep, in words for the people who read the lists."""

from collections.abc import Iterable, Mapping

from crowd.winoventi.domain.outcomes import Question
from crowd.winoventi.domain.premises import Fault
from crowd.winoventi.domain.premises import Warning as Warned
from crowd.winoventi.services.pair_states import ALTERNATIVE_AWAY

QUESTIONS: Mapping[str, str] = {
    Question.GENERIC_SYNONYM: "generic and its word mean the same",
    Question.EXCEPTION_SYNONYM: "exception and its word mean the same",
    Question.EXCEPTION_FITS_GENERIC: "exception fits where the generic is called for",
    Question.GENERIC_FITS_EXCEPTION: "generic fits where the exception is called for",
}
FAULTS: Mapping[str, str] = {
    Fault.NOT_AVAILABLE: "not available: the worker found no sentence",
    Fault.TOO_LONG: "sentence is too long",
    Fault.NO_SENTENCE: "no sentence",
    Fault.NOT_ONE_BRACKET: "not exactly one bracket",
    Fault.NOT_TWO_WORDS: "not exactly two words in the bracket",
    Fault.BRACKET_WORD_IS_LONG: "more than one word on a side of the bracket",
    Fault.SAME_IN_BRACKET: "both words of the bracket are the same",
    Fault.WORD_MISSING: "a word is missing",
    Fault.WORD_IS_LONG: "an entry has more than one word",
    Fault.WORD_HAS_BRACKET: "an entry has a bracket in it",
    Fault.SAME_WORD: "both words are the same",
    ALTERNATIVE_AWAY: "its exception does not count any more",
}
WARNINGS: Mapping[str, str] = {
    Warned.ORDER_DIFFERS: "bracket and fields have another order",
    Warned.WORDS_DIFFER: "bracket and fields have other words",
    Warned.OUTCOME_WORD: "a deciding word is one of the outcomes",
}


def reason_in_words(reason: str) -> str:
    """A premise's reason in words: a fault of its form, or the questions it failed by."""
    return "; ".join(_said(code, {**FAULTS, **QUESTIONS}) for code in reason.split(",") if code)


def warnings_in_words(codes: Iterable[str]) -> str:
    return "; ".join(_said(code, WARNINGS) for code in codes)


def _said(code: str, words: Mapping[str, str]) -> str:
    return words.get(code, code.replace("_", " "))
