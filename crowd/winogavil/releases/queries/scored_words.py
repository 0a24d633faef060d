"""Words of a study with both of their scores: how they fooled the model, and how people solved them."""

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import NamedTuple

from crowd.winogavil.models import Association
from crowd.winogavil.queries import final, of_study
from hits.studies.models import Study

# The newest of these: more points than a picture holds, and few enough to read at once.
MOST = 1_000


class ScoredWord(NamedTuple):
    """A final word. Both scores are exact, in per cent."""

    pk: int
    cue: str
    fool: int
    solvable: Fraction
    is_selected: bool


def scored_words(study: Study, *, sources: Collection[str], threshold: int) -> Sequence[ScoredWord]:
    """Return the newest words that are final and that the model was asked about."""
    asked = final(of_study(study, sources=sources)).filter(model_score__isnull=False).order_by("-pk")[:MOST]
    return [
        _scored(one, mean, threshold=threshold) for one in asked if (mean := one.solvers_mean) is not None
    ]


def _scored(one: Association, mean: Fraction, *, threshold: int) -> ScoredWord:
    return ScoredWord(
        pk=one.pk,
        cue=one.cue,
        fool=one.fool_score or 0,
        solvable=100 * mean,
        is_selected=one.is_selected(threshold=threshold),
    )
