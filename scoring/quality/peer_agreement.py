"""How far each worker says what the others say, beside how far these say the same among themselves."""

from dataclasses import dataclass

import numpy as np

from scoring.quality.judged_labels import Floats, Labels

# With fewer answers that stand beside another, agreement says nothing of a worker.
FEWEST = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class PeerAgreement:
    """Arrays by label, not a number where nobody else has answered the item.

    `own`: the share of the others that say the same. `usual`: that of two others, of the same item if three
    have answered it, else of the whole crowd.
    """

    own: Floats
    usual: Floats

    @property
    def less(self) -> Floats:
        return self.own - self.usual


def agree_with_others(labels: Labels) -> PeerAgreement:
    votes = labels.votes
    answered = votes.answered[labels.item].astype(float)
    same = votes.count[votes.cell_of] - 1
    own = np.divide(same, answered - 1, out=np.full(len(labels), np.nan), where=answered > 1)
    pairs = (answered - 1) * (answered - 2)
    equal = np.bincount(votes.item, votes.count * (votes.count - 1), minlength=len(labels.items))
    everywhere = float(np.nanmean(own)) if (answered > 1).any() else np.nan
    usual = np.divide(
        equal[labels.item] - 2 * same, pairs, out=np.full(len(labels), everywhere), where=pairs > 0
    )
    return PeerAgreement(own=own, usual=usual)


def mean_by_worker(values: Floats, labels: Labels) -> tuple[Floats, Floats]:
    """Return the mean of each worker's values that are numbers, and how many they are."""
    known = ~np.isnan(values)
    count = np.bincount(labels.worker[known], minlength=len(labels.workers)).astype(float)
    total = np.bincount(labels.worker[known], values[known], minlength=len(labels.workers))
    return np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0), count
