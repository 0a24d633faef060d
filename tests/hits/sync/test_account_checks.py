"""The checks of an account, against a stubbed provider."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings

from hits.common.health.findings import Finding
from hits.providers.gateway.boto import make_client
from hits.providers.gateway.standstill import begin_epochs
from hits.providers.models.accounts import Account, Pace
from hits.providers.models.epochs import Epoch
from hits.sync.models import Notice
from hits.sync.services import account_checks
from tests.factories import NOW, make_account, make_batch
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
NAMES = ["endpoint", "clock", "identity and balance", "reading HITs", "events", "pace", "standstill"]


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account_checks, "_read_clock", lambda _: NOW)


def check(account: Account) -> dict[str, Finding]:
    return {finding.name: finding for finding in account_checks.check_account(account=account, now=NOW)}


def test_account_that_works_is_well_in_everything(turk: StubbedTurk) -> None:
    found = check(make_account())

    assert list(found) == NAMES
    assert [finding.ok for finding in found.values()] == [True] * len(NAMES)
    assert found["identity and balance"].saw == "$100.00"


def test_provider_that_is_down_fails_where_it_is_asked(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_checks, "_read_clock", lambda _: None)
    turk.faults = {"get_account_balance": ["before"], "list_hits": ["before"]}

    found = check(make_account())

    assert [name for name, finding in found.items() if not finding.ok] == NAMES[:4]
    assert [name for name, finding in found.items() if finding.advice] == NAMES[:4]


def test_clock_that_is_wrong_is_told(turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account_checks, "_read_clock", lambda _: NOW - timedelta(minutes=4))

    clock = check(make_account())["clock"]

    assert (clock.ok, clock.saw) == (False, "240 s apart")


def test_amazons_own_service_is_not_even_asked(turk: StubbedTurk, settings: LazySettings) -> None:
    settings.ALLOW_AMAZON = False

    found = check(make_account(endpoint="https://mturk-requester.us-east-1.amazonaws.com"))

    assert {name: finding.ok for name, finding in found.items()} == {"endpoint": False}
    assert turk.calls == []


@pytest.mark.parametrize(
    ("notify_by", "batch", "notice", "ok"),
    [
        ("none", True, None, True),
        ("webhook", False, None, True),
        ("webhook", True, None, False),
        ("webhook", True, {"handled_at": NOW}, True),
        ("webhook", True, {"received_at": NOW - timedelta(hours=1)}, False),
        ("webhook", True, {"received_at": NOW}, True),
    ],
)
def test_events_are_missed_only_where_they_are_expected(
    turk: StubbedTurk, notify_by: str, batch: bool, notice: dict[str, Any] | None, ok: bool
) -> None:
    account = make_account(notify_by=notify_by)
    if batch:
        make_batch(account=account, status="open")
    if notice is not None:
        Notice.objects.create(**{"account": account, "document_id": "1", "received_at": NOW, **notice})

    assert check(account)["events"].ok is ok


def test_page_that_somebody_waits_for_asks_once_and_not_for_long() -> None:
    keys = {"endpoint": "http://localhost:1", "access_key_id": "k", "secret_access_key": "s"}

    config = make_client(**keys, allow_amazon=False, quick=True).meta.config

    assert (config.connect_timeout, config.read_timeout) == (2, 4)
    assert config.retries["total_max_attempts"] == 1


@pytest.mark.parametrize(("seconds", "ok"), [(-5, True), (30, True), (90, False)])
def test_long_queue_of_calls_is_told(turk: StubbedTurk, seconds: int, ok: bool) -> None:
    account = make_account()
    Pace.objects.create(account=account, free_at=NOW + timedelta(seconds=seconds))

    assert check(account)["pace"].ok is ok


def test_account_that_stands_still_is_told(turk: StubbedTurk) -> None:
    account = make_account()
    begin_epochs([account.pk], side=Epoch.Side.OURS, copied_at=None, now=NOW)

    found = check(account)["standstill"]

    assert not found.ok
    assert "rows were put back from a copy" in found.saw
