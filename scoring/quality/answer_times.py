"""How long answers took, and which were given faster than anybody reads."""

from dataclasses import dataclass

import numpy as np

from scoring.quality.judged_labels import Flags, Floats, Ints, Labels

# Words in a minute. Adults read about 240 for comprehension (Brysbaert 2019), and skim at the most so many.
FASTEST_READING = 500
# With fewer timed answers, a time says nothing of a worker.
FEWEST = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class Times:
    """Arrays by worker. `unread`: how many of the `readable` answers came faster than reading allows."""

    timed: Ints
    median: Floats
    readable: Ints
    unread: Ints


def times_of(labels: Labels) -> Times:
    people = len(labels.workers)
    timed = ~np.isnan(labels.seconds)
    readable = timed & (labels.words > 0)
    return Times(
        timed=np.bincount(labels.worker[timed], minlength=people),
        median=_medians(labels, timed),
        readable=np.bincount(labels.worker[readable], minlength=people),
        unread=np.bincount(labels.worker[readable & is_unread(labels)], minlength=people),
    )


def is_unread(labels: Labels) -> Flags:
    """Whether an answer took less than the fastest reading of its words; unknown times are none."""
    with np.errstate(invalid="ignore"):
        return np.asarray(labels.seconds < 60 * labels.words / FASTEST_READING)


def _medians(labels: Labels, timed: Flags) -> Floats:
    found = np.full(len(labels.workers), np.nan)
    worker, seconds = labels.worker[timed], labels.seconds[timed]
    order = np.argsort(worker, kind="stable")
    edges = np.flatnonzero(np.diff(worker[order])) + 1
    for own in np.split(order, edges):
        if len(own):
            found[worker[own[0]]] = np.median(seconds[own])
    return found
