"""How concrete the cues are, and whether people and the model find concrete ones easier."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from crowd.winogavil.releases.domain import Mean, per_cent
from crowd.winogavil.releases.files.concreteness_files import HIGHEST, LOWEST
from crowd.winogavil.releases.statistics.tallies import WHOLE
from hits.datasets.correlations import chance_of, correlate_counted

# Of a bin, in points of the rating.
WIDTH = Fraction(1, 2)
BINS = int((HIGHEST - LOWEST) / WIDTH)
DIGITS = 6
PEOPLE, MODEL = "people", "model"
# How often each rating goes with each share, whose parts are whole numbers: there are few of these.
Pairs = Counter[tuple[float, int, int]]


class SolvedCue(NamedTuple):
    """A final association's values, in the order in which the query names them."""

    cue: str
    model_score: int | None
    numerator: int
    denominator: int


@dataclass
class Bin:
    """Associations whose cues are about as concrete."""

    associations: int = 0
    human: Mean = field(default_factory=Mean)
    model: Mean = field(default_factory=Mean)


@dataclass
class Concreteness:
    """Tallies of final associations by the rating of their cue."""

    ratings: Mapping[str, float]
    bins: dict[int | None, Bin] = field(default_factory=dict)
    pairs: Mapping[str, Pairs] = field(default_factory=lambda: {PEOPLE: Counter(), MODEL: Counter()})

    def add(self, one: SolvedCue) -> None:
        rating = self.ratings.get(one.cue.casefold())
        found = self.bins.setdefault(_bin_of(rating), Bin())
        found.associations += 1
        found.human.add(one.numerator, one.denominator)
        if one.model_score is not None:
            found.model.add(one.model_score, WHOLE)
        if rating is not None:
            self.pairs[PEOPLE][rating, one.numerator, one.denominator] += 1
            if one.model_score is not None:
                self.pairs[MODEL][rating, one.model_score, WHOLE] += 1


def tables_of_concreteness(found: Concreteness, words: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the bins with the selected words in each, and each correlation, ready for JSON."""
    cues = Counter(_bin_of(found.ratings.get(word)) for word in words)
    return {
        "concreteness": [
            _row(place, found.bins.get(place, Bin()), cues[place]) for place in (*range(BINS), None)
        ],
        "correlations": [_correlation(whose, pairs) for whose, pairs in found.pairs.items()],
    }


@lru_cache(maxsize=4096)
def _bin_of(rating: float | None) -> int | None:
    """Return the number of the bin, the last of which has its upper end as well; None for an unrated word."""
    return None if rating is None else min(int((_exact(rating) - LOWEST) / WIDTH), BINS - 1)


def _exact(rating: float) -> Fraction:
    """Return the number as it is written, which its binary form is not."""
    return Fraction(str(rating))


def _row(place: int | None, one: Bin, cues: int) -> dict[str, Any]:
    low = None if place is None else float(LOWEST + place * WIDTH)
    return {
        "from": low,
        "to": None if low is None else low + float(WIDTH),
        "cues": cues,
        "associations": one.associations,
        "human": _number(one.human),
        "model": _number(one.model),
    }


def _number(mean: Mean) -> float | None:
    rounded = per_cent(mean.value)
    return None if rounded is None else float(rounded)


def _correlation(whose: str, pairs: Pairs) -> dict[str, Any]:
    exact: Counter[tuple[Fraction | int, Fraction | int]] = Counter()
    for (rating, numerator, denominator), times in pairs.items():
        exact[_exact(rating), Fraction(numerator, denominator)] += times
    found = correlate_counted(exact.items())
    return {
        "whose": whose,
        "associations": pairs.total(),
        "r": None if found is None else round(found.r, DIGITS),
        "p": None if found is None else round(chance_of(found), DIGITS),
    }
