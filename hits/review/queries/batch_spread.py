"""Where a work stands among the latest of its batch: a sample of one size, however long the batch runs."""

from dataclasses import dataclass

from hits.batches.queries.work_times import EFFECTIVE_S
from hits.work.models.assignments import Assignment

LATEST = 500


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The parts of the others that are below a value and above it, in whole percent rounded down."""

    below: int
    above: int
    others: int


def latest_times(batch_id: int) -> dict[int, int | None]:
    """Return the seconds of the batch's latest submitted works by their keys; None where no time is known."""
    done = Assignment.objects.filter(hit__batch=batch_id, submitted_at__isnull=False).order_by("-pk")
    return dict(done.annotate(seconds=EFFECTIVE_S).values_list("pk", "seconds")[:LATEST])


def standing_of(own: float, others: list[float]) -> Standing:
    below, above = sum(one < own for one in others), sum(one > own for one in others)
    count = len(others)
    return Standing(below=100 * below // count, above=100 * above // count, others=count)
