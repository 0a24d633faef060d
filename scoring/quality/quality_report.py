"""What can be said of answers: how far people agree, who stands out of them, and which items are open."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.quality.alpha_intervals import Alpha, alpha_of
from scoring.quality.attention_shares import Attention
from scoring.quality.judged_labels import Labels
from scoring.quality.majority_votes import TIE, equal_shares, majorities, percent_agreement
from scoring.quality.one_coin import BEGINNING, one_coin
from scoring.quality.worker_evidence import CrowdEvidence, weigh_asked
from scoring.quality.worker_figures import AskedQuestion, asked_questions
from scoring.quality.worker_skill import skill_of

# A confusion says how often a worker has called a truth by each answer; less often than this, it is left out.
LEAST_OFTEN = 0.05


@dataclass(frozen=True, kw_only=True)
class QuestionAgreement:
    """How far people agree on one question. `compared`: items that at least two have answered."""

    question: str
    answers: int
    items: int
    compared: int
    workers: int
    tied: int
    equal: float | None
    alpha: Alpha


@dataclass(frozen=True, kw_only=True)
class ItemAnswer:
    """What most have said of one item, None if several lead, and what the two models hold likeliest."""

    question: str
    item: Any
    answers: int
    majority: Any | None
    equal: float | None
    skene: Any
    skene_sure: float
    coin: Any
    coin_sure: float

    @property
    def is_open(self) -> bool:
        """Whether several answers lead, or a model says otherwise than most people."""
        return self.majority is None or not self.majority == self.skene == self.coin


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """How often one worker has given an answer where the others' answers say what is true."""

    worker: Any
    question: str
    truth: Any
    answer: Any
    times: float
    share: float


@dataclass(frozen=True, kw_only=True)
class QualityReport:
    agreement: Sequence[QuestionAgreement]
    evidence: CrowdEvidence
    items: Sequence[ItemAnswer]
    confusions: Sequence[Confusion]


def report_of(
    questions: Mapping[str, Labels], *, attention: Mapping[Any, Attention] | None = None
) -> QualityReport:
    """Make the report. All questions have the same workers at the same places."""
    asked = asked_questions(questions)
    items = [item for one in asked for item in _items(one)]
    return QualityReport(
        agreement=[_agreement(one) for one in asked],
        evidence=weigh_asked(asked, attention=attention or {}),
        # What a person may want to look at comes first.
        items=sorted(items, key=lambda one: (not one.is_open, one.skene_sure)),
        confusions=[row for one in asked for row in _confusions(one)],
    )


def _agreement(one: AskedQuestion) -> QuestionAgreement:
    labels, votes = one.labels, one.labels.votes
    return QuestionAgreement(
        question=one.name,
        answers=len(labels),
        items=len(labels.items),
        compared=int((votes.answered > 1).sum()),
        workers=len(np.unique(labels.worker)),
        tied=int(votes.is_tie.sum()),
        equal=percent_agreement(labels),
        alpha=alpha_of(labels),
    )


def _items(one: AskedQuestion) -> Iterator[ItemAnswer]:
    labels, coin = one.labels, one_coin(one.labels, **BEGINNING)
    most, equal = majorities(labels), equal_shares(labels)
    for at, item in enumerate(labels.items):
        skene, other = int(one.truth.answer[at]), int(coin.answer[at])
        yield ItemAnswer(
            question=one.name,
            item=item,
            answers=int(labels.votes.answered[at]),
            majority=None if most[at] == TIE else labels.answers[most[at]],
            equal=None if np.isnan(equal[at]) else float(equal[at]),
            skene=labels.answers[skene],
            skene_sure=float(one.truth.posterior[at, skene]),
            coin=labels.answers[other],
            coin_sure=float(coin.posterior[at, other]),
        )


def _confusions(one: AskedQuestion) -> Iterator[Confusion]:
    found = skill_of(one.labels, one.truth).found
    for worker, truth, answer in np.argwhere(found >= LEAST_OFTEN).tolist():
        times = float(found[worker, truth, answer])
        yield Confusion(
            worker=one.labels.workers[worker],
            question=one.name,
            truth=one.labels.answers[truth],
            answer=one.labels.answers[answer],
            times=times,
            share=times / float(found[worker, truth].sum()),
        )
