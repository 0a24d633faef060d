"""What becomes of a simulated creator's word: what became of a recorded one, or what is assumed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from crowd.rehearsal.domain.assumptions import Assumptions
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from crowd.rehearsal.interface import FEWEST_RECORDED
from crowd.winogavil import domain
from crowd.winogavil.models import Association
from crowd.winogavil.queries.associations import final, of_study
from hits.studies.models import Study

PER_CENT = 100


@dataclass(frozen=True, kw_only=True)
class Fate:
    """How many pictures a word is for, how many of them the model finds, and how people solve it."""

    chosen: int
    found_by_model: int
    # Jaccard indices of its recorded solvers, from which others are drawn; empty: by their skill.
    solved: Sequence[Sequence[int]] = ()
    # People who do not understand a word pick by chance.
    is_understood: bool = True


def record_fates(study: Study) -> dict[str, Any]:
    """What became of the words that people made in this study, of every size of set."""
    made = final(of_study(study)).exclude(source=Association.Source.FILE).filter(asked_at__isnull=False)
    counts = Counter(_recorded(one) for one in made.prefetch_related("places", "solutions"))
    if counts.total() < FEWEST_RECORDED:
        return {}
    rows = [
        {"size": size, "chosen": chosen, "score": score, "solved": solved, "times": times}
        for (size, chosen, score, solved), times in sorted(counts.items())
    ]
    return {"fates": rows}


def draw_fate(
    recorded: Sequence[Mapping[str, Any]],
    *,
    size: int,
    assumed: Assumptions,
    person: SimulatedPerson,
    chance: Random,
) -> Fate:
    """Draw what becomes of a word that this person invents for a set of so many pictures."""
    if person.is_spammer:
        chosen = _draw_number(size, chance)
        picked = chance.sample(range(size), chosen)
        found = sum(place < chosen for place in picked)
        return Fate(chosen=chosen, found_by_model=found, is_understood=False)
    if recorded:
        return _draw_recorded(recorded, size=size, chance=chance)
    chosen = _draw_number(size, chance)
    found = draw_found(chosen, size=size, fools=assumed.fools, chance=chance)
    is_understood = chance.random() * PER_CENT < assumed.understood
    return Fate(chosen=chosen, found_by_model=found, is_understood=is_understood)


def draw_found(chosen: int, *, size: int, fools: int, chance: Random) -> int:
    """How many of the chosen pictures the model finds, which misses each as often as assumed.

    It picks as many as were chosen: in a small set it cannot miss all of them.
    """
    found = sum(chance.random() * PER_CENT >= fools for _ in range(chosen))
    return max(found, 2 * chosen - size)


def right_of(k: int, *, numerator: int, denominator: int) -> int:
    """How many of k picks were right that reached this Jaccard index, which is right / (2k - right)."""
    return round(2 * k * numerator / (numerator + denominator))


def _recorded(row: Association) -> tuple[int, int, int, tuple[tuple[int, int], ...]]:
    places = row.places.all()
    solved = sorted((one.numerator, one.denominator) for one in row.solutions.all())
    return len(places), sum(place.chosen for place in places), row.model_score or 0, tuple(solved)


def _draw_recorded(recorded: Sequence[Mapping[str, Any]], *, size: int, chance: Random) -> Fate:
    """Draw one of the recorded words for sets of this size; of all sizes where there is none."""
    alike = [one for one in recorded if one["size"] == size] or recorded
    (one,) = chance.choices(alike, weights=[each["times"] for each in alike])
    chosen = min(one["chosen"], domain.MOST_CHOSEN[size])
    found = right_of(chosen, numerator=one["score"], denominator=PER_CENT)
    return Fate(chosen=chosen, found_by_model=max(found, 2 * chosen - size), solved=one["solved"])


def _draw_number(size: int, chance: Random) -> int:
    return chance.randint(domain.FEWEST_CHOSEN, domain.MOST_CHOSEN[size])
