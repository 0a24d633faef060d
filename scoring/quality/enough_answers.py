"""An item needs one more answer while what is most likely true of it is not likely enough."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scoring.quality.asking_bounds import Enough
from scoring.quality.judged_labels import Flags, Floats, Labels
from scoring.quality.one_coin import BEGINNING, Skilled, one_coin


def certainty_of(labels: Labels) -> Floats:
    """Return for each item how likely its likeliest answer is, by all answers of all workers so far."""
    if not len(labels):
        return np.zeros(0)
    return np.asarray(_weigh(labels).posterior.max(axis=1))


def likeliest_answers(labels: Labels) -> Mapping[Any, Any]:
    """Return for each item the answer that is likeliest true of it."""
    if not len(labels):
        return {}
    found = _weigh(labels).answer
    return {item: labels.answers[place] for item, place in zip(labels.items, found, strict=True)}


def likely_right(labels: Labels) -> tuple[int, float]:
    """Return how many answers items with several of them have, and how many of these are likely right."""
    if not len(labels):
        return 0, 0.0
    compared: Flags = labels.votes.answered[labels.item] > 1
    likely = _weigh(labels).posterior[labels.item, labels.answer]
    return int(compared.sum()), float(likely[compared].sum())


def unsure_items(labels: Labels, enough: Enough) -> Sequence[Any]:
    """Return the items that need one more answer, those that are least sure first."""
    certainty, answered = certainty_of(labels), np.bincount(labels.item, minlength=len(labels.items))
    lacks: Flags = answered < enough.fewest
    asks: Flags = lacks | ((certainty < enough.sure) & (answered < enough.most))
    order = np.argsort(certainty, kind="stable")
    return [labels.items[place] for place in order if asks[place]]


def _weigh(labels: Labels) -> Skilled:
    return one_coin(labels, **BEGINNING)
