from collections.abc import Collection

from django.db.models import QuerySet

from crowd.winogavil import domain
from crowd.winogavil.models import Association
from hits.studies.models import Study

Rows = QuerySet[Association]
Source = Association.Source
# Given away only where somebody chooses to: unpaid players' words, and what people made to qualify.
BY_CHOICE = frozenset({Source.PLAYER, Source.TEST})


def of_study(study: Study, *, sources: Collection[str] = ()) -> Rows:
    """Everything that was made for it, by people of these sources. None named: by all, but not in a test.

    What a solver's test asks is never part of it.
    """
    rows = Association.objects.filter(item__study=study, item__task=domain.SOLVE)
    return rows.filter(source__in=sources) if sources else rows.exclude(source=Source.TEST)


def final(associations: Rows) -> Rows:
    """Whose solvers are in. What was pulled is no part of the data, until it is put back."""
    return associations.filter(final_at__isnull=False, item__pulled_at=None)


def selected(associations: Rows) -> Rows:
    """What people solve, whatever a model makes of it: the data that a study was made for."""
    return final(associations).filter(solvable=True)
