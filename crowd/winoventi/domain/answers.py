"""The raw answers of the four tasks, for one item each: what was typed, by the columns of the recordings.

An assignment holds {item: one of these}; a recording's row is read as one of these, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from crowd.questions.domain import YES, trim
from crowd.winoventi.domain import MOST_ALTERNATIVES
from crowd.winoventi.domain.outcomes import QUESTIONS, Question
from crowd.winoventi.domain.premises import Premise, read_premise
from crowd.winoventi.domain.words import LONGEST_WORD, is_na

Raw = Mapping[str, str]
ALTERNATIVES = tuple(f"exception_{number}" for number in range(1, MOST_ALTERNATIVES + 1))


@dataclass(frozen=True, kw_only=True)
class Exceptions:
    makes_sense: bool
    words: tuple[str, ...]


def read_exceptions(raw: Raw) -> Exceptions:
    """A statement without sense has no alternatives, whatever else was typed, and N/A is none.

    That each is one word was seen to where it was handed in.
    """
    makes_sense = raw["makes_sense"] == YES
    # Some letters are two when they are small.
    small = [trim(raw.get(name, "")).lower()[:LONGEST_WORD] for name in ALTERNATIVES]
    entries = small if makes_sense else []
    words = dict.fromkeys(entry for entry in entries if entry and not is_na(entry))
    return Exceptions(makes_sense=makes_sense, words=tuple(words))


def read_premise_of(raw: Raw) -> Premise:
    return read_premise(
        sentence=raw["sentence"], generic_word=raw["generic_word"], exception_word=raw["exception_word"]
    )


def read_objections(raw: Raw) -> frozenset[Question]:
    """What was answered with yes."""
    return frozenset(question for question in QUESTIONS if raw[question] == YES)


def read_choice(raw: Raw) -> str:
    return raw["choice"].strip()
