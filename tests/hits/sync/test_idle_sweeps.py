"""A sweep with nothing to do reads little and writes nothing: writing would wake it again for ever."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from hits.batches.services import batch_counters, hit_changes, sending_hits
from hits.identity.models.blocks import Block
from hits.ledger.services import rewards
from hits.payments.models.matches import Match
from hits.payments.services import accrual, compensation, paying, three_way_match
from hits.people.services import blocking, worker_letters
from hits.providers.models.accounts import Account
from hits.providers.services import balances
from hits.sync.models import Notice
from hits.sync.services import event_inbox, full_scan, noticing_early_ends, push_decisions, reconciling
from hits.work.models.decisions import Decision
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_bonus,
    make_hit,
    make_user,
)
from tests.hits.notices import document
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
Next = Callable[..., datetime | None]


def never(*, now: datetime) -> None:
    """Stand in for the next moment of a sweep that waits for none."""


SWEEPS: list[tuple[Callable[..., Any], Next]] = [
    (sending_hits.send_launching_batches, sending_hits.next_launch),
    (hit_changes.send_changes, hit_changes.next_change),
    (hit_changes.end_overdue, hit_changes.next_end),
    (event_inbox.handle_notices, never),
    (event_inbox.poll_queues, event_inbox.next_poll),
    (event_inbox.subscribe_batches, event_inbox.next_subscription),
    (event_inbox.purge_notices, event_inbox.next_purge),
    (reconciling.reconcile, reconciling.next_look),
    (noticing_early_ends.note_early_ends, noticing_early_ends.next_note),
    (balances.read_old_balances, balances.next_reading),
    (full_scan.survey, full_scan.next_survey),
    (push_decisions.send_decisions, push_decisions.next_decision),
    (push_decisions.approve_judged, push_decisions.next_approval),
    (blocking.send_blocks, blocking.next_block),
    (worker_letters.send_messages, worker_letters.next_message),
    (batch_counters.refresh_stale, batch_counters.next_count),
    (accrual.owe_bonuses, never),
    (rewards.book_rewards, never),
    (paying.pay_bonuses, paying.next_payment),
    (paying.confirm_bonuses, paying.next_confirmation),
    (compensation.send_compensations, compensation.next_compensation),
    (three_way_match.match_accounts, three_way_match.next_match),
]
NAMES = [run.__name__ for run, _ in SWEEPS]


@pytest.fixture(autouse=True)
def _provider(turk: StubbedTurk) -> None:
    """Put the stubbed provider behind every account whose secret can be read."""


@pytest.fixture
def account() -> Account:
    return make_account(notify_by="webhook")


def lay_idle_world(account: Account) -> None:
    """Make a batch that is over, and another one whose open HIT is due in an hour."""
    Account.objects.filter(pk=account.pk).update(surveyed_at=NOW, balance_read_at=NOW)
    done = make_batch(account=account, status="complete", hit_type_id="TYPE1", notified_at=NOW)
    hit = make_hit(batch=done, status="closed", closed_at=NOW, look_at=None)
    work = make_assignment(hit=hit, status="approved", judged_at=NOW, owed_at=NOW, booked_at=NOW)
    make_bonus(assignment=work, status="confirmed", confirmed_at=NOW)
    Decision.objects.create(
        assignment=work, kind="approve", status="done", by=make_user(), made_at=NOW, send_at=NOW
    )
    Block.objects.create(
        worker=work.worker, kind="hard", status="active", reason="Random", by=make_user(), made_at=NOW
    )
    Notice.objects.create(account=account, document_id="1", body=document(), received_at=NOW, handled_at=NOW)
    running = make_batch(account=account, status="open", hit_type_id="TYPE2", notified_at=NOW)
    make_hit(batch=running, look_at=NOW + timedelta(hours=1), expires_at=NOW + timedelta(days=1))
    make_association(study=running.study)
    paused = make_batch(account=account, status="paused", study=running.study)
    make_hit(batch=paused, expires_at=NOW, look_at=NOW + timedelta(hours=1))
    Match.objects.create(account=account, status="done", started_at=NOW, ended_at=NOW)


class Statements:
    """A wrapper of database calls that keeps what was read, and the statements that changed a row."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.wrote: list[str] = []

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        if sql.startswith("SELECT"):
            self.read.append(sql)
        elif sql.startswith(("INSERT", "UPDATE", "DELETE")) and context["cursor"].rowcount:
            self.wrote.append(sql)
        return result


@pytest.mark.parametrize(("run", "next_"), SWEEPS, ids=NAMES)
def test_run_that_finds_nothing_reads_little_and_writes_nothing(
    run: Callable[..., Any], next_: Next, account: Account
) -> None:
    lay_idle_world(account)
    statements = Statements()

    with connection.execute_wrapper(statements):
        run(now=NOW)

    assert statements.wrote == []
    assert 1 <= len(statements.read) <= 4
    due = next_(now=NOW)
    assert due is None or due > NOW


@pytest.mark.parametrize("next_", [next_ for _, next_ in SWEEPS], ids=NAMES)
def test_nothing_is_due_where_there_is_nothing(next_: Next) -> None:
    assert next_(now=NOW) is None
