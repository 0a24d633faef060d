"""Krippendorff's alpha of answers that are equal or not, with bootstrap intervals.

An interval over items says what other items would have given, one over workers what other workers would have.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.quality.judged_labels import Floats, Ints, Labels

TIMES, ENDS = 400, (2.5, 97.5)
# A resample in which fewer of the answers stand beside another says nothing.
TINY = 1e-9


@dataclass(frozen=True, kw_only=True)
class Alpha:
    """The figure with its intervals; None where it is not defined: no pairs, or all answers are equal."""

    value: float | None
    by_items: tuple[float, float] | None = None
    by_workers: tuple[float, float] | None = None


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


def interval_over_wholes(
    labels: Labels, whole: Ints, *, seed: int = 0, times: int = TIMES
) -> tuple[float, float] | None:
    """Return alpha's interval where things that are judged one by one belong to wholes, drawn together.

    `whole` is the number of the whole that each of the labels' items belongs to.
    """
    if _alpha(labels, np.ones(len(labels))) is None:
        return None
    return _by_items(labels, np.random.default_rng(seed), times, whole=whole)


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


def _by_items(
    labels: Labels, random: np.random.Generator, times: int, *, whole: Ints | None = None
) -> tuple[float, float] | None:
    votes = labels.votes
    whole = np.arange(len(labels.items)) if whole is None else whole
    is_paired = votes.answered > 1
    paired = np.unique(whole[is_paired])
    pairs = np.maximum(votes.answered * (votes.answered - 1), 1)
    same = np.bincount(votes.item, votes.count * (votes.count - 1), minlength=len(pairs))
    apart = votes.answered * (1 - same / pairs)
    kept = votes.answered[votes.item] > 1
    item, answer, count = votes.item[kept], votes.answer[kept], votes.count[kept]
    drawn = []
    for _ in range(times):
        chosen = paired[random.integers(len(paired), size=len(paired))]
        often = np.bincount(chosen, minlength=len(pairs))[whole] * is_paired
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
