"""Krippendorff's alpha of answers that are equal or not, and of sets, with bootstrap intervals.

An interval over items says what other items would have given, one over workers what other workers would have.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.quality.judged_labels import Floats, Labels

Distance = Callable[[Collection[Any], Collection[Any]], float]
TIMES, ENDS = 400, (2.5, 97.5)
# Of more pairs of sets than this, a sample says how far apart any two of them are.
MOST_PAIRS = 200_000
# A resample in which fewer of the answers stand beside another says nothing.
TINY = 1e-9


@dataclass(frozen=True, kw_only=True)
class Alpha:
    """The figure with its intervals; None where it is not defined: no pairs, or all answers are equal."""

    value: float | None
    by_items: tuple[float, float] | None = None
    by_workers: tuple[float, float] | None = None


def jaccard_distance(one: Collection[Any], other: Collection[Any]) -> float:
    first, second = set(one), set(other)
    return 1 - len(first & second) / len(first | second) if first | second else 0.0


def masi_distance(one: Collection[Any], other: Collection[Any]) -> float:
    """Return the distance of sets by Passonneau: Jaccard's, larger where neither set contains the other."""
    first, second = set(one), set(other)
    if first == second:
        return 0.0
    part = 2 / 3 if first <= second or second <= first else 1 / 3 if first & second else 0.0
    return 1 - part * (1 - jaccard_distance(first, second))


def alpha_of(labels: Labels, *, seed: int = 0, times: int = TIMES) -> Alpha:
    """Alpha of nominal answers, with 95 % intervals over items and over workers."""
    value = _alpha(labels, np.ones(len(labels)))
    if value is None or not times:
        return Alpha(value=value)
    random = np.random.default_rng(seed)
    return Alpha(
        value=value,
        by_items=_by_items(labels, random, times),
        by_workers=_by_workers(labels, random, times),
    )


def alpha_of_sets(labels: Labels, *, distance: Distance = jaccard_distance, seed: int = 0) -> Alpha:
    """Alpha of answers that are sets, with its interval over items."""
    random = np.random.default_rng(seed)
    apart, answered = _apart_in_items(labels, distance), labels.votes.answered
    paired = answered > 1
    expected = _apart_anywhere(labels.keep(paired[labels.item]), distance, random)
    if not expected:
        return Alpha(value=None)
    observed, weight = apart[paired], answered[paired]

    def of(chosen: Any) -> float:
        return float(1 - (observed[chosen] * weight[chosen]).sum() / weight[chosen].sum() / expected)

    drawn = [of(random.integers(len(observed), size=len(observed))) for _ in range(TIMES)]
    return Alpha(value=of(slice(None)), by_items=_ends(drawn))


def _alpha(labels: Labels, weights: Floats) -> float | None:
    """Alpha where answers weigh unequally; one answer and itself are no pair, however much it weighs."""
    votes, length = labels.votes, len(labels.items)
    mass = np.bincount(labels.item, weights, minlength=length)
    own = np.bincount(labels.item, weights**2, minlength=length)
    cells = np.bincount(votes.cell_of, weights, minlength=len(votes.item))
    same = np.bincount(votes.item, cells**2, minlength=length) - own
    pairs = mass**2 - own
    paired = pairs > TINY
    apart = np.where(paired, mass * (1 - same / np.where(paired, pairs, 1)), 0).sum()
    counts = np.bincount(labels.answer, weights * paired[labels.item], minlength=len(labels.answers))
    return _one_minus(apart, counts)


def _one_minus(apart: float, counts: NDArray[Any]) -> float | None:
    total = counts.sum()
    expected = total**2 - (counts**2).sum()
    return float(1 - apart * (total - 1) / expected) if expected > TINY else None


def _by_items(labels: Labels, random: np.random.Generator, times: int) -> tuple[float, float] | None:
    votes = labels.votes
    paired = np.flatnonzero(votes.answered > 1)
    pairs = np.maximum(votes.answered * (votes.answered - 1), 1)
    same = np.bincount(votes.item, votes.count * (votes.count - 1), minlength=len(pairs))
    apart = votes.answered * (1 - same / pairs)
    kept = votes.answered[votes.item] > 1
    item, answer, count = votes.item[kept], votes.answer[kept], votes.count[kept]
    drawn = []
    for _ in range(times):
        chosen = paired[random.integers(len(paired), size=len(paired))]
        often = np.bincount(chosen, minlength=len(pairs))
        counts = np.bincount(answer, count * often[item], minlength=len(labels.answers))
        drawn.append(_one_minus(float((apart * often).sum()), counts))
    return _ends(drawn)


def _by_workers(labels: Labels, random: np.random.Generator, times: int) -> tuple[float, float] | None:
    people = len(labels.workers)
    often = (np.bincount(random.integers(people, size=people), minlength=people) for _ in range(times))
    return _ends([_alpha(labels, one[labels.worker].astype(float)) for one in often])


def _ends(drawn: Collection[float | None]) -> tuple[float, float] | None:
    """The middle 95 % of what was drawn; None where half of it was not defined."""
    known = [one for one in drawn if one is not None]
    if 2 * len(known) < len(drawn) or not known:
        return None
    low, high = np.percentile(known, ENDS)
    return float(low), float(high)


def _apart_in_items(labels: Labels, distance: Distance) -> Floats:
    """The mean distance of two answers to each item."""
    votes = labels.votes
    total = np.zeros(len(labels.items))
    order = np.argsort(votes.item, kind="stable")
    for cells in np.split(order, np.flatnonzero(np.diff(votes.item[order])) + 1):
        for one, other in combinations(cells.tolist(), 2):
            apart = distance(labels.answers[votes.answer[one]], labels.answers[votes.answer[other]])
            total[votes.item[one]] += 2 * apart * votes.count[one] * votes.count[other]
    pairs = votes.answered * (votes.answered - 1)
    return np.asarray(total / np.maximum(pairs, 1))


def _apart_anywhere(labels: Labels, distance: Distance, random: np.random.Generator) -> float | None:
    """The mean distance of any two answers, of all items."""
    count = len(labels)
    if count * (count - 1) // 2 <= MOST_PAIRS:
        pairs = combinations(labels.answer.tolist(), 2)
    else:
        drawn = random.integers(count, size=(MOST_PAIRS, 2))
        pairs = iter(labels.answer[drawn[drawn[:, 0] != drawn[:, 1]]].tolist())
    apart = [distance(labels.answers[one], labels.answers[other]) for one, other in pairs]
    return sum(apart) / len(apart) if apart else None
