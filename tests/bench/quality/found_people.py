"""How well the evidence finds people who do not work honestly, in simulated crowds of known truth."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scoring.quality.worker_evidence import CrowdEvidence, weigh_workers
from tests.scoring.quality.odd_people import KnownCrowd, Way, make_crowd, meet_attention

# The share of honest people who may stand before a place in the order that counts as found.
FALSE_RATE = 0.05
ITEMS = 800
SPAM = {Way.GUESSES: 3, Way.FAVORS_ONE: 3, Way.HURRIES: 2}
# Of forty people and two answers, unless the crowd says otherwise.
CROWDS: Mapping[str, Mapping[str, Any]] = {
    "three answers each": {"odd": SPAM},
    "two answers each": {"odd": SPAM, "each": 2},
    "one answer is true of 85 %": {"odd": SPAM, "common": 0.85},
    "four answers to choose from": {"odd": SPAM, "answers": 4, "common": 0.25},
    "eleven answers a worker": {"odd": SPAM, "items": 150},
    "a third are spammers": {"odd": {Way.GUESSES: 8, Way.FAVORS_ONE: 4}, "honest": 28},
    "some favor a place": {"odd": {Way.FAVORS_PLACE: 3, **SPAM}},
    "all are honest": {"odd": {}, "honest": 40},
}
# How many of a hundred items are attention items, and how often honest people miss these beside others.
ATTENTION: Mapping[str, Mapping[str, float]] = {
    "10 %, as hard": {"share": 0.1},
    "10 %, easy": {"share": 0.1, "missed": 0.25},
    "20 %, easy": {"share": 0.2, "missed": 0.25},
}


@dataclass
class Found:
    """Counts over several crowds. `ahead`: pairs of an odd and an honest worker in the right order."""

    at_rate: list[float] = field(default_factory=list)
    ahead: list[float] = field(default_factory=list)
    standing: dict[Way, list[bool]] = field(default_factory=dict)

    def add(self, crowd: KnownCrowd, evidence: CrowdEvidence) -> None:
        for one in evidence.workers:
            self.standing.setdefault(crowd.ways[one.worker], []).append(one.stands_out)
        honest = [one.weight for one in evidence.workers if crowd.ways[one.worker] == Way.HONEST]
        odd = [one.weight for one in evidence.workers if crowd.ways[one.worker] != Way.HONEST]
        if odd:
            bound = np.quantile(honest, 1 - FALSE_RATE, method="higher")
            self.at_rate.append(float(np.mean(np.array(odd) > bound)))
            self.ahead.append(float(np.mean(np.array(odd)[:, None] > np.array(honest))))

    def values(self) -> dict[str, Any]:
        return {
            "recall_at_5_percent_false": _mean(self.at_rate),
            "in_order": _mean(self.ahead),
            "stand_out": {way.value: _mean(found) for way, found in sorted(self.standing.items())},
        }


def find_in(
    crowd: Mapping[str, Any], *, seeds: Sequence[int], share: float = 0.0, missed: float = 1.0
) -> Found:
    """Weigh crowds. With attention items everybody is asked as much as without: fewer items get answers."""
    found = Found()
    items = round(crowd.get("items", ITEMS) * (1 - share))
    for seed in seeds:
        made = make_crowd(**{**crowd, "items": items}, seed=seed)
        met = meet_attention(made, share=share, missed=missed, seed=seed)
        found.add(made, weigh_workers({"": made.labels}, attention=met))
    return found


def copied_pairs(*, seeds: Sequence[int], items: int = 500) -> Iterator[tuple[bool, bool]]:
    """Yield of each pair that was looked at whether one copies the other, and whether it was told."""
    for seed in seeds:
        made = make_crowd(odd={Way.COPIES: 3}, each=5, items=items, seed=seed)
        copied = {frozenset((worker, made.copied_from(worker))) for worker in made.who(Way.COPIES)}
        for found in weigh_workers({"": made.labels}).pairs:
            yield frozenset((found.one, found.other)) in copied, found.is_told


def _mean(values: Sequence[float | bool]) -> float | None:
    return round(float(np.mean(values)), 3) if values else None
