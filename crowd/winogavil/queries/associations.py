from collections.abc import Collection

from django.db.models import QuerySet

from crowd.winogavil.models import Association
from hits.models import Study

Rows = QuerySet[Association]


def of_study(study: Study, *, sources: Collection[str] = ()) -> Rows:
    """Everything that was made for it, by anybody or by people of these sources. None named: of all."""
    rows = Association.objects.filter(item__study=study)
    return rows.filter(source__in=sources) if sources else rows


def final(associations: Rows) -> Rows:
    """Whose solvers are in. What was pulled is no part of the data, until it is put back."""
    return associations.filter(final_at__isnull=False, item__pulled_at=None)


def selected(associations: Rows) -> Rows:
    """What people solve, whatever a model makes of it: the data that a study was made for."""
    return final(associations).filter(solvable=True)
