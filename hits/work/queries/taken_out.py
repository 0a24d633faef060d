"""Work that its worker asked to be kept out of the data."""

from django.db.models import Exists, OuterRef, Q

from hits.work.models.decisions import Decision


def taken_out_by_its_worker(assignment: str = "") -> Q:
    """Return the condition for work that its worker had taken out, and no decision did: no file shows it.

    `assignment` is the way from a row to its work; the rows are work themselves where it is empty.
    """
    decided = Decision.objects.filter(
        assignment=OuterRef(assignment or "pk"), kind=Decision.Kind.KEEP_OUT, status=Decision.Status.DONE
    )
    kept_out = f"{assignment}__kept_out" if assignment else "kept_out"
    return Q(~Exists(decided), **{kept_out: True})
