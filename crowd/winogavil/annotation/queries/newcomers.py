"""The human baseline as the rest of the game reads it."""

from collections import defaultdict
from fractions import Fraction

from django.db.models import Count

from crowd.winogavil.annotation.models import Kind
from crowd.winogavil.annotation.queries.counted import counted_annotations
from crowd.winogavil.humans import Baseline
from crowd.winogavil.models import Association
from hits.studies.models import Study


def newcomers_of(study: Study) -> Baseline | None:
    """Human baseline of a study; None where none of it is final yet."""
    rows = counted_annotations(study, Kind.BASELINE).annotate(size=Count("association__places"))
    names = ("association__source", "size", "numerator", "denominator")
    found: defaultdict[tuple[bool, int], list[Fraction]] = defaultdict(list)
    for source, size, numerator, denominator in rows.values_list(*names).order_by():
        from_list = source == Association.Source.SWOW
        found[from_list, size].append(Fraction(numerator or 0, denominator or 1))
    if not found:
        return None
    return Baseline(sums={key: (len(means), sum(means, Fraction(0))) for key, means in sorted(found.items())})
