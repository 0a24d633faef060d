"""Workers in the order in which a person may want to look at their work, with the sentences that say why.

Nothing is decided here: each sign has innocent causes, and the order only says where to look first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.quality.alike_workers import alike_pairs
from scoring.quality.attention_shares import Attention
from scoring.quality.judged_labels import Labels
from scoring.quality.surprises import BY_CHANCE, least_told
from scoring.quality.worker_figures import AskedQuestion, WorkerFigures, asked_questions, figures_of
from scoring.quality.worker_signs import NamedPair, Sign, SignName, signs_of

# A sign is named from here: chance makes one of ten so odd.
LEAST_NAMED = 1.0


@dataclass(frozen=True, kw_only=True)
class WorkerEvidence:
    """One worker's figures, None where there is too little, and the signs that the worker's place rests on.

    `weight` adds up the surprises of all signs, less what chance gives each. `stands_out`: a sign is odder
    than chance would make any sign of this crowd. `decided`: answers that an item's majority hangs on.
    `attention`: None if the worker has met no attention item.
    """

    worker: Any
    answers: int
    compared: int
    agreement: float | None
    usual: float | None
    right: float | None
    skill: float | None
    informed: float | None
    median_s: float | None
    unread: float | None
    decided: int
    attention: Attention | None
    signs: Sequence[Sign]
    weight: float
    stands_out: bool


@dataclass(frozen=True, kw_only=True)
class CrowdEvidence:
    """Workers, those to look at first before the others, and pairs who say the same, likewise."""

    workers: Sequence[WorkerEvidence]
    pairs: Sequence[NamedPair]
    told_from: float


def weigh_workers(
    questions: Mapping[str, Labels], *, attention: Mapping[Any, Attention] | None = None
) -> CrowdEvidence:
    """Weigh the evidence on each worker. All questions have the same workers at the same places."""
    return weigh_asked(asked_questions(questions), attention=attention or {})


def weigh_asked(asked: Sequence[AskedQuestion], *, attention: Mapping[Any, Attention]) -> CrowdEvidence:
    if not asked:
        return CrowdEvidence(workers=[], pairs=[], told_from=0.0)
    people, figures = asked[0].labels.workers, figures_of(asked)
    met = {at: attention[name] for at, name in enumerate(people) if name in attention}
    names = len(SignName) if met else len(SignName) - 1
    told_from = least_told(len(people) * names * len(asked))
    pairs = list(_name_pairs(asked))
    signs = signs_of(asked, figures, pairs, attention=met)
    found = [
        _evidence(figures, at, people[at], signs=signs[at], told_from=told_from, attention=met.get(at))
        for at in np.flatnonzero(figures.answers).tolist()
    ]
    found.sort(key=lambda one: -one.weight)
    return CrowdEvidence(workers=found, pairs=pairs, told_from=told_from)


def _name_pairs(asked: Sequence[AskedQuestion]) -> Iterator[NamedPair]:
    found = [(one, alike_pairs(one.labels)) for one in asked]
    told_from = least_told(sum(len(pairs) for _, pairs in found))
    for one, pairs in found:
        people = one.labels.workers
        for pair in pairs:
            yield NamedPair(
                question=one.name,
                pair=pair,
                one=people[pair.one],
                other=people[pair.other],
                is_told=pair.surprise >= told_from,
            )


def _evidence(
    figures: WorkerFigures,
    at: int,
    worker: Any,
    *,
    signs: Mapping[SignName, Sign],
    told_from: float,
    attention: Attention | None,
) -> WorkerEvidence:
    named = [sign for sign in signs.values() if sign.surprise >= LEAST_NAMED]
    readable = figures.readable[at]
    return WorkerEvidence(
        worker=worker,
        answers=int(figures.answers[at]),
        compared=int(figures.compared[at]),
        agreement=_known(figures.agreement[at]),
        usual=_known(figures.usual[at]),
        right=_known(figures.right[at]),
        skill=_known(figures.skill[at]),
        informed=_known(figures.informed[at]),
        median_s=_known(figures.median_s[at]),
        unread=float(figures.unread[at] / readable) if readable else None,
        decided=int(figures.decided[at]),
        attention=attention,
        signs=sorted(named, key=lambda sign: -sign.surprise),
        weight=sum(max(sign.surprise - BY_CHANCE, 0.0) for sign in signs.values()),
        stands_out=any(sign.surprise >= told_from or sign.name == SignName.ALIKE for sign in named),
    )


def _known(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)
