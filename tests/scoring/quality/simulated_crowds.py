"""Crowds with known truth: people of different skill, some who guess or favor one answer, some who copy."""

from dataclasses import dataclass

import numpy as np

from scoring.quality.judged_labels import Flags, Ints, Label, Labels, make_labels


@dataclass(frozen=True, kw_only=True)
class Crowd:
    labels: Labels
    truth: Ints
    is_spammer: Flags


def simulate(
    *,
    items: int = 1000,
    workers: int = 40,
    spammers: int = 8,
    each: int = 3,
    answers: int = 2,
    skill: tuple[float, float] = (0.75, 0.95),
    seed: int = 1,
) -> Crowd:
    """Simulate a crowd whose first workers guess (even) or say the same nearly always (odd)."""
    random = np.random.default_rng(seed)
    truth = random.integers(answers, size=items)
    skills = random.uniform(*skill, size=workers)
    rows = []
    for item in range(items):
        for worker in random.choice(workers, size=each, replace=False).tolist():
            said = _said(
                random,
                worker=worker,
                truth=int(truth[item]),
                skill=skills[worker],
                answers=answers,
                spammers=spammers,
            )
            is_spammer = worker < spammers
            seconds = float(np.exp(random.normal(1.2 if is_spammer else 2.5, 0.5)))
            rows.append(Label(f"i{item:05}", f"w{worker:03}", said, seconds))
    labels = make_labels(rows)
    kept = [int(name[1:]) for name in labels.items]
    return Crowd(
        labels=labels,
        truth=truth[kept],
        is_spammer=np.array([int(name[1:]) < spammers for name in labels.workers]),
    )


def _said(
    random: np.random.Generator, *, worker: int, truth: int, skill: float, answers: int, spammers: int
) -> int:
    if worker < spammers:
        favored = worker % 2 and random.random() < 0.9
        return worker % answers if favored else int(random.integers(answers))
    if random.random() < skill:
        return truth
    return int((truth + random.integers(1, answers)) % answers) if answers > 1 else truth
