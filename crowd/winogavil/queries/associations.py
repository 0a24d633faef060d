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
    """Associations of a study from these sources; without sources, from all of the game's own.

    Questions of a solver's test are never among them.
    """
    rows = Association.objects.filter(item__study=study, item__task=domain.SOLVE)
    return rows.filter(source__in=sources) if sources else rows.exclude(source=Source.TEST)


def final(associations: Rows) -> Rows:
    """Associations whose solvers have all answered; pulled ones are no part of the data until restored."""
    return associations.filter(final_at__isnull=False, item__pulled_at=None)


def selected(associations: Rows) -> Rows:
    """What people solve, whatever a model makes of it: the data that a study was made for."""
    return final(associations).filter(solvable=True)
