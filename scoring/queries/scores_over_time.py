"""How one worker's scores went over time, work by work."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Exists, F, FloatField, OuterRef
from django.db.models.functions import Cast

from hits.identity.models.workers import Worker
from hits.people.queries.worker_record import work_of
from hits.work.models.assignments import Assignment
from scoring.models import Score

# The newest of a worker's works; what lies further back says little of today.
MOST = 100


@dataclass(frozen=True, kw_only=True)
class ScoredWork:
    """One work and its mean score by each measure."""

    work: Assignment
    means: Mapping[str, float]


def scores_over_time(worker: Worker, user: Any) -> Sequence[ScoredWork]:
    """The newest scored works that the user may see, the oldest first. Two queries."""
    judged = Exists(Score.objects.filter(assignment=OuterRef("pk")))
    works = work_of(worker, user).filter(judged, submitted_at__isnull=False)
    newest = list(works.select_related("hit__batch").defer("answer").order_by("-pk")[:MOST])
    means = _means([work.pk for work in newest])
    return [ScoredWork(work=work, means=means[work.pk]) for work in reversed(newest)]


def _means(assignments: Sequence[int]) -> Mapping[int, Mapping[str, float]]:
    share = Cast("numerator", FloatField()) / F("denominator")
    rows = Score.objects.filter(assignment__in=assignments).order_by().values("assignment", "measure")
    found: dict[int, dict[str, float]] = defaultdict(dict)
    for row in rows.annotate(mean=Avg(share)):
        found[row["assignment"]][row["measure"]] = row["mean"]
    return found
