"""Figures of the sentences of a challenge set: their length, and the place of the special word."""

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
    """Place of the bracket: how many words are before it, and how many there are with it as one of them."""

    before: int
    length: int

    @property
    def third(self) -> Third:
        """The third that has the middle of the bracket's word: three words are in three thirds."""
        middle = Fraction(2 * self.before + 1, 2 * self.length)
        if middle < Fraction(1, 3):
            return Third.FIRST
        return Third.MIDDLE if middle < Fraction(2, 3) else Third.LAST


def place_of(sentence: str) -> Place:
    """The place of the bracket in a well-formed sentence, which has exactly one."""
    before, _, rest = sentence.partition("[")
    after = rest.partition("]")[2]
    # Signs attached to the bracket belong to its word.
    ahead = _count(before.split()[: -1 if before[-1:].strip() else None])
    return Place(before=ahead, length=ahead + 1 + _count(after.split()[1 if after[:1].strip() else 0 :]))


def _count(words: Iterable[str]) -> int:
    """Number of words; a mark that stands alone is no word."""
    return sum(any(sign.isalnum() for sign in word) for word in words)


def mean_length(places: Iterable[Place]) -> Fraction | None:
    lengths = [place.length for place in places]
    return Fraction(sum(lengths), len(lengths)) if lengths else None


def thirds(places: Iterable[Place]) -> dict[Third, int]:
    found = Counter(place.third for place in places)
    return {third: found[third] for third in Third}
