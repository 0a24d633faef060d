"""An item needs one more answer while what is most likely true of it is not likely enough."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scoring.quality.asking_bounds import Enough
from scoring.quality.judged_labels import Flags, Floats, Labels
from scoring.quality.one_coin import BEGINNING, one_coin


def certainty_of(labels: Labels) -> Floats:
    """Return for each item how likely its likeliest answer is, by all answers of all workers so far."""
    if not len(labels):
        return np.zeros(0)
    return np.asarray(one_coin(labels, **BEGINNING).posterior.max(axis=1))


def unsure_items(labels: Labels, enough: Enough) -> Sequence[Any]:
    """Return the items that need one more answer, those that are least sure first."""
    certainty, answered = certainty_of(labels), np.bincount(labels.item, minlength=len(labels.items))
    lacks: Flags = answered < enough.fewest
    asks: Flags = lacks | ((certainty < enough.sure) & (answered < enough.most))
    order = np.argsort(certainty, kind="stable")
    return [labels.items[place] for place in order if asks[place]]
