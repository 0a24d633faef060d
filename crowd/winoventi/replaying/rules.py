"""Rules that a recording is checked against: those of live work warn, and only the impossible is left out."""

from collections.abc import Iterator

from crowd.questions.domain import NO
from crowd.winoventi.domain.answers import ALTERNATIVES, read_exceptions, read_premise_of
from crowd.winoventi.domain.premises import find_fault, find_warnings
from crowd.winoventi.domain.words import LONGEST_WORD, are_same, is_na, is_one_word
from crowd.winoventi.replaying import rows
from hits.common.uploads.row_reader import Row

# Rules of intake and eligibility, in the order in which they are printed, with the count of breaches.
WARNINGS = {
    "nonsense_with_exceptions": "a statement without sense has exceptions: they are discarded",
    "no_exception": "the statement makes sense, and there is no exception to it",
    "exception_not_one_word": "an exception is more than one word: it is discarded",
    "exception_is_the_generic": "an exception is the generic itself",
    "exception_repeated": "an exception was given before for the same noun and generic",
    "no_probability": "an exception without probabilities: it never passes the filter",
    "premise_not_available": "N/A instead of a premise",
    "premise_malformed": "a premise that is not one sentence with exactly one [a / b] of single words",
    "order_differs": "the bracket names the exception's word first",
    "words_differ": "the bracket and the two words disagree",
    "outcome_word": "a context word is one of the outcomes",
    "premise_of_filtered": "a premise for a triplet that does not pass the filter",
    "self_validation": "a worker judges a premise of their own",
    "judged_malformed": "a judgement of a premise that breaks the rules of form: it was posted, and counts",
    "too_few_judgements": "a well-formed premise with fewer judgements than are required: it stays undecided",
    "too_many_judgements": "a well-formed premise with more judgements than are required",
    "choice_not_offered": "a choice that is neither of the two outcomes",
    "choice_by_one_who_worked": "a choice of somebody who has worked on the pair",
    "choice_of_no_pair": "a choice about a pair that is not valid: it is in no figure",
}
# Rows that cannot be recorded as work: they are left out and counted.
IMPOSSIBLE = {
    "too_long": "a noun, a word or a choice is longer than the database keeps",
    "pair_twice": "a second pair of the same k and rank",
    "probability_twice": "second probabilities of one triplet",
    "premise_twice": "a second premise for one triplet",
    "judgement_twice": "a second judgement of one worker",
    "choice_twice": "a second choice of one worker",
    "probability_of_nothing": "probabilities of a triplet that nobody gave",
    "premise_of_nothing": "a premise for a triplet that nobody gave",
    "judgement_of_nothing": "a judgement of a premise that nobody wrote",
    "choice_of_nothing": "a choice about a premise that nobody wrote",
}
TWICE = {
    rows.EXCEPTIONS: "pair_twice",
    rows.PROBABILITIES: "probability_twice",
    rows.PREMISES: "premise_twice",
    rows.VALIDATIONS: "judgement_twice",
    rows.CHOICES: "choice_twice",
}
OF_NOTHING = {
    rows.PROBABILITIES: "probability_of_nothing",
    rows.PREMISES: "premise_of_nothing",
    rows.VALIDATIONS: "judgement_of_nothing",
    rows.CHOICES: "choice_of_nothing",
}
# The columns of texts that the database keeps whole.
KEPT = ("noun", "generic", "exception", "choice", *ALTERNATIVES)


def is_too_long(row: Row) -> bool:
    return any(len(text.lower()) > LONGEST_WORD for name, text in row.cells.items() if name in KEPT)


def broken_by_exceptions(row: Row) -> Iterator[str]:
    given = [row.cells[name] for name in ALTERNATIVES if row.cells[name]]
    words = [word for word in given if not is_na(word)]
    if row.cells["makes_sense"] == NO:
        if words:
            yield "nonsense_with_exceptions"
        return
    if not words:
        yield "no_exception"
    for word in words:
        if not is_one_word(word):
            yield "exception_not_one_word"
        if are_same(word, row.cells["generic"]):
            yield "exception_is_the_generic"
    for _ in range(sum(map(is_one_word, words)) - len(read_exceptions(row.cells).words)):
        yield "exception_repeated"


def broken_by_premise(row: Row) -> Iterator[str]:
    premise = read_premise_of(row.cells)
    if premise.is_na:
        yield "premise_not_available"
    elif find_fault(premise):
        yield "premise_malformed"
    else:
        yield from find_warnings(premise, generic=row.cells["generic"], exception=row.cells["exception"])
