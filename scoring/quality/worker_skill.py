"""What a worker's answers say of the truth, by Dawid and Skene's model without the worker's own votes."""

from dataclasses import dataclass

import numpy as np

from scoring.quality.dawid_skene import FLOOR, Truth
from scoring.quality.judged_labels import Floats, Labels

# A truth that a worker has met less often than this says nothing of the worker.
FEWEST_MET = 2.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Skill:
    """Arrays by worker. `found`: worker, truth, answer; how often, as far as the others say what is true.

    `informed` is 1 for somebody who is always right, and 0 for whoever guesses or always says the same,
    however frequent that answer is; not a number where a worker has met fewer than two truths.
    """

    found: Floats
    informed: Floats
    error: Floats

    @property
    def right(self) -> Floats:
        """The share of each worker's answers that are right by the others."""
        total = self.found.sum(axis=(1, 2))
        hits = np.trace(self.found, axis1=1, axis2=2)
        return np.asarray(np.divide(hits, total, out=np.full(len(total), np.nan), where=total > 0))


def skill_of(labels: Labels, truth: Truth) -> Skill:
    found = _found(labels, without_own(labels, truth))
    met = found.sum(axis=2)
    is_met = met >= FEWEST_MET
    kinds = is_met.sum(axis=1)
    # Half an answer each way, so that nobody is certain after a few answers.
    recall = (np.diagonal(found, axis1=1, axis2=2) + 0.5) / (met + 1)
    mean = np.where(is_met, recall, 0).sum(axis=1) / np.maximum(kinds, 1)
    variance = np.where(is_met, recall * (1 - recall) / (met + 1), 0).sum(axis=1) / np.maximum(kinds, 1) ** 2
    scale = 1 - 1 / np.maximum(kinds, 2)
    is_known = kinds > 1
    return Skill(
        found=found,
        informed=np.where(is_known, (mean - (1 - scale)) / scale, np.nan),
        error=np.where(is_known, np.sqrt(variance) / scale, np.nan),
    )


def without_own(labels: Labels, truth: Truth) -> Floats:
    """Return for each label what the other answers to its item say: its own part is divided out."""
    part = truth.confusion[labels.worker, :, labels.answer]
    left = np.maximum(truth.posterior[labels.item], FLOOR) / np.maximum(part, FLOOR)
    return np.asarray(left / left.sum(axis=1, keepdims=True))


def _found(labels: Labels, posterior: Floats) -> Floats:
    people, kinds = len(labels.workers), len(labels.answers)
    cell = labels.worker * kinds + labels.answer
    counted = [
        np.bincount(cell, posterior[:, truth], minlength=people * kinds).reshape(people, kinds)
        for truth in range(kinds)
    ]
    return np.stack(counted, axis=1) if counted else np.zeros((people, 0, 0))
