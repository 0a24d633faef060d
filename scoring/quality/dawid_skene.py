"""What is most likely true of each item, and how each worker errs: the model of Dawid and Skene, by EM.

Every worker has a confusion: how often each truth is called what. It starts from the majority's shares.
"""

from dataclasses import dataclass

import numpy as np

from scoring.quality.judged_labels import Floats, Ints, Labels

ROUNDS, TOLERANCE = 100, 1e-5
FLOOR = 1e-10


@dataclass(frozen=True, kw_only=True, eq=False)
class Truth:
    """`posterior`: of each item, each answer's probability. `confusion`: worker, truth, answer."""

    posterior: Floats
    prior: Floats
    confusion: Floats

    @property
    def answer(self) -> Ints:
        return np.asarray(self.posterior.argmax(axis=1))

    @property
    def sureness(self) -> Floats:
        return np.asarray(self.posterior.max(axis=1))


def dawid_skene(
    labels: Labels, *, smoothing: float = 0.0, as_crowd: float = 0.0, tolerance: float = TOLERANCE
) -> Truth:
    """Fit the model. `smoothing` is added to each entry of each confusion, for workers of few answers.

    `as_crowd`: answers to each truth that each worker is taken to have given before, as the crowd errs.
    """
    posterior = vote_shares(labels)
    loss = -np.inf
    for _ in range(ROUNDS):
        prior = posterior.mean(axis=0)
        confusion = _confusions(labels, posterior, smoothing=smoothing, as_crowd=as_crowd)
        posterior, score = _expect(labels, prior, confusion)
        if score - loss < tolerance:
            break
        loss = score
    return Truth(posterior=posterior, prior=prior, confusion=confusion)


def vote_shares(labels: Labels) -> Floats:
    votes = labels.votes
    shares = np.zeros((len(labels.items), len(labels.answers)))
    shares[votes.item, votes.answer] = votes.count / votes.answered[votes.item]
    return shares


def smoothed(labels: Labels) -> Truth:
    """Fit with the smoothing that the pages use: half an answer spread over each row of a confusion."""
    return dawid_skene(labels, smoothing=0.5 / max(len(labels.answers), 1))


def cautious(labels: Labels) -> Truth:
    """Fit so that two who say the same do not make each other experts on what nobody else has seen."""
    return dawid_skene(labels, smoothing=0.5 / max(len(labels.answers), 1), as_crowd=10.0)


def _confusions(labels: Labels, posterior: Floats, *, smoothing: float, as_crowd: float) -> Floats:
    people, kinds = len(labels.workers), len(labels.answers)
    cell = labels.worker * kinds + labels.answer
    found = np.stack(
        [
            np.bincount(cell, posterior[labels.item, truth], minlength=people * kinds)
            for truth in range(kinds)
        ],
        axis=1,
    )
    by_worker = np.clip(found, FLOOR, None).reshape(people, kinds, kinds).transpose(0, 2, 1) + smoothing
    if as_crowd:
        crowd = by_worker.sum(axis=0)
        by_worker = by_worker + as_crowd * crowd / crowd.sum(axis=1, keepdims=True)
    return np.asarray(by_worker / by_worker.sum(axis=2, keepdims=True))


def _expect(labels: Labels, prior: Floats, confusion: Floats) -> tuple[Floats, float]:
    """The posteriors, and the mean logarithm of how likely the answers to an item are."""
    said = np.log(confusion)[labels.worker, :, labels.answer]
    joint = np.stack(
        [
            np.bincount(labels.item, said[:, truth], minlength=len(labels.items))
            for truth in range(len(prior))
        ],
        axis=1,
    ) + np.log(np.clip(prior, FLOOR, None))
    top = joint.max(axis=1, keepdims=True)
    mass = np.exp(joint - top)
    total = mass.sum(axis=1, keepdims=True)
    return mass / total, float((top + np.log(total)).mean())
