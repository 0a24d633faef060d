from django.db.models import IntegerField, Subquery


class CappedCount(Subquery):
    """The number of rows of a limited subquery: the count ends where the limit does."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) capped)"
    output_field = IntegerField()
