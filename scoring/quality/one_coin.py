"""What is most likely true where each worker has one skill: right with it, else any other answer alike.

It has one number for each worker, so a few answers suffice; it cannot see that one answer is favored.
"""

from dataclasses import dataclass

import numpy as np

from scoring.quality.dawid_skene import FLOOR, ROUNDS, TOLERANCE, vote_shares
from scoring.quality.judged_labels import Floats, Ints, Labels

# What each worker is taken to have answered before the first answer: rather right, and easily unlearned. With
# fewer right ones a crowd of few answers each is taken to agree by chance, and its mistakes for the truth.
BEGINNING = {"right": 4.0, "wrong": 1.0}


@dataclass(frozen=True, kw_only=True, eq=False)
class Skilled:
    posterior: Floats
    skill: Floats

    @property
    def answer(self) -> Ints:
        return np.asarray(self.posterior.argmax(axis=1))


def one_coin(
    labels: Labels, *, right: float = 0.0, wrong: float = 0.0, tolerance: float = TOLERANCE
) -> Skilled:
    """Fit the model. `right` and `wrong` are answers that each worker is taken to have given before."""
    posterior, kinds = vote_shares(labels), len(labels.answers)
    answered = np.bincount(labels.worker, minlength=len(labels.workers))
    skill = np.zeros(len(labels.workers))
    for _ in range(ROUNDS):
        hits = np.bincount(labels.worker, posterior[labels.item, labels.answer], minlength=len(answered))
        last, skill = skill, (hits + right) / np.maximum(answered + right + wrong, 1)
        posterior = _expect(labels, np.clip(skill, FLOOR, 1 - FLOOR), posterior.mean(axis=0), kinds)
        if np.abs(skill - last).max(initial=0) < tolerance:
            break
    return Skilled(posterior=posterior, skill=skill)


def _expect(labels: Labels, skill: Floats, prior: Floats, kinds: int) -> Floats:
    """The posteriors; an answer moves the odds of what it names against each of the others."""
    weight = np.log(skill) - np.log((1 - skill) / max(kinds - 1, 1))
    cell = labels.item * kinds + labels.answer
    votes = np.bincount(cell, weight[labels.worker], minlength=len(labels.items) * kinds)
    joint = votes.reshape(len(labels.items), kinds) + np.log(np.clip(prior, FLOOR, None))
    mass = np.exp(joint - joint.max(axis=1, keepdims=True))
    return np.asarray(mass / mass.sum(axis=1, keepdims=True))
