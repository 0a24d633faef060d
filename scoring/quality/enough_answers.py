"""An item needs one more answer while what is most likely true of it is not likely enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.quality.judged_labels import Flags, Floats, Labels
from scoring.quality.one_coin import one_coin

# What a worker is taken to have answered before the first answer: rather right, and easily unlearned.
RIGHT, WRONG = 4.0, 1.0


@dataclass(frozen=True, kw_only=True)
class Enough:
    """When an item has enough answers: from `fewest` on, once it is `sure` enough, and with `most` anyway."""

    fewest: int
    most: int
    sure: float

    def __post_init__(self) -> None:
        if not (1 <= self.fewest <= self.most and 0.5 <= self.sure < 1):
            raise ValueError("Enough needs 1 <= fewest <= most and 0.5 <= sure < 1.")


def certainty_of(labels: Labels) -> Floats:
    """Return for each item how likely its likeliest answer is, by all answers of all workers so far."""
    if not len(labels):
        return np.zeros(0)
    return np.asarray(one_coin(labels, right=RIGHT, wrong=WRONG).posterior.max(axis=1))


def unsure_items(labels: Labels, enough: Enough) -> Sequence[Any]:
    """Return the items that need one more answer, those that are least sure first."""
    certainty, answered = certainty_of(labels), np.bincount(labels.item, minlength=len(labels.items))
    lacks: Flags = answered < enough.fewest
    asks: Flags = lacks | ((certainty < enough.sure) & (answered < enough.most))
    order = np.argsort(certainty, kind="stable")
    return [labels.items[place] for place in order if asks[place]]
