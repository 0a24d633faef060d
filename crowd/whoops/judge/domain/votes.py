"""What several judges say together, and how often that is what was known before."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

# Of the normal distribution, 2.5 % lies above it.
Z = 1.959963984540054


@dataclass(frozen=True, kw_only=True)
class Votes:
    """So many said yes, of so many who were asked."""

    yes: int
    of: int

    @property
    def majority(self) -> bool | None:
        """None where both sides are as many: there is no majority."""
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
        """Wilson's, 95 %: it holds for few and for shares near none or all, too."""
        if not self.of:
            return None
        share, spread = self.right / self.of, Z * Z / self.of
        middle = (share + spread / 2) / (1 + spread)
        away = Z * sqrt(share * (1 - share) / self.of + spread / (4 * self.of)) / (1 + spread)
        return max(0.0, middle - away), min(1.0, middle + away)


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Majorities against what is known. A split agrees with nothing, so it is among those not right."""

    right: Share
    unanimous: Share
    splits: int


def agree(judged: Iterable[tuple[Votes, bool]]) -> Agreement:
    """Of judged questions: their votes, and what is known to be so."""
    rows = list(judged)
    return Agreement(
        right=Share(right=sum(votes.majority is label for votes, label in rows), of=len(rows)),
        unanimous=unanimity(votes for votes, _ in rows),
        splits=sum(votes.majority is None for votes, _ in rows),
    )


def accepted(judged: Iterable[Votes]) -> Share:
    """How many a majority says yes to."""
    rows = list(judged)
    return Share(right=sum(votes.majority is True for votes in rows), of=len(rows))


def unanimity(judged: Iterable[Votes]) -> Share:
    rows = list(judged)
    return Share(right=sum(votes.is_unanimous for votes in rows), of=len(rows))
