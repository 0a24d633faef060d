"""What several judges say together, and how often it agrees with what was known before."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

# The 97.5 % quantile of the normal distribution.
Z = 1.959963984540054


@dataclass(frozen=True, kw_only=True)
class Votes:
    """Votes on one option: how many judges said yes, of how many who answered."""

    yes: int
    of: int

    @property
    def majority(self) -> bool | None:
        """Whether more judges said yes than no; None if both sides are equal."""
        return None if 2 * self.yes == self.of else 2 * self.yes > self.of

    @property
    def is_unanimous(self) -> bool:
        return self.of > 0 and self.yes in (0, self.of)


@dataclass(frozen=True, kw_only=True)
class Share:
    right: int
    of: int

    @property
    def value(self) -> Fraction | None:
        return Fraction(self.right, self.of) if self.of else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval, which also holds for few answers and for shares near 0 or 1."""
        if not self.of:
            return None
        share, spread = self.right / self.of, Z * Z / self.of
        middle = (share + spread / 2) / (1 + spread)
        away = Z * sqrt(share * (1 - share) / self.of + spread / (4 * self.of)) / (1 + spread)
        return max(0.0, middle - away), min(1.0, middle + away)


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Majorities compared with what is known. A split agrees with nothing, so it counts as not right."""

    right: Share
    unanimous: Share
    splits: int


def agree(judged: Iterable[tuple[Votes, bool]]) -> Agreement:
    """Compare the votes on questions with the known label of each."""
    rows = list(judged)
    return Agreement(
        right=Share(right=sum(votes.majority is label for votes, label in rows), of=len(rows)),
        unanimous=unanimity(votes for votes, _ in rows),
        splits=sum(votes.majority is None for votes, _ in rows),
    )


def accepted(judged: Iterable[Votes]) -> Share:
    """The share of options that a majority says yes to."""
    rows = list(judged)
    return Share(right=sum(votes.majority is True for votes in rows), of=len(rows))


def unanimity(judged: Iterable[Votes]) -> Share:
    rows = list(judged)
    return Share(right=sum(votes.is_unanimous for votes in rows), of=len(rows))
