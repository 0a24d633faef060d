"""Approved work whose bonus is still open, because other people have to answer first."""

from django.db.models import Count

from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment


def count_undecided(study: Study) -> int:
    """Count approved work whose scores wait for others, in batches that may pay a bonus for them.

    Two queries. The index of work that is to be owed has only what is undecided, however old the study is.
    """
    waiting = Assignment.objects.filter(
        status=Assignment.Status.APPROVED,
        owed_at=None,
        judged_at=None,
        answer__isnull=False,
        kept_out=False,
        hit__batch__study=study,
    )
    counts = dict(waiting.order_by().values_list("hit__batch").annotate(Count("pk")))
    if not counts:
        return 0
    batches = Batch.objects.filter(pk__in=counts).select_related("study")
    return sum(counts[batch.pk] for batch in batches if batch.rules_that_apply)
