"""Designers with what they sent, what became of it and their pay: counted in SQL, in one query."""

from decimal import Decimal

from django.db.models import Count, DecimalField, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from crowd.whoops.models import Designer, Image, Project
from hits.ledger.models.bonuses import Bonus

PAID = (Bonus.Status.SENT, Bonus.Status.CONFIRMED)
# Two people gave up a waived bonus, so it is not owed any more.
NOT_OWED = (*PAID, Bonus.Status.WAIVED)
MONEY: DecimalField[Decimal, Decimal] = DecimalField(max_digits=13, decimal_places=2)


def designers_with_figures(project: Project) -> QuerySet[Designer]:
    """Designers with `sent`, `returned`, `accepted`, `unowed`, and of its money `owed` and `paid`."""
    own = Image.objects.filter(designer=OuterRef("pk")).order_by()
    accepted = Q(state=Image.State.ACCEPTED)
    rows = project.designers.select_related("worker", "project").defer("worker__external_id")
    return rows.annotate(
        sent=_count(own, Q()),
        returned=_count(own, Q(state=Image.State.RETURNED)),
        accepted=_count(own, accepted),
        unowed=_count(own, accepted & Q(bonus=None, designer__is_paid=True, designer__worker__isnull=False)),
        owed=_sum(own, ~Q(bonus__status__in=NOT_OWED)),
        paid=_sum(own, Q(bonus__status__in=PAID)),
    )


def _count(own: QuerySet[Image], which: Q) -> Coalesce:
    counted = own.filter(which).values("designer").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), Value(0))


def _sum(own: QuerySet[Image], which: Q) -> Coalesce:
    summed = own.filter(which, bonus__isnull=False).values("designer")
    money = summed.annotate(n=Sum("bonus__amount")).values("n")
    return Coalesce(Subquery(money, output_field=MONEY), Value(Decimal(0), output_field=MONEY))
