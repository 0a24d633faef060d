"""Raw answers of the four tasks, each for one item: what was typed, by the columns of the recordings.

An assignment holds {item: raw answer}; a recording's row is read as a raw answer, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from crowd.questions.domain import YES, trim
from crowd.winoventi.domain import MOST_ALTERNATIVES
from crowd.winoventi.domain.outcomes import QUESTIONS, Question
from crowd.winoventi.domain.premises import Premise, read_premise
from crowd.winoventi.domain.words import LONGEST_WORD, is_na, is_one_word

Raw = Mapping[str, str]
ALTERNATIVES = tuple(f"exception_{number}" for number in range(1, MOST_ALTERNATIVES + 1))


@dataclass(frozen=True, kw_only=True)
class Exceptions:
    makes_sense: bool
    words: tuple[str, ...]


def read_exceptions(raw: Raw) -> Exceptions:
    """Exceptions of a raw answer: none for a statement without sense, whatever else was typed; N/A is none.

    Entries of more than one word are discarded, as the paper's cleaning did. The page lets none through, but
    a recording may hold some.
    """
    makes_sense = raw["makes_sense"] == YES
    # Lower case makes two of some letters, so the cut comes after it.
    small = [trim(raw.get(name, "")).lower()[:LONGEST_WORD] for name in ALTERNATIVES]
    entries = small if makes_sense else []
    words = dict.fromkeys(entry for entry in entries if is_one_word(entry) and not is_na(entry))
    return Exceptions(makes_sense=makes_sense, words=tuple(words))


def read_premise_of(raw: Raw) -> Premise:
    return read_premise(
        sentence=raw["sentence"], generic_word=raw["generic_word"], exception_word=raw["exception_word"]
    )


def read_objections(raw: Raw) -> frozenset[Question]:
    """Questions that were answered with yes."""
    return frozenset(question for question in QUESTIONS if raw[question] == YES)


def read_choice(raw: Raw) -> str:
    return raw["choice"].strip()
