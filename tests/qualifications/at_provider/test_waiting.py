"""Sweeps that become due because time has passed, and what they cost while nothing is due."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from cryptography.fernet import Fernet
from django.conf import LazySettings

from qualifications.models import Attempt, Gate, Holding, PlatformType
from qualifications.services import (
    consenting,
    floors,
    grading,
    platform,
    provider_grants,
    removing_lists,
    retests,
    sync_grants,
    test_attempts,
)
from qualifications.services.gate_holdings import revoke
from qualifications.services.platform import make_types, next_type
from qualifications.services.provider_grants import next_reading, read_provider_tests
from qualifications.services.retests import next_retest, open_retests
from qualifications.services.sync_grants import next_telling, tell_holdings
from tests.factories import NOW, make_account, make_batch, make_user
from tests.idle import watch
from tests.qualifications.gates import TEST, make_gate, sit, toys
from tests.qualifications.platforms import make_holding, make_type, turk
from tests.stubbed import StubbedTurk

__all__ = ["toys", "turk"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)


def standing(at: datetime) -> Callable[[], datetime]:
    """A clock that stands still, however long the machine takes."""
    return lambda: at


@pytest.mark.parametrize("next_instant", [next_telling, next_type, next_reading, next_retest])
def test_nothing_is_due_where_nothing_waits(next_instant: Callable[..., datetime | None]) -> None:
    assert next_instant(now=NOW) is None


def test_holding_is_told_again_when_its_claim_is_over(turk: StubbedTurk) -> None:
    row = make_type()
    make_holding(row, claimed_at=NOW)
    make_holding(row, claimed_at=NOW + MINUTE)
    make_holding(row, claimed_at=NOW - DAY, is_told=True)
    make_holding(make_type(status="intended", external_id=""), claimed_at=NOW - DAY)
    due = NOW + sync_grants.CLAIM

    assert next_telling(now=NOW) == due
    assert [tell_holdings(now=at, clock=standing(at)) for at in (due - SECOND, due)] == [0, 1]
    assert next_telling(now=due) == due + MINUTE


def test_type_is_asked_for_again_when_its_claim_is_over(turk: StubbedTurk) -> None:
    make_type(status="intended", external_id="", claimed_at=NOW)
    refused = make_gate()
    make_type(gate=refused, status="refused", digest=platform.terms_of(refused).digest, claimed_at=NOW - DAY)
    due = NOW + platform.CLAIM

    assert next_type(now=NOW) == due
    assert [make_types(now=at, clock=standing(at)) for at in (due - SECOND, due)] == [0, 1]
    assert next_type(now=due) is None


def test_lists_are_read_again_once_they_have_rested(turk: StubbedTurk) -> None:
    row = make_type()
    read_provider_tests(now=NOW, clock=standing(NOW))
    due = NOW + provider_grants.REST
    assert next_reading(now=NOW) == due

    for at in (due - SECOND, due):
        read_provider_tests(now=at, clock=standing(at))

    assert PlatformType.objects.get().read_at == due
    assert next_reading(now=due) == due + provider_grants.REST
    Gate.objects.filter(pk=row.gate_id).update(is_active=False)
    assert next_reading(now=due) is None


def test_account_that_cannot_be_asked_keeps_nobody_awake(turk: StubbedTurk, settings: LazySettings) -> None:
    row = make_type(read_again_at=NOW)
    make_holding(row, claimed_at=NOW)
    make_type(account=row.account, status="intended", external_id="", claimed_at=NOW)
    settings.FIELD_KEYS = [Fernet.generate_key().decode()]

    assert [next_telling(now=NOW), next_type(now=NOW), next_reading(now=NOW)] == [None, None, None]


def test_retest_is_due_when_the_delay_is_over() -> None:
    gate, later = make_gate(retest_after_days=2), make_gate(retest_after_days=9)
    sit(gate, 0, 0)
    sit(later, 0, 0, now=NOW - DAY)
    Attempt.objects.filter(gate=gate).update(graded_at=NOW + MINUTE)
    due = NOW + 2 * DAY + MINUTE

    assert next_retest(now=NOW) == due
    assert [open_retests(now=at) for at in (due - SECOND, due)] == [0, 1]
    assert next_retest(now=due) == NOW + 8 * DAY


def test_nobody_waits_for_a_retest_that_no_delay_opens() -> None:
    gate = make_gate(retest_after_days=2)
    sit(gate)
    sit(gate, 1, 1)
    worker = sit(gate, 1, 1).worker
    revoke(gate=gate, worker=worker, by=make_user(), reason="Two people", now=NOW)
    off = make_gate(retest_after_days=2, is_active=False)
    Holding.objects.create(gate=off, worker=worker, value=0, changed_at=NOW)
    at_provider = make_gate(retest_after_days=2, grading="provider", test_task="")
    Holding.objects.create(gate=at_provider, worker=worker, value=0, changed_at=NOW)

    assert next_retest(now=NOW) is None
    assert open_retests(now=NOW + 9 * DAY) == 0


SWEEPS: list[tuple[Callable[[], object], int]] = [
    (removing_lists.remove_leaving, 1),
    (lambda: consenting.take_work_out(now=NOW), 1),
    (lambda: platform.make_types(now=NOW), 3),
    (lambda: sync_grants.tell_holdings(now=NOW), 1),
    (lambda: provider_grants.read_provider_tests(now=NOW), 1),
    (lambda: test_attempts.follow_tests(now=NOW), 5),
    (lambda: grading.grade_waiting(now=NOW), 1),
    (lambda: grading.regrade_tests(now=NOW + DAY), 1),
    (lambda: floors.check_floors(now=NOW), 2),
    (lambda: retests.open_retests(now=NOW), 2),
]


@pytest.mark.parametrize(("sweep", "queries"), SWEEPS)
def test_sweep_that_finds_nothing_asks_little_and_writes_nothing(
    sweep: Callable[[], object], queries: int, turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grading, "SLICE", 2)
    account = make_account()
    for number in range(3):
        gate = make_gate(retest_after_days=2, floors=[{"measure": "right", "below": 60, "last": 2}])
        make_batch(study=gate.study, account=account, status="complete", task=TEST)
        for _ in range(3):
            sit(gate, number % 2, 1)
    run_all()

    idle = watch(sweep)

    assert (idle.queries, idle.writes) == (queries, [])


def run_all() -> None:
    """Run the sweeps until nothing is left to do."""
    for _ in range(3):
        for sweep, _queries in SWEEPS:
            sweep()
