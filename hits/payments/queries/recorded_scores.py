"""Recorded scores, as the bonus tables read them. They lie in a higher room, which says here how."""

from collections.abc import Callable, Collection, Mapping, Sequence

from hits.core.domain.bonus_rules import Scores

# By assignment: one mapping for each item, in the order in which the items were judged.
Recorded = Mapping[int, Sequence[Scores]]
ScoresOf = Callable[[Collection[int]], Recorded]
_readers: list[ScoresOf] = []


def register_scores(reader: ScoresOf) -> None:
    """Called from AppConfig.ready of the room that records scores."""
    _readers.append(reader)


def recorded_scores(assignments: Collection[int]) -> Recorded:
    """Of all of them at once, by their keys. Whatever has no score is not in it."""
    found: dict[int, Sequence[Scores]] = {}
    for reader in _readers:
        found |= reader(assignments)
    return found
