"""Recorded scores as bonus tables and lists read them. A room above records them and registers how here."""

from collections.abc import Callable, Collection, Mapping, Sequence

from django.db.models import FloatField, Value
from django.db.models.expressions import Combinable

from hits.core.domain.bonus_rules import Scores

# Scores by assignment: one mapping for each item, in the order in which the items were judged.
Recorded = Mapping[int, Sequence[Scores]]
ScoresOf = Callable[[Collection[int]], Recorded]
_readers: list[ScoresOf] = []
_means: list[Combinable] = []


def register_scores(reader: ScoresOf) -> None:
    """Register a reader of scores. Called from AppConfig.ready of the room that records them."""
    _readers.append(reader)


def register_mean(mean: Combinable) -> None:
    """Register the mean of an assignment's scores, as a part of a query for assignments."""
    _means.append(mean)


def mean_score() -> Combinable:
    """The mean of an assignment's scores, or NULL for one without a score."""
    return _means[-1] if _means else Value(None, FloatField())


def recorded_scores(assignments: Collection[int]) -> Recorded:
    """The scores of these assignments by their keys. An assignment without a score has no entry."""
    found: dict[int, Sequence[Scores]] = {}
    for reader in _readers:
        found |= reader(assignments)
    return found
