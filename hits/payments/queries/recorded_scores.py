"""Recorded scores as bonus tables read them. A room above records them and registers its reader here."""

from collections.abc import Callable, Collection, Mapping, Sequence

from hits.core.domain.bonus_rules import Scores

# Scores by assignment: one mapping for each item, in the order in which the items were judged.
Recorded = Mapping[int, Sequence[Scores]]
ScoresOf = Callable[[Collection[int]], Recorded]
_readers: list[ScoresOf] = []


def register_scores(reader: ScoresOf) -> None:
    """Register a reader of scores. Called from AppConfig.ready of the room that records them."""
    _readers.append(reader)


def recorded_scores(assignments: Collection[int]) -> Recorded:
    """The scores of these assignments by their keys. An assignment without a score has no entry."""
    found: dict[int, Sequence[Scores]] = {}
    for reader in _readers:
        found |= reader(assignments)
    return found
