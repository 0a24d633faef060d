"""Pairs of workers who say the same more often than their skill explains: one who copies, or one person.

Two who are often right agree often. Beyond that, what they say of one item should be independent. How much
likelier their answers are if one copies half of the other's is compared with how likely that ratio is by
chance; the same mistake made by both says most.
"""

from dataclasses import dataclass

import numpy as np

from scoring.quality.dawid_skene import FLOOR, Truth, cautious
from scoring.quality.judged_labels import Floats, Ints, Labels
from scoring.quality.surprises import surprises

# Pairs with fewer items in common are not looked at.
FEWEST_SHARED = 8
# The share of answers that a copier is taken to copy.
COPIED = 0.5
# Numbers that are held at one time.
AT_ONCE = 4_000_000


@dataclass(frozen=True, kw_only=True)
class AlikePair:
    """Two places of workers, and how many of the items they share are answered alike; `usual`: by skill."""

    one: int
    other: int
    shared: int
    same: int
    usual: float
    surprise: float


def alike_pairs(labels: Labels) -> list[AlikePair]:
    """Return all pairs that share enough items, the most surprising first."""
    truth = cautious(labels)
    first, second = pairs_of_answers(labels)
    keys, at = np.unique(_pair_of(labels, first, second), return_inverse=True)
    wanted = np.bincount(at)[at] >= FEWEST_SHARED if len(at) else np.zeros(0, dtype=bool)
    first, second = first[wanted], second[wanted]
    keys, at = np.unique(_pair_of(labels, first, second), return_inverse=True)
    usual, ratio, mean, variance = (np.bincount(at, one) for one in _by_chance(labels, truth, first, second))
    odd = surprises((ratio - mean) / np.sqrt(variance + FLOOR))
    shared, same = np.bincount(at), np.bincount(at, labels.answer[first] == labels.answer[second])
    return [
        AlikePair(
            one=int(keys[pair] // len(labels.workers)),
            other=int(keys[pair] % len(labels.workers)),
            shared=int(shared[pair]),
            same=int(same[pair]),
            usual=float(usual[pair]),
            surprise=float(odd[pair]),
        )
        for pair in np.argsort(-odd, kind="stable").tolist()
    ]


def pairs_of_answers(labels: Labels) -> tuple[Ints, Ints]:
    """Return the places of all two labels of one item."""
    order = np.argsort(labels.item, kind="stable")
    item = labels.item[order]
    firsts, seconds = [order[:0]], [order[:0]]
    for apart in range(1, int(labels.votes.answered.max(initial=1))):
        at = np.flatnonzero(item[:-apart] == item[apart:])
        firsts.append(order[at])
        seconds.append(order[at + apart])
    return np.concatenate(firsts), np.concatenate(seconds)


def _pair_of(labels: Labels, first: Ints, second: Ints) -> Ints:
    one, other = labels.worker[first], labels.worker[second]
    return np.asarray(np.minimum(one, other) * len(labels.workers) + np.maximum(one, other))


def _by_chance(labels: Labels, truth: Truth, first: Ints, second: Ints) -> Floats:
    """Return for two answers each: the chance that they are equal, their ratio, and its mean and variance."""
    step = max(1, AT_ONCE // max(len(labels.answers), 1) ** 2)
    found = [
        _at_once(labels, truth, first[at : at + step], second[at : at + step])
        for at in range(0, len(first), step)
    ]
    return np.concatenate(found, axis=1) if found else np.zeros((4, 0))


def _at_once(labels: Labels, truth: Truth, first: Ints, second: Ints) -> Floats:
    one, other = truth.confusion[labels.worker[first]], truth.confusion[labels.worker[second]]
    at, said, beside = np.arange(len(first)), labels.answer[first], labels.answer[second]
    # What all others say of the item: the parts of these two are divided out.
    left = np.maximum(truth.posterior[labels.item[first]], FLOOR)
    left = left / np.maximum(one[at, :, said] * other[at, :, beside], FLOOR)
    left /= left.sum(axis=1, keepdims=True)
    joint = np.maximum(np.einsum("pt,pta,ptb->pab", left, one, other), FLOOR)
    alone = np.sqrt(joint.sum(axis=2) * joint.sum(axis=1))
    kinds = np.arange(joint.shape[1])
    copied = np.zeros_like(joint)
    copied[:, kinds, kinds] = COPIED * alone / joint[:, kinds, kinds]
    ratio = np.log(1 - COPIED + copied)
    mean = (joint * ratio).sum(axis=(1, 2))
    variance = (joint * ratio**2).sum(axis=(1, 2)) - mean**2
    return np.stack([joint[:, kinds, kinds].sum(axis=1), ratio[at, said, beside], mean, variance])
