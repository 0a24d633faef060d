"""Shares of right examples, with their intervals by four groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from scoring.score_statistics import GROUPS, Interval, interval_of_groups


@dataclass(frozen=True, kw_only=True)
class Share:
    """How many are right, of how many. The interval is None if there are too few for four groups."""

    right: int
    of: int
    interval: Interval | None

    @property
    def value(self) -> Fraction | None:
        return Fraction(self.right, self.of) if self.of else None


def share_of(rights: Sequence[bool]) -> Share:
    """The share of right examples, given in the order of their numbers, which decides on the groups."""
    return Share(right=sum(rights), of=len(rights), interval=interval_of(rights))


def interval_of(rights: Sequence[bool]) -> Interval | None:
    """The 95 % interval by four groups, dealt in turn."""
    groups = [rights[start::GROUPS] for start in range(GROUPS)]
    return interval_of_groups([Fraction(sum(group), len(group)) for group in groups if group])
