"""How far several people agree: majorities with their ties, shares of equal pairs, Krippendorff's alpha.

Everything is exact, and takes time in proportion to the number of answers, however many values there are.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TypeVar

Told = TypeVar("Told", bound=Hashable)
Units = Iterable[Sequence[Told]]


class Level(StrEnum):
    """How far apart two different answers are: equally, by rank, or by their difference."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


@dataclass(frozen=True, kw_only=True)
class Majority:
    """A majority. `leaders`: what most have said, all of them where several were said equally often."""

    leaders: tuple[Hashable, ...]
    votes: int
    answers: int

    @property
    def is_tie(self) -> bool:
        return len(self.leaders) > 1

    @property
    def share(self) -> Fraction:
        return Fraction(self.votes, self.answers)


def majority_of(answers: Sequence[Hashable], *, order: Sequence[Hashable] = ()) -> Majority | None:
    """The majority. Equal leaders are sorted by `order`, then as first said. None: no answers."""
    counts = Counter(answers)
    if not counts:
        return None
    most = max(counts.values())
    leaders = [answer for answer, votes in counts.items() if votes == most]
    places = {answer: place for place, answer in enumerate(order)}
    leaders.sort(key=lambda answer: places.get(answer, len(places)))
    return Majority(leaders=tuple(leaders), votes=most, answers=len(answers))


def ticked_by_most(
    answers: Sequence[Sequence[str]], *, options: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Options of several choices that more than half have ticked, and those that exactly half have."""
    counts = Counter(option for ticked in answers for option in ticked)
    return (
        tuple(option for option in options if 2 * counts[option] > len(answers)),
        tuple(option for option in options if answers and 2 * counts[option] == len(answers)),
    )


def equal_pairs(units: Units[Told]) -> Fraction | None:
    """The share of equal pairs among all pairs of answers to one row. None: no row has two answers."""
    equal = pairs = 0
    for unit in units:
        pairs += len(unit) * (len(unit) - 1)
        equal += sum(votes * (votes - 1) for votes in Counter(unit).values())
    return Fraction(equal, pairs) if pairs else None


def alpha_of(units: Units[Told], *, level: Level) -> Fraction | None:
    """Krippendorff's alpha. None: no row has two answers, or all answers are equal."""
    paired = [list(unit) for unit in units if len(unit) > 1]
    counts = Counter(answer for unit in paired for answer in unit)
    if len(counts) < 2:
        return None
    if level == Level.NOMINAL:
        observed = sum((_unequal(Counter(unit)) / (len(unit) - 1) for unit in paired), Fraction(0))
        expected = _unequal(counts)
    else:
        positions = _ranks(counts) if level == Level.ORDINAL else _figures(counts)
        observed = sum((_apart(Counter(unit), positions) / (len(unit) - 1) for unit in paired), Fraction(0))
        expected = _apart(counts, positions)
    return 1 - observed * (counts.total() - 1) / expected


def _unequal(counts: Counter[Told]) -> Fraction:
    """Number of ordered pairs that differ."""
    return Fraction(counts.total() ** 2 - sum(votes**2 for votes in counts.values()))


def _apart(counts: Counter[Told], positions: Mapping[Told, Fraction]) -> Fraction:
    """Sum of the squared distances of all ordered pairs, without making the pairs."""
    total = sum(votes * positions[answer] for answer, votes in counts.items())
    squares = sum(votes * positions[answer] ** 2 for answer, votes in counts.items())
    return 2 * (counts.total() * Fraction(squares) - Fraction(total) ** 2)


def _ranks(counts: Counter[Told]) -> dict[Told, Fraction]:
    """Middles of ranks: Krippendorff's ordinal distance of two values is the distance of their middles."""
    found, below = {}, 0
    for answer in sorted(counts, key=_figure):
        found[answer] = below + Fraction(counts[answer], 2)
        below += counts[answer]
    return found


def _figures(counts: Counter[Told]) -> dict[Told, Fraction]:
    return {answer: _figure(answer) for answer in counts}


def _figure(answer: Hashable) -> Fraction:
    return Fraction(str(answer))
