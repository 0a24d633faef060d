"""The figures of each worker over all questions that a crowd was asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.quality.answer_times import times_of
from scoring.quality.dawid_skene import Truth, smoothed
from scoring.quality.judged_labels import Floats, Ints, Labels
from scoring.quality.majority_votes import decides
from scoring.quality.one_coin import BEGINNING, one_coin
from scoring.quality.peer_agreement import FEWEST, agree_with_others, mean_by_worker
from scoring.quality.worker_skill import skill_of

TIMED = ("worker", "seconds", "words")


@dataclass(frozen=True, kw_only=True, eq=False)
class AskedQuestion:
    """One question with all labels and what they say is true. Its name is empty where it is the only one."""

    name: str
    labels: Labels
    truth: Truth


@dataclass(frozen=True, kw_only=True, eq=False)
class WorkerFigures:
    """Arrays by worker. `less`: by how much a worker agrees less than two others do, of the same items."""

    answers: Ints
    compared: Floats
    agreement: Floats
    usual: Floats
    less: Floats
    less_error: Floats
    right: Floats
    skill: Floats
    informed: Floats
    informed_error: Floats
    timed: Ints
    median_s: Floats
    readable: Ints
    unread: Ints
    decided: Ints


def asked_questions(questions: Mapping[str, Labels]) -> list[AskedQuestion]:
    return [
        AskedQuestion(name=name, labels=labels, truth=smoothed(labels))
        for name, labels in questions.items()
        if len(labels)
    ]


def figures_of(asked: Sequence[AskedQuestion]) -> WorkerFigures:
    """Return the figures. All questions have the same workers at the same places."""
    labels = [one.labels for one in asked]
    people = len(labels[0].workers)
    answered = [np.bincount(one.worker, minlength=people).astype(float) for one in labels]
    skills = [skill_of(one.labels, one.truth) for one in asked]
    coins = [one_coin(one, **BEGINNING).skill for one in labels]
    times = times_of(_together(labels))
    decided = [np.bincount(one.worker[decides(one)], minlength=people) for one in labels]
    return WorkerFigures(
        **_agreement(labels),
        answers=np.sum(answered, axis=0).astype(np.int64),
        right=_mean_of([one.right for one in skills], answered),
        skill=_mean_of(coins, answered),
        informed=_mean_of([one.informed for one in skills], answered),
        informed_error=np.sqrt(_mean_of([one.error**2 for one in skills], answered)),
        timed=times.timed,
        median_s=times.median,
        readable=times.readable,
        unread=times.unread,
        decided=np.sum(decided, axis=0),
    )


def _agreement(labels: Sequence[Labels]) -> dict[str, Floats]:
    beside = [agree_with_others(one) for one in labels]
    own = [mean_by_worker(each.own, one) for each, one in zip(beside, labels, strict=True)]
    usual = [mean_by_worker(each.usual, one)[0] for each, one in zip(beside, labels, strict=True)]
    counts = [count for _, count in own]
    compared = np.sum(counts, axis=0)
    agreement, expected = _mean_of([mean for mean, _ in own], counts), _mean_of(usual, counts)
    less = np.concatenate([each.less for each in beside])
    spread = float(less[~np.isnan(less)].std()) if not np.isnan(less).all() else np.nan
    return {
        "compared": compared,
        "agreement": agreement,
        "usual": expected,
        "less": np.where(compared >= FEWEST, agreement - expected, np.nan),
        "less_error": spread / np.sqrt(np.maximum(compared, 1)),
    }


def _mean_of(values: Sequence[Floats], counts: Sequence[Floats]) -> Floats:
    """Return the mean over questions for each worker, weighed by how often each was answered."""
    known = np.array([np.where(np.isnan(one), 0, count) for one, count in zip(values, counts, strict=True)])
    total, sums = (np.nan_to_num(np.array(values)) * known).sum(axis=0), known.sum(axis=0)
    return np.asarray(np.divide(total, sums, out=np.full(len(sums), np.nan), where=sums > 0))


def _together(questions: Sequence[Labels]) -> Labels:
    """Return the labels of all questions as if to one item: times depend on no item and no answer."""
    arrays = {name: np.concatenate([getattr(one, name) for one in questions]) for name in TIMED}
    nowhere = np.zeros(len(arrays["worker"]), dtype=np.int64)
    people = questions[0].workers
    return Labels(
        **arrays, item=nowhere, answer=nowhere, place=nowhere, items=[""], workers=people, answers=[""]
    )
