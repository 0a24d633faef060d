"""Attempts at gates, derived from assignments; the rooms below know nothing of them.

Lock order: attempt, then holding.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from hits import families
from hits.core.states import move
from hits.identity.models.workers import Worker
from hits.providers.capabilities import OF_PLAYERS
from hits.work.models.assignments import Assignment
from qualifications.domain.gate_rules import Bound, Finding, as_share
from qualifications.models import Attempt, Gate, Holding
from qualifications.services.gate_holdings import lock_holding, note_value, set_value

SLICE = 500
# A row whose transaction is slow may be overtaken by this many younger rows.
OVERTAKEN = 2000
# How long the provider may still report as submitted a test that was given up here.
MAY_RETURN = timedelta(days=30)
Status = Attempt.Status
Work = Assignment.Status
HANDED_IN = (Work.SUBMITTED, Work.APPROVED, Work.REJECTED)
LIVE = (Status.STARTED, Status.WAITING)
COUNTING = (*LIVE, Status.PASSED, Status.FAILED)
log = structlog.get_logger()


def follow_tests(*, now: datetime) -> int:
    """Start and advance attempts by the state of their assignments; return how many changed."""
    gone_on = sum(_settle(attempt, now=now) for attempt in _gone_on()[:SLICE])
    return gone_on + _begin_new(now=now) + _take_returned(now=now)


def record_provider_result(*, gate: Gate, worker: Worker, passed: bool, value: int, now: datetime) -> None:
    """Record a result of the provider's own test. Idempotent: the same result again changes nothing.

    A different result is another attempt.
    """
    bound = Bound(measure="provider", percent=gate.passing_value, strictly=True)
    findings = [{**Finding(bound=bound, mean=as_share(value), count=1).as_json(), "holds": passed}]
    status = Status.PASSED if passed else Status.FAILED
    with transaction.atomic():
        held = lock_holding(gate=gate, worker=worker, now=now)
        latest = Attempt.objects.filter(gate=gate, worker=worker, assignment=None).order_by("pk").last()
        if latest and latest.status == status and latest.findings == findings:
            return
        Attempt.objects.create(
            gate=gate,
            worker=worker,
            status=status,
            findings=findings,
            started_at=now,
            handed_in_at=now,
            graded_at=now,
        )
        # No further score at the provider overrides what a person decided or a floor revoked.
        if held.by_id is None and held.revoked_at is None:
            note_value(gate=gate, worker=worker, value=_value_of(passed=passed), now=now)
    log.info("attempt.told", gate=str(gate.public_id), worker=worker.pseudonym, passed=passed)


def _value_of(*, passed: bool) -> int:
    return Holding.Value.PASSED if passed else Holding.Value.TRIED


def _gone_on() -> QuerySet[Attempt]:
    """Live attempts whose assignment has gone on since. Partial index: few are ever live."""
    left = Q(status=Status.STARTED) & ~Q(assignment__status__in=(Work.OPENED, Work.SAVED))
    taken_out = Q(assignment__status=Work.REJECTED) | Q(assignment__kept_out=True)
    return _with_work(
        Attempt.objects.filter(left | Q(status=Status.WAITING) & taken_out, assignment__isnull=False)
    )


def _with_work(attempts: QuerySet[Attempt]) -> QuerySet[Attempt]:
    rows = attempts.select_related("gate__study", "worker__account", "assignment__hit__batch")
    return rows.order_by("pk")


def _begin_new(*, now: datetime) -> int:
    """Start attempts for new tests.

    Only the youngest assignments are read; for a new gate, all of them once.
    """
    gates = {
        (gate.study_id, gate.test_task): gate
        for gate in Gate.objects.filter(is_active=True).exclude(test_task="").select_related("study")
    }
    newest = Assignment.objects.order_by("-pk").values_list("pk", flat=True).first()
    if not gates or newest is None:
        return 0
    since = min(gate.followed_to for gate in gates.values())
    tests = list(_tests_without_attempt(gates.values(), since=since - OVERTAKEN)[:SLICE])
    for test in tests:
        batch = test.hit.batch
        _begin(test, gate=gates[batch.study_id, batch.task], now=now)
    if len(tests) < SLICE and any(gate.followed_to != newest for gate in gates.values()):
        Gate.objects.filter(pk__in=[gate.pk for gate in gates.values()]).update(followed_to=newest)
    return len(tests)


def _tests_without_attempt(gates: Iterable[Gate], *, since: int) -> QuerySet[Assignment]:
    """Tests of these gates without an attempt; a gate switched on just now has its turn the next time."""
    gate = Gate.objects.filter(
        pk__in=[gate.pk for gate in gates],
        study=OuterRef("hit__batch__study"),
        test_task=OuterRef("hit__batch__task"),
    )
    tests = Assignment.objects.filter(Exists(gate), pk__gt=since, attempt_at_gate=None)
    tests = tests.exclude(account__kind__in=OF_PLAYERS).order_by("pk")
    return tests.select_related("hit__batch", "worker__account")


def _begin(test: Assignment, *, gate: Gate, now: datetime) -> None:
    """Start an attempt; one is live at a time.

    A second one, possible only by the provider's evidence, is GIVEN_UP until it counts.
    """
    live = _with_work(Attempt.objects.filter(gate=gate, worker=test.worker_id, status__in=LIVE)).first()
    if live and live.assignment:
        _settle(live, now=now)
    try:
        attempt = _make(test, gate=gate, status=Status.STARTED)
    except IntegrityError:
        attempt = _make(test, gate=gate, status=Status.GIVEN_UP)
    attempt.gate, attempt.worker, attempt.assignment = gate, test.worker, test
    if attempt.status == Status.STARTED:
        _settle(attempt, now=now)


def _make(test: Assignment, *, gate: Gate, status: str) -> Attempt:
    """Get or create the attempt of this assignment; another process may create it at the same moment."""
    with transaction.atomic():
        made, _ = Attempt.objects.get_or_create(
            assignment=test,
            defaults={
                "gate": gate,
                "worker_id": test.worker_id,
                "status": status,
                "started_at": test.opened_at,
            },
        )
    return made


def _settle(attempt: Attempt, *, now: datetime) -> bool:
    """Move the attempt after its assignment, and use up the worker's try in the same transaction."""
    work = attempt.assignment
    if work is None or work.status in (Work.OPENED, Work.SAVED):
        return False
    handed_in_at = attempt.handed_in_at or work.submitted_at
    with transaction.atomic():
        if work.status == Work.GONE:
            moved = move(attempt, Status.GIVEN_UP)
            spends = families.uses_up(work)
        elif work.kept_out:
            moved, spends = move(attempt, Status.GIVEN_UP, handed_in_at=handed_in_at), True
        elif work.status == Work.REJECTED:
            moved, spends = move(attempt, Status.FAILED, handed_in_at=handed_in_at, graded_at=now), True
        else:
            moved, spends = move(attempt, Status.WAITING, handed_in_at=handed_in_at), True
        if moved and spends:
            _spend(attempt, now=now)
    return moved


def _spend(attempt: Attempt, *, now: datetime) -> None:
    """Set TRIED, so that the provider refuses a second test. A value that a person gave meanwhile stays."""
    held = lock_holding(gate=attempt.gate, worker=attempt.worker, now=now)
    if held.value is None:
        set_value(gate=attempt.gate, worker=attempt.worker, value=Holding.Value.TRIED, now=now)


def _take_returned(*, now: datetime) -> int:
    """Resume attempts that were given up here, and that the provider reports as submitted after all."""
    given_up = Attempt.objects.filter(
        status=Status.GIVEN_UP,
        handed_in_at=None,
        started_at__gte=now - MAY_RETURN,
        assignment__status__in=HANDED_IN,
    )
    return sum(_take_back(_with_work(given_up)[:SLICE], now=now))


def _take_back(attempts: Iterable[Attempt], *, now: datetime) -> Iterable[bool]:
    for attempt in attempts:
        handed_in_at = attempt.assignment.submitted_at if attempt.assignment else None
        if _is_beaten(attempt):
            Attempt.objects.filter(pk=attempt.pk).update(handed_in_at=handed_in_at)
            continue
        with transaction.atomic():
            moved = move(attempt, Status.WAITING, handed_in_at=handed_in_at)
            if moved:
                _spend(attempt, now=now)
        yield moved


def _is_beaten(attempt: Attempt) -> bool:
    """Whether another attempt counts: a live one, a later one, or the worker holds the gate already."""
    others = Attempt.objects.filter(gate=attempt.gate_id, worker=attempt.worker_id).exclude(pk=attempt.pk)
    later = others.filter(status__in=COUNTING, started_at__gte=attempt.started_at)
    held = Holding.objects.filter(gate=attempt.gate_id, worker=attempt.worker_id, value=Holding.Value.PASSED)
    return later.exists() or others.filter(status__in=LIVE).exists() or held.exists()
