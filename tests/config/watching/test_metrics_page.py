"""Each metric is moved by what it tells of, and the page is shown to whoever brings the token alone."""

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crowd.marketplace.models import Destination
from hits import tasks
from hits.common import sweeps, wake
from hits.common.channels import Pipes
from hits.common.pulses import Pulse, write_pulse
from hits.common.watching import row_gauges
from hits.core.errors import ProviderRefused, ProviderUnavailable
from hits.core.models.audit_events import AuditEvent
from hits.providers.gateway.boto import BotoProvider
from hits.providers.gateway.pacing import Line
from hits.providers.gateway.standstill import begin_epochs
from hits.providers.models.accounts import Pace
from hits.providers.models.epochs import Epoch
from hits.sync.models import Notice
from hits.work.models.hits import Change
from scoring.models import PendingQuery
from scoring.services import rival_answers
from tests.config.watching.conftest import TOKEN, Numbers
from tests.crowd.marketplace.notifying.test_delivery_tasks import make_event
from tests.factories import make_account, make_assignment, make_batch, make_bonus, make_hit, make_requester
from tests.scoring.fakes import FakeRival
from tests.scoring.test_asking import ask
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db(databases=["default", "marketplace"])
HOUR = timedelta(hours=1)


def ago(hours: int) -> datetime:
    return timezone.now() - hours * HOUR


@pytest.mark.parametrize(
    ("token", "brought", "status"),
    [
        ("", "", 404),
        ("", "Bearer ", 404),
        (TOKEN, "", 401),
        (TOKEN, "Bearer another", 401),
        (TOKEN, f"Bearer {TOKEN}", 200),
    ],
)
def test_metrics_are_for_whoever_brings_the_token(
    client: Client, settings: LazySettings, token: str, brought: str, status: int
) -> None:
    settings.METRICS_TOKEN = token

    assert client.get("/metrics", headers={"authorization": brought}).status_code == status


def test_requests_are_counted_by_pattern_and_never_by_path(client: Client, number: Numbers) -> None:
    client.get("/q/00000000-0000-4000-8000-000000000000/?workerId=APLANTED")
    client.get("/planted/", headers={"host": "localhost:8000"})

    count = "crowd_request_seconds_count"
    assert number(count, site="config", group="q", status="4xx") == 1
    assert number(count, site="crowd.marketplace", group="(none)", status="4xx") == 1
    page = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).content.decode()
    assert "lanted" not in page.lower()
    assert number(count, site="config", group="(none)", status="2xx") is None  # /metrics itself


def test_calls_of_providers_are_counted_by_outcome(number: Numbers) -> None:
    turk = StubbedTurk()
    provider = BotoProvider(turk, line=Line(account_id=make_account().pk, rate=200))
    provider.get_balance()
    turk.faults["get_account_balance"] = ["before"]
    with pytest.raises(ProviderUnavailable):
        provider.get_balance()
    with pytest.raises(ProviderRefused):
        provider.get_hit("NOBODYS")

    def calls(operation: str, outcome: str) -> float | None:
        return number("crowd_provider_call_seconds_count", operation=operation, outcome=outcome)

    assert calls("get_account_balance", "answered") == 1
    assert calls("get_account_balance", "unavailable") == 1
    assert calls("get_hit", "refused") == 1


def test_runs_of_sweeps_are_counted(number: Numbers, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tasks.handle_notices is sweeps.SWEEPS["hits.handle_notices"].run
    wake.run("hits.handle_notices")
    monkeypatch.setattr(sweeps, "run", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        wake.run("hits.handle_notices")

    for outcome in ("done", "failed"):
        assert number("crowd_sweep_run_seconds_count", sweep="hits.handle_notices", outcome=outcome) == 1


def test_verdicts_are_timed_from_their_question(number: Numbers, fake: type[FakeRival]) -> None:
    ask(make_assignment())
    first = PendingQuery.objects.get()
    rival_answers.answer_waiting(clock=lambda: first.asked_at + timedelta(seconds=2))

    asked = "urgent" if first.is_urgent else "later"
    assert number("crowd_verdict_seconds_sum", asked=asked) == 2


def test_a_question_that_waits_is_told_with_its_age(number: Numbers, fake: type[FakeRival]) -> None:
    ask(make_assignment())
    PendingQuery.objects.update(asked_at=ago(1), is_urgent=True)

    assert number("crowd_queue_waiting", queue="rival_urgent") == 1
    assert 3600 <= (number("crowd_queue_oldest_seconds", queue="rival_urgent") or 0) < 3700
    assert number("crowd_queue_waiting", queue="rival_later") == 0


def test_hits_and_what_providers_must_be_told(number: Numbers) -> None:
    hit = make_hit(batch=make_batch(status="launching"), status="intended", external_id="", made_at=ago(1))
    make_hit(batch=hit.batch, status="open", external_id="HIT1")
    make_hit(batch=make_batch(status="open"), status="open", external_id="HIT2")
    Change.objects.create(hit=hit, kind="expire", made_at=ago(2))

    assert (number("crowd_hits", status="intended"), number("crowd_hits", status="open")) == (1, 1)
    for queue, hours in (("hits_to_send", 1), ("changes_of_hits", 2)):
        assert number("crowd_queue_waiting", queue=queue) == 1
        assert (number("crowd_queue_oldest_seconds", queue=queue) or 0) >= 3600 * hours


def test_bonuses_are_told_by_state_with_their_amounts(number: Numbers) -> None:
    make_bonus(amount=Decimal("0.27"), status="owed")
    make_bonus(amount=Decimal("0.50"), status="unknown")
    make_bonus(amount=Decimal("0.25"), status="unknown")
    make_bonus(status="confirmed")

    assert (number("crowd_bonuses", status="owed"), number("crowd_bonus_dollars", status="owed")) == (1, 0.27)
    assert number("crowd_bonuses", status="unknown") == 2
    assert number("crowd_bonus_dollars", status="unknown") == 0.75
    assert number("crowd_bonuses", status="confirmed") is None


def test_work_that_nobody_judged_is_told_with_its_age(number: Numbers) -> None:
    make_assignment(status="submitted", submitted_at=ago(3), answer={"a": 1})
    make_assignment(status="submitted", submitted_at=ago(9), answer={"a": 1}, judged_at=ago(8))

    assert number("crowd_queue_waiting", queue="work_to_judge") == 1
    assert 3 <= (number("crowd_queue_oldest_seconds", queue="work_to_judge") or 0) / 3600 < 4


def test_accounts_without_an_answer_and_those_that_stand_still(number: Numbers) -> None:
    account = make_account()
    Pace.objects.create(account=account, free_at=ago(1), silent_since=ago(2))
    before = number("crowd_epochs_open")
    begin_epochs([account.pk], side=Epoch.Side.OURS, copied_at=None, now=timezone.now())

    assert number("crowd_accounts_silent") == 1
    assert (number("crowd_account_silent_seconds") or 0) >= 7200
    assert (before, number("crowd_epochs_open")) == (0, 1)


def test_notices_that_wait_are_told(number: Numbers) -> None:
    Notice.objects.create(account=make_account(), document_id="1", body="{}", received_at=ago(1))

    assert number("crowd_queue_waiting", queue="notices") == 1


def test_events_of_the_marketplace_that_wait_are_told(number: Numbers) -> None:
    requester = make_requester().requester
    destination = Destination.objects.create(
        requester=requester, transport="REST", address="http://127.0.0.1:1/", free_at=timezone.now()
    )
    make_event(destination=destination)
    make_event(destination=destination, delivered_at=timezone.now())

    assert number("crowd_queue_waiting", queue="marketplace_events") == 1
    assert number("crowd_queue_waiting", queue="marketplace_emails") == 0


def test_what_the_dispatcher_knows_of_its_sweeps(
    number: Numbers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel, at = Pipes(tmp_path), time.time()
    monkeypatch.setattr(wake, "_channel", channel)
    silent = number("crowd_dispatcher_silent_seconds")
    known = {"scoring.judge_submitted": at - 500}
    channel.keep(write_pulse(Pulse(at=at - 100, done_at=at - 300, unanswered=known, failing=known)))

    assert silent is None
    assert round(number("crowd_dispatcher_silent_seconds") or 0, -1) == 100
    assert round(number("crowd_sweeps_idle_seconds") or 0, -1) == 300
    for name in ("unanswered", "failing"):
        told = number(f"crowd_sweep_{name}_seconds", sweep="scoring.judge_submitted")
        assert round(told or 0, -1) == 500


def test_disk_and_backup(number: Numbers) -> None:
    before = number("crowd_backup_age_seconds")
    AuditEvent.objects.create(kind="copy.made", words="Made.", at=timezone.now() - timedelta(hours=2))

    assert before is None
    assert round(number("crowd_backup_age_seconds") or 0, -2) == 7200
    assert 0 < (number("crowd_disk_free_bytes") or 0) < (number("crowd_disk_bytes") or 0)


def test_a_reader_without_its_database_says_so_and_leaves_the_others(
    number: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(now: object) -> Iterator[row_gauges.Reading]:
        raise DatabaseError

    row_gauges.read_gauges(now=timezone.now())
    monkeypatch.setitem(row_gauges._readers, "money", fail)

    assert number("crowd_reading_failed", reader="money") == 1
    assert number("crowd_bonuses", status="owed") is None
    assert number("crowd_epochs_open") == 0


def test_a_look_costs_as_many_queries_whatever_there_is(number: Numbers) -> None:
    number("crowd_epochs_open")
    with CaptureQueriesContext(connection) as first:
        number("crowd_epochs_open")
    for _ in range(3):
        make_bonus(status="unknown")
        make_assignment(status="submitted", answer={"a": 1})
    with CaptureQueriesContext(connection) as second:
        number("crowd_epochs_open")

    assert len(second) == len(first) < 20
