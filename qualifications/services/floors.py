"""Floors of gates: later work that scores below a floor revokes the gate."""

from collections.abc import Collection, Iterable
from datetime import datetime
from fractions import Fraction

from django.db.models import Q, QuerySet
from django.utils import translation

from hits.common.sweep_parts import in_parts
from qualifications import gate_words
from qualifications.domain.gate_rules import Floor
from qualifications.models import Gate, Holding
from qualifications.queries.test_scores import counting
from qualifications.services.gate_holdings import take_back
from scoring.models import Score

# How many rows of scores are read in one run.
AT_ONCE = 5000
# A row whose transaction is slow may be overtaken by this many younger rows.
OVERTAKEN = 1000


def check_floors(*, now: datetime) -> int:
    """Revoke gates of workers whose new scores fall below a floor; return how many lost one."""
    newest = Score.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    behind = Gate.objects.filter(Q(scores_to=None) | Q(scores_to__lt=newest), is_active=True)
    gates = behind.exclude(floors=[]).select_related("study").order_by("pk")
    return in_parts(gates, lambda gate: _check(gate, newest=newest, now=now))


def _check(gate: Gate, *, newest: int, now: datetime) -> int:
    """Check the new scores of one gate; a gate whose floors are new begins with the next score."""
    revoked = 0
    reached = newest if gate.scores_to is None else min(newest, gate.scores_to + AT_ONCE)
    if gate.scores_to is not None:
        new = _scores_under(gate).filter(pk__gt=gate.scores_to - OVERTAKEN, pk__lte=reached)
        revoked = sum(_check_holding(gate, held, now=now) for held in _held_by(new, gate=gate))
    Gate.objects.filter(pk=gate.pk).update(scores_to=reached)
    return revoked


def _scores_under(gate: Gate) -> QuerySet[Score]:
    """Scores of the work that the gate opens, never of the test itself."""
    return counting().filter(
        assignment__hit__batch__study=gate.study_id,
        assignment__hit__batch__task__in=[task for task in gate.opens if task != gate.test_task],
        measure__in=[floor.measure for floor in gate.floor_bounds],
    )


def _held_by(scores: QuerySet[Score], *, gate: Gate) -> Iterable[Holding]:
    workers = set(scores.order_by().values_list("assignment__worker", flat=True).distinct())
    rows = Holding.objects.filter(gate=gate, worker__in=workers, value=Holding.Value.PASSED)
    return list(rows.select_related("worker__account").order_by("pk"))


def _check_holding(gate: Gate, held: Holding, *, now: datetime) -> bool:
    for floor in gate.floor_bounds:
        latest = _latest(gate, held, floor)
        if floor.is_broken(latest):
            reason = _reason(gate, floor, latest)
            return take_back(gate=gate, worker=held.worker, reason=reason, now=now, since=held.changed_at)
    return False


def _latest(gate: Gate, held: Holding, floor: Floor) -> list[Fraction]:
    """Latest scores of work begun since the gate was passed: a retest starts the count again."""
    rows = _scores_under(gate).filter(
        measure=floor.measure, assignment__worker=held.worker_id, assignment__opened_at__gte=held.changed_at
    )
    return [score.value for score in rows.order_by("-assignment", "-pk")[: floor.last]]


def _reason(gate: Gate, floor: Floor, values: Collection[Fraction]) -> str:
    mean = sum(values, Fraction(0)) / len(values)
    with translation.override(gate.study.language):
        return gate_words.floor_in_words(floor, mean=mean)
