"""What is told of the sentences of a challenge set: their length, and where the special word stands."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class Third(StrEnum):
    FIRST = "first"
    MIDDLE = "middle"
    LAST = "last"


@dataclass(frozen=True, kw_only=True)
class Place:
    """Of the bracket: the words before it, and how many words the sentence has with it as one of them."""

    before: int
    length: int

    @property
    def third(self) -> Third:
        """By the middle of the word: in a sentence of three each third has one."""
        middle = Fraction(2 * self.before + 1, 2 * self.length)
        if middle < Fraction(1, 3):
            return Third.FIRST
        return Third.MIDDLE if middle < Fraction(2, 3) else Third.LAST


def place_of(sentence: str) -> Place:
    """Of a well-formed sentence: with exactly one bracket."""
    before, _, rest = sentence.partition("[")
    after = rest.partition("]")[2]
    # What is glued to the bracket belongs to its word.
    ahead = _count(before.split()[: -1 if before[-1:].strip() else None])
    return Place(before=ahead, length=ahead + 1 + _count(after.split()[1 if after[:1].strip() else 0 :]))


def _count(words: Iterable[str]) -> int:
    """A mark that stands alone is no word."""
    return sum(any(sign.isalnum() for sign in word) for word in words)


def mean_length(places: Iterable[Place]) -> Fraction | None:
    lengths = [place.length for place in places]
    return Fraction(sum(lengths), len(lengths)) if lengths else None


def thirds(places: Iterable[Place]) -> dict[Third, int]:
    found = Counter(place.third for place in places)
    return {third: found[third] for third in Third}
