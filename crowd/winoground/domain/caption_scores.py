"""Whether people or a model tell which caption belongs to which image, by three scores of an example."""

from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple


class Kind(StrEnum):
    """TEXT: the right caption for either image. IMAGE: the right image for either caption. GROUP: both."""

    TEXT = "text"
    IMAGE = "image"
    GROUP = "group"


# The chance of random scores: of the 24 orders of four, 6, 6 and 4 are right.
CHANCE = {Kind.TEXT: Fraction(1, 4), Kind.IMAGE: Fraction(1, 4), Kind.GROUP: Fraction(1, 6)}


class Right(NamedTuple):
    text: bool
    image: bool

    @property
    def group(self) -> bool:
        return self.text and self.image

    def by(self, kind: Kind) -> bool:
        return self.group if kind == Kind.GROUP else self[0 if kind == Kind.TEXT else 1]


class PairScores(NamedTuple):
    """s(C, I) of an example's four combinations, in the order of PLACES: shares of people, or a model's."""

    c0_i0: Fraction | float
    c0_i1: Fraction | float
    c1_i0: Fraction | float
    c1_i1: Fraction | float

    @property
    def right(self) -> Right:
        """The scores that are right. Both comparisons must be strictly greater: a tie is wrong."""
        return Right(
            text=self.c0_i0 > self.c1_i0 and self.c1_i1 > self.c0_i1,
            image=self.c0_i0 > self.c0_i1 and self.c1_i1 > self.c1_i0,
        )

    @property
    def margin(self) -> float:
        """The difference in the closest of the four comparisons; 0 or less if one of them is wrong."""
        return float(min(self.c0_i0, self.c1_i1) - max(self.c0_i1, self.c1_i0))


def count_words(caption: str) -> int:
    """The number of words between blanks; a dash that stands alone is no word."""
    return sum(any(sign.isalnum() for sign in word) for word in caption.split())
