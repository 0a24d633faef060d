"""What researchers and payments staff look at."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, DecimalField, F, Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce

from hits.domain import round_to_cents
from hits.models import Assignment, Batch, Bonus


@dataclass(frozen=True, kw_only=True)
class Progress:
    """A batch in numbers, each counted from rows."""

    hits: int
    hits_sent: int
    places: int
    submitted: int
    approved: int
    bonuses_owed: Decimal
    bonuses_paid: Decimal

    @property
    def is_unsettled(self) -> bool:
        return self.submitted > self.approved or self.bonuses_owed > self.bonuses_paid

    @property
    def done_percent(self) -> int:
        return 100 * self.submitted // self.places if self.places else 0


def progress_of(batch: Batch) -> Progress:
    hits = batch.hits.aggregate(all=Count("pk"), sent=Count("pk", filter=~Q(external_id="")))
    work = Assignment.objects.filter(hit__batch=batch).aggregate(
        submitted=Count("pk", filter=Q(submitted_at__isnull=False)),
        approved=Count("pk", filter=Q(status=Assignment.Status.APPROVED)),
    )
    bonuses = Bonus.objects.filter(assignment__hit__batch=batch).aggregate(
        owed=_money(~Q(status=Bonus.Status.REFUSED)),
        paid=_money(Q(status__in=(Bonus.Status.SENT, Bonus.Status.CONFIRMED))),
    )
    return Progress(
        hits=hits["all"],
        hits_sent=hits["sent"],
        places=hits["all"] * batch.assignments_per_hit,
        submitted=work["submitted"],
        approved=work["approved"],
        bonuses_owed=round_to_cents(bonuses["owed"]),
        bonuses_paid=round_to_cents(bonuses["paid"]),
    )


def batches_with_counts() -> QuerySet[Batch]:
    """For lists: two counts without a query for each row."""
    submitted = Q(hits__assignments__submitted_at__isnull=False)
    return Batch.objects.select_related("study", "account").annotate(
        places=Coalesce(F("hits_wanted") * F("assignments_per_hit"), Value(0)),
        submitted=Count("hits__assignments", filter=submitted),
    )


def _money(condition: Q) -> Coalesce:
    return Coalesce(Sum("amount", filter=condition), Value(0), output_field=DecimalField())
