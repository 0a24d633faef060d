"""What most have said of each item, with ties as ties, and what it would be without one worker."""

from dataclasses import dataclass

import numpy as np

from scoring.quality.judged_labels import Flags, Floats, Ints, Labels

TIE, NOBODY = -1, -2


@dataclass(frozen=True, kw_only=True)
class ChangedMajority:
    """An item whose majority is another one without a worker; places of answers, or TIE, or NOBODY."""

    item: int
    now: int
    without: int


def majorities(labels: Labels) -> Ints:
    """Return the answer of each item that most have given, TIE where several lead, NOBODY without answers."""
    votes = labels.votes
    found = np.full(len(votes.most), NOBODY, dtype=np.int64)
    leads = votes.count == votes.most[votes.item]
    found[votes.item[leads]] = votes.answer[leads]
    found[votes.is_tie] = TIE
    return found


def equal_shares(labels: Labels) -> Floats:
    """Return the share of equal pairs of answers to each item; not a number with fewer than two."""
    votes = labels.votes
    equal = np.bincount(votes.item, votes.count * (votes.count - 1), minlength=len(votes.most))
    pairs = (votes.answered * (votes.answered - 1)).astype(float)
    return np.asarray(np.divide(equal, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0))


def percent_agreement(labels: Labels) -> float | None:
    """Return the share of equal pairs among all pairs of answers to one item; None if there is no pair."""
    votes = labels.votes
    pairs = int((votes.answered * (votes.answered - 1)).sum())
    return float((votes.count * (votes.count - 1)).sum()) / pairs if pairs else None


def changed_without(labels: Labels, worker: int) -> list[ChangedMajority]:
    """Return the items whose majority would be another one without this worker's answers."""
    now, without = majorities(labels), majorities(labels.keep(labels.worker != worker))
    return [
        ChangedMajority(item=int(item), now=int(now[item]), without=int(without[item]))
        for item in np.flatnonzero(now != without)
    ]


def decides(labels: Labels) -> Flags:
    """Whether the item's majority would be another one, a tie or nobody's without this one answer."""
    votes = labels.votes
    most, leaders, second = (array[labels.item] for array in (votes.most, votes.leaders, votes.second))
    is_leader = votes.count[votes.cell_of] == most
    alone = (leaders == 1) & (most - 1 == second)
    return np.asarray(is_leader & (alone | (leaders == 2)))
