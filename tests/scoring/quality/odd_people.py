"""Crowds in which it is known who works honestly, and who guesses, hurries, copies or favors an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from scoring.quality.attention_shares import Attention
from scoring.quality.judged_labels import Label, Labels, make_labels

WORDS = 25


class Way(StrEnum):
    HONEST = "honest"
    GUESSES = "guesses"
    FAVORS_ONE = "favors one answer"
    FAVORS_PLACE = "favors one place"
    HURRIES = "hurries"
    COPIES = "copies"


@dataclass(frozen=True, kw_only=True)
class KnownCrowd:
    labels: Labels
    ways: Mapping[str, Way]
    # How often the honest are right.
    skills: Mapping[str, float]

    def who(self, way: Way) -> set[str]:
        return {worker for worker, own in self.ways.items() if own == way}

    def copied_from(self, worker: str) -> str:
        return list(self.ways)[_source(list(self.ways).index(worker))]


def make_crowd(
    *,
    odd: Mapping[Way, int],
    honest: int = 32,
    items: int = 800,
    each: int = 3,
    answers: int = 2,
    common: float = 0.5,
    seed: int = 1,
) -> KnownCrowd:
    """Make a crowd. `common` is the share of items whose truth is the first answer.

    Honest people are right in 75 to 97 of 100, and read at 150 to 350 words a minute.
    """
    random = np.random.default_rng(seed)
    ways = [way for way, many in {Way.HONEST: honest, **odd}.items() for _ in range(many)]
    skills, paces = random.uniform(0.75, 0.97, len(ways)), random.uniform(150, 350, len(ways))
    names = [f"w{at:03}" for at in range(len(ways))]
    rows: list[Label] = []
    for item in range(items):
        truth = 0 if random.random() < common else int(random.integers(1, answers))
        said: dict[int, int] = {}
        for at in _chosen(random, ways, each):
            order = random.permutation(answers)
            said[at] = _answer(random, ways, at, truth=truth, skill=skills[at], order=order, said=said)
            rows.append(
                Label(
                    f"i{item:05}",
                    names[at],
                    said[at],
                    seconds=_seconds(random, ways[at], paces[at]),
                    place=int(np.flatnonzero(order == said[at])[0]),
                    words=WORDS,
                )
            )
    return KnownCrowd(
        labels=make_labels(rows),
        ways=dict(zip(names, ways, strict=True)),
        skills=dict(zip(names, skills.tolist(), strict=True)),
    )


def meet_attention(
    crowd: KnownCrowd, *, share: float, missed: float = 1.0, seed: int = 1
) -> dict[str, Attention]:
    """Let the crowd meet attention items, so many of all that each is asked.

    Honest people miss them `missed` times as often as other items; who guesses or favors an answer is right
    by chance alone, and who hurries in 60 of 100.
    """
    random = np.random.default_rng(seed)
    answers = len(crowd.labels.answers)
    asked = np.bincount(crowd.labels.worker, minlength=len(crowd.labels.workers))
    found = {}
    for name, count in zip(crowd.labels.workers, asked.tolist(), strict=True):
        met = int(random.binomial(round(count / (1 - share)), share))
        if crowd.ways[name] in (Way.HONEST, Way.COPIES):
            right = 1 - missed * (1 - crowd.skills[name])
        else:
            right = 0.6 if crowd.ways[name] == Way.HURRIES else 1 / answers
        if met:
            found[name] = Attention(met=met, right=int(random.binomial(met, right)))
    return found


def _chosen(random: np.random.Generator, ways: Sequence[Way], each: int) -> list[int]:
    """Draw people for an item: who copies comes right behind the one who is copied, two times of three."""
    drawn: list[int] = random.choice(len(ways), size=each, replace=False).tolist()
    for place, at in enumerate(drawn[1:], start=1):
        if ways[at] == Way.COPIES and random.random() < 2 / 3 and _source(at) not in drawn:
            drawn[place - 1] = _source(at)
    return list(dict.fromkeys(drawn))


def _source(at: int) -> int:
    """The honest person whose answers this one copies."""
    return at % 7


def _answer(
    random: np.random.Generator, ways: Sequence[Way], at: int, *, truth: int, skill: float, order: np.ndarray,
    said: Mapping[int, int],
) -> int:  # fmt: skip
    way, answers = ways[at], len(order)
    if way == Way.COPIES and _source(at) in said:
        return said[_source(at)]
    if way == Way.FAVORS_ONE and random.random() < 0.95:
        return at % answers
    if way == Way.FAVORS_PLACE and random.random() < 0.9:
        return int(order[0])
    if way in (Way.GUESSES, Way.FAVORS_ONE, Way.FAVORS_PLACE):
        return int(random.integers(answers))
    right = 0.6 if way == Way.HURRIES else skill
    return truth if random.random() < right else int((truth + random.integers(1, answers)) % answers)


def _seconds(random: np.random.Generator, way: Way, pace: float) -> float:
    middle = 1.5 if way == Way.HURRIES else 60 * WORDS / pace + 2
    return float(middle * np.exp(random.normal(0, 0.4)))
