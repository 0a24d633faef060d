"""A gate in numbers: its attempts, its holders, and what a switch concerns. Indexed counts of one gate."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Q

from hits.studies.models import Batch
from qualifications.models import Attempt, Gate, Holding

RUNNING = (Batch.Status.LAUNCHING, Batch.Status.OPEN, Batch.Status.PAUSED, Batch.Status.PAUSED_FUNDS)
MOST_TITLES = 5
Status = Attempt.Status


@dataclass(frozen=True, kw_only=True)
class Figures:
    attempts: Mapping[str, int]
    held: int
    revoked: int
    untold: int

    @property
    def by_status(self) -> list[tuple[str, str, int]]:
        return [(status.value, status.label, self.attempts.get(status, 0)) for status in Status]

    @property
    def waiting(self) -> int:
        return self.attempts.get(Status.WAITING, 0)


@dataclass(frozen=True, kw_only=True)
class SwitchEffect:
    """What a switch of the gate concerns: running batches behind it, running tests, and how many passed."""

    kept: list[Batch]
    tests: list[Batch]
    held: int

    @property
    def kept_titles(self) -> list[str]:
        return _titles(self.kept)

    @property
    def test_titles(self) -> list[str]:
        return _titles(self.tests)


def figures_of(gate: Gate) -> Figures:
    """Figures of the gate, in two queries."""
    rows = Attempt.objects.filter(gate=gate).order_by().values_list("status")
    holdings = Holding.objects.filter(gate=gate).aggregate(
        held=Count("pk", filter=Q(value=Holding.Value.PASSED)),
        revoked=Count("pk", filter=Q(revoked_at__isnull=False)),
        untold=Count("pk", filter=Q(is_told=False)),
    )
    return Figures(attempts=dict(rows.annotate(Count("pk"))), **holdings)


def affected_by(gate: Gate) -> SwitchEffect:
    tasks = [*gate.opens, gate.test_task]
    running = Batch.objects.filter(study=gate.study_id, task__in=tasks, status__in=RUNNING).order_by("pk")
    batches = list(running.only("pk", "title", "task"))
    return SwitchEffect(
        kept=[batch for batch in batches if batch.task in gate.opens],
        tests=[batch for batch in batches if batch.task == gate.test_task],
        held=Holding.objects.filter(gate=gate, value=Holding.Value.PASSED).count(),
    )


def _titles(batches: list[Batch]) -> list[str]:
    """Quoted titles without repetition; of many only the first few, and how many more there are."""
    titles = list(dict.fromkeys(f"“{batch.title}”" for batch in batches))
    more = len(titles) - MOST_TITLES
    return titles if more <= 0 else [*titles[:MOST_TITLES], f"and {more} more"]
