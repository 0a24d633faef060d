"""Grading of attempts, exactly by their scores or by a person, whose decision no score changes.

Lock order: attempt, then holding.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.work.models.leases import Lease
from qualifications.domain.gate_rules import Finding, bounds_of, grade
from qualifications.models import Attempt, Gate, Holding
from qualifications.queries.test_scores import ScoresByMeasure, scores_of_tests
from qualifications.services.floors import check_floors
from qualifications.services.gate_holdings import check_words, lock_holding, set_value
from scoring.models import Score

__all__ = ["check_floors", "grade_by_hand", "grade_waiting", "regrade_tests"]
SLICE = 200
# A score is dated by the start of the sweep that found it; within this time that sweep has ended.
SETTLES = timedelta(hours=1)
Status = Attempt.Status
GRADED = (Status.PASSED, Status.FAILED)
log = structlog.get_logger()


def grade_waiting(*, now: datetime) -> int:
    """Grade tests that are fully judged and scored enough; return how many.

    One that lacks scores waits for a person.
    """
    graded, seen = 0, 0
    waiting = _by_scores().filter(
        status=Status.WAITING, assignment__judged_at__isnull=False, assignment__kept_out=False
    )
    while some := list(waiting.filter(pk__gt=seen).order_by("pk")[:SLICE]):
        seen = some[-1].pk
        _tell_of_broken({one.gate_id: one.gate for one in some})
        scores = scores_of_tests([one.assignment_id or 0 for one in some])
        graded += sum(_grade(one, _first(one, scores[one.assignment_id or 0]), now=now) for one in some)
    return graded


def regrade_tests(*, now: datetime) -> int:
    """Regrade tests whose scores were added, changed or lost since; return how many.

    The bounds are those that the attempt was graded by: a rule that changes regrades no attempt.
    """
    regraded, seen = 0, 0
    changed = _by_scores().filter(_has_changed(now), status__in=GRADED, graded_by=None)
    while some := list(changed.filter(pk__gt=seen).order_by("pk")[:SLICE]):
        seen = some[-1].pk
        scores = scores_of_tests([one.assignment_id or 0 for one in some])
        regraded += sum(_grade(one, _again(one, scores[one.assignment_id or 0]), now=now) for one in some)
    return regraded


def grade_by_hand(*, attempt: Attempt, passed: bool, words: str, by: User, now: datetime) -> None:
    """Grade a submitted test by hand, also one graded before. A worker who fails must be given a reason.

    Raises RuleBroken, changing nothing, if the test is not submitted or `check_words` refuses the reason.
    """
    said = check_words(words) if words.strip() or not passed else ""
    to = Status.PASSED if passed else Status.FAILED
    with transaction.atomic():
        held = _lock(attempt)
        if held.status not in (Status.WAITING, *GRADED):
            raise RuleBroken("not_handed_in", "Nothing was changed: this test has not been submitted.")
        changes: dict[str, Any] = {"words": said, "graded_by": by, "graded_at": now}
        if held.status == to:
            Attempt.objects.filter(pk=held.pk).update(**changes)
        else:
            move(held, to, **changes)
            _follow(held, now=now)
        words = f"“{held.gate.name}” of {held.worker}: {'passed' if passed else 'not passed'}. {said}".strip()
        audit_trail.note("qualification.graded", words, by=by, now=now, study=held.gate.study)
    attempt.refresh_from_db()


def _by_scores() -> QuerySet[Attempt]:
    rows = Attempt.objects.filter(
        gate__grading=Gate.Grading.SCORES, gate__is_active=True, assignment__isnull=False
    )
    return rows.select_related("gate__study", "worker__account")


def _tell_of_broken(gates: Mapping[int, Gate]) -> None:
    """Log gates whose rules cannot be read: only their attempts are left to a person."""
    for gate in gates.values():
        if gate.rules and not gate.bounds:
            log.warning("gate.rules_broken", gate=str(gate.public_id))


def _first(attempt: Attempt, scores: ScoresByMeasure) -> list[Finding]:
    return grade(attempt.gate.bounds, scores, items=attempt.gate.items)


def _again(attempt: Attempt, scores: ScoresByMeasure) -> list[Finding]:
    """Findings by the attempt's own bounds; it may have lost a score, but not all of them."""
    bounds = bounds_of(attempt.findings)
    return grade(bounds, scores, items=1) if bounds else []


def _has_changed(now: datetime) -> Q:
    """Condition on attempts whose scores may have changed since, also those that were graded just now."""
    scored = Score.objects.filter(assignment=OuterRef("assignment"), scored_at__gt=OuterRef("graded_at"))
    moved = Lease.objects.filter(assignment=OuterRef("assignment"), ended_at__gt=OuterRef("graded_at"))
    return Q(graded_at__gt=now - SETTLES) | Q(Exists(scored)) | Q(Exists(moved))


def _grade(attempt: Attempt, findings: Sequence[Finding], *, now: datetime) -> bool:
    """Write the grade; False if there are no findings yet, nothing is new, or a person has graded."""
    told = [finding.as_json() for finding in findings]
    if not told or (attempt.status in GRADED and attempt.findings == told):
        return False
    to = Status.PASSED if all(finding.holds for finding in findings) else Status.FAILED
    with transaction.atomic():
        held = _lock(attempt)
        if held.graded_by_id or held.status not in (Status.WAITING, *GRADED) or held.findings == told:
            return False
        if held.status == to:
            return bool(Attempt.objects.filter(pk=held.pk).update(findings=told))
        move(held, to, findings=told, graded_at=now)
        _follow(held, now=now)
    log.info("attempt.graded", attempt=str(held.public_id), status=to)
    return True


def _lock(attempt: Attempt) -> Attempt:
    rows = Attempt.objects.select_related("gate__study", "worker__account")
    return rows.select_for_update(of=("self",), no_key=True).get(pk=attempt.pk)


def _follow(attempt: Attempt, *, now: datetime) -> None:
    """Set the worker's value by the latest attempt, unless a person or a floor has decided since."""
    gate, worker = attempt.gate, attempt.worker
    later = Attempt.objects.filter(gate=gate, worker=worker, pk__gt=attempt.pk)
    held = lock_holding(gate=gate, worker=worker, now=now)
    if held.by_id or held.revoked_at or later.exclude(status=Status.GIVEN_UP).exists():
        return
    if attempt.status == Status.PASSED:
        set_value(gate=gate, worker=worker, value=Holding.Value.PASSED, now=now)
    elif held.is_held:
        set_value(gate=gate, worker=worker, value=Holding.Value.TRIED, now=now)
