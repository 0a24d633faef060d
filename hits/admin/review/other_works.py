"""Other works of the worker whose work is looked at, as far as the user may see them."""

from dataclasses import dataclass
from typing import Any

from hits.admin.review.work_spread import percent
from hits.payments.queries.recorded_scores import mean_score
from hits.people.queries.worker_record import Record, record_of, work_of
from hits.work.models.assignments import Assignment

MOST = 5
Status = Assignment.Status


@dataclass(frozen=True, kw_only=True)
class OtherWork:
    work: Assignment
    score: str


def others_of(work: Assignment, *, user: Any) -> list[OtherWork]:
    """Return the worker's latest other submitted works."""
    others = work_of(work.worker, user).filter(submitted_at__isnull=False).exclude(pk=work.pk)
    rows = others.select_related("hit__batch").defer("answer").annotate(mean_score=mean_score())
    return [OtherWork(work=row, score=_score(row)) for row in rows.order_by("-pk")[:MOST]]


def approval_of(work: Any, *, user: Any) -> str:
    """Return the worker's approval rate: in the study as review has counted it, or in all that is seen."""
    if not hasattr(work, "worker_approved"):
        return f"{record_of(work.worker, user).approval} in the studies that you may see"
    counts: dict[str, int] = {Status.APPROVED: work.worker_approved, Status.REJECTED: work.worker_rejected}
    return f"{Record(counts=counts, rewards=work.hit.batch.reward).approval} in this study"


def _score(work: Any) -> str:
    return "no score" if work.mean_score is None else percent(work.mean_score)
