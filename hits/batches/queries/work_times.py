"""Working time as hourly pay counts it: the rule of hits.work.domain, written in SQL."""

from django.db.models import IntegerField, Q, Value
from django.db.models.functions import Coalesce, Least, NullIf

from hits import families

SECONDS = IntegerField()
ACTIVE_S = NullIf("active_s", Value(0), output_field=SECONDS)
# Both sides are null together, for the databases differ in what the least of a null is.
EFFECTIVE_S = Least(
    Coalesce(ACTIVE_S, "worked_s", output_field=SECONDS),
    Coalesce("worked_s", ACTIVE_S, output_field=SECONDS),
    output_field=SECONDS,
)


def of_the_house() -> Q:
    """Condition for assignments that are no work, such as mere bonus payments: their time counts nowhere."""
    tasks = [key for key, family in families.registered().items() if family.purpose == families.Purpose.HOUSE]
    return Q(hit__batch__task__in=tasks)
