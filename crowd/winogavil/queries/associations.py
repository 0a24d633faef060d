from collections.abc import Collection

from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import GreaterThanOrEqual

from crowd.winogavil import domain
from crowd.winogavil.models import Association
from hits.studies.models import Study

Rows = QuerySet[Association]
Source = Association.Source
# No part of the game's own data: words that people made to qualify, and the baseline to compare it with.
APART = frozenset({Source.TEST, Source.SWOW})
# Released only by a researcher's choice; so are unpaid players' words.
BY_CHOICE = APART | {Source.PLAYER}


def of_study(study: Study, *, sources: Collection[str] = ()) -> Rows:
    """Associations of a study from these sources; without sources, from all of the game's own.

    Questions of a solver's test are never among them.
    """
    rows = Association.objects.filter(item__study=study, item__task=domain.SOLVE)
    return rows.filter(source__in=sources) if sources else rows.exclude(source__in=APART)


def final(associations: Rows) -> Rows:
    """Associations whose solvers have all answered; pulled ones are no part of the data until restored."""
    return associations.filter(final_at__isnull=False, item__pulled_at=None)


def solver_means(associations: Rows) -> list[float]:
    """Return the mean Jaccard index of each association's solvers; all of them are final."""
    means = associations.order_by().values_list("solvers_numerator", "solvers_denominator")
    return [(right or 0) / of for right, of in means if of]


def selected(associations: Rows, *, threshold: int) -> Rows:
    """Final associations that people solve, whatever a model makes of them: the data a study is made for.

    `threshold` is the least mean of their solvers, in per cent.
    """
    return final(associations).filter(reaches(threshold))


def reaches(threshold: int) -> Q:
    """Condition for associations whose solvers' mean is at least the threshold, compared in whole numbers."""
    return _reaches(Value(threshold))


def reaches_own() -> Q:
    """Condition for associations of any studies, each held against the threshold of its own study."""
    own = F("item__study__game__selection_threshold")
    return _reaches(Coalesce(own, Value(domain.SELECTION_THRESHOLD)))


def _reaches(threshold: Value | Coalesce) -> Q:
    return Q(GreaterThanOrEqual(F("solvers_numerator") * 100, F("solvers_denominator") * threshold))
