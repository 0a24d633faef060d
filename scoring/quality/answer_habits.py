"""What a worker says whatever is asked: one answer again and again, or whatever stands in one place."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from scoring.quality.judged_labels import NO_PLACE, Floats, Ints, Labels
from scoring.quality.surprises import of_chance, surprise

# With fewer answers, or fewer with a place, a habit is not looked for.
FEWEST = 8


@dataclass(frozen=True, kw_only=True)
class Habit:
    """What one worker says most, how often, and how often others say it of the same items; all are shares.

    `run`: how often it was said one after another, at most. `evenness`: the entropy of the answers as a share
    of the greatest possible. `error`: the sampling error of the share; not a number without others.
    """

    answer: int
    share: float
    usual: float
    run: int
    run_answer: int
    evenness: float
    error: float
    run_surprise: float


@dataclass(frozen=True, kw_only=True)
class PlaceHabit:
    """The place where one worker's choices stand most often, beside all others' choices."""

    place: int
    share: float
    usual: float
    surprise: float


def habit_of(labels: Labels, worker: int) -> Habit | None:
    """Return the habit of a worker with enough answers beside those of others."""
    said = labels.answer[labels.worker == worker]
    if len(said) < FEWEST:
        return None
    counts = np.bincount(said, minlength=len(labels.answers))
    favored = int(counts.argmax())
    usual, others = _others_say(labels, worker)
    run, run_answer = longest_run(said)
    shares = counts / len(said)
    share, expected = float(shares[favored]), float(usual[favored])
    error = sqrt(max(expected * (1 - expected), 1 / len(said)) / len(said))
    # A run is odd only beyond how often the worker says that anyway.
    p = float(max(usual[run_answer], shares[run_answer]))
    return Habit(
        answer=favored,
        share=share,
        usual=expected,
        run=run,
        run_answer=run_answer,
        evenness=_evenness(counts),
        error=error if others else float("nan"),
        run_surprise=of_chance(_chance_of_run(run, of=len(said), p=p)),
    )


def place_habit_of(labels: Labels, worker: int) -> PlaceHabit | None:
    placed = labels.place != NO_PLACE
    own = labels.place[placed & (labels.worker == worker)]
    others = labels.place[placed & (labels.worker != worker)]
    if len(own) < FEWEST or len(others) < FEWEST:
        return None
    most = int(max(own.max(), others.max())) + 1
    counts, beside = np.bincount(own, minlength=most), np.bincount(others, minlength=most)
    # One more in each place, so that nothing is impossible.
    usual = (beside + 1) / (beside.sum() + most)
    expected = usual * len(own)
    apart = float(((counts - expected) ** 2 / expected).sum())
    place = int((counts - expected).argmax())
    return PlaceHabit(
        place=place,
        share=float(counts[place] / len(own)),
        usual=float(usual[place]),
        surprise=surprise(_score_of_square(apart, freedom=most - 1)),
    )


def longest_run(said: Ints) -> tuple[int, int]:
    """Return how often the same was said one after another at most, and what it was."""
    edges = np.flatnonzero(np.diff(said)) + 1
    starts = np.concatenate([[0], edges])
    lengths = np.diff(np.concatenate([starts, [len(said)]]))
    at = int(lengths.argmax())
    return int(lengths[at]), int(said[starts[at]])


def _others_say(labels: Labels, worker: int) -> tuple[Floats, bool]:
    """Return how often others give each answer to this worker's items, and whether there are others."""
    own = labels.worker == worker
    items = np.bincount(labels.item[own], minlength=len(labels.items)).astype(float)
    votes = labels.votes
    beside = votes.answered - np.minimum(items, 1)
    weight = np.where(beside > 0, items / np.maximum(beside, 1), 0)
    other = ~own
    said = np.bincount(labels.answer[other], weight[labels.item[other]], minlength=len(labels.answers))
    total = said.sum()
    return (said / total, True) if total else (np.full(len(said), 1 / max(len(said), 1)), False)


def _evenness(counts: Ints) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum() / np.log(max(len(counts), 2)))


def _chance_of_run(run: int, *, of: int, p: float) -> float:
    """Return the chance of such a run somewhere, at most: answers that follow each other are independent."""
    return min(1.0, (1 + (of - run) * (1 - p)) * p**run)


def _score_of_square(square: float, *, freedom: int) -> float:
    """Return the standard score of a chi square, by Wilson and Hilferty."""
    if not freedom:
        return 0.0
    part = 2 / (9 * freedom)
    return float(((square / freedom) ** (1 / 3) - (1 - part)) / sqrt(part))
