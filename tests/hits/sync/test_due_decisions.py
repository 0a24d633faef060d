"""When decisions, blocks, letters and figures have something to do because time has passed."""

from datetime import timedelta
from typing import Any

import pytest

from hits.batches.services import batch_counters
from hits.identity.models.blocks import Block
from hits.people.models import Message, Recipient
from hits.people.services import blocking, worker_letters
from hits.providers.models.accounts import Account
from hits.review.services import reviewing
from hits.sync.services import push_decisions
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_hit,
    make_user,
    make_worker,
)
from tests.hits.spoiling import lost_account
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
MOMENT = timedelta(microseconds=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _provider(turk: StubbedTurk) -> None:
    """Put the stubbed provider behind every account whose secret can be read."""


@pytest.fixture
def account() -> Account:
    return make_account(notify_by="webhook")


def make_decision(account: Account, **changes: Any) -> Decision:
    hit = make_hit(batch=make_batch(account=account, status="open"))
    values = {
        "assignment": make_assignment(hit=hit, status="submitted"),
        "kind": "approve",
        "status": "intended",
        "by": make_user(),
        "made_at": NOW,
        "send_at": NOW + reviewing.UNDO_FOR,
    }
    return Decision.objects.create(**{**values, **changes})


def test_next_decision_is_when_it_can_no_longer_be_undone(account: Account) -> None:
    make_decision(account, send_at=NOW, status="waiting")
    make_decision(account, send_at=NOW, status="done")
    make_decision(lost_account(), send_at=NOW)
    decision = make_decision(account)
    due = NOW + reviewing.UNDO_FOR

    assert push_decisions.next_decision(now=NOW) == due
    push_decisions.send_decisions(now=due - MOMENT)
    decision.refresh_from_db()
    assert (decision.status, decision.claimed_at) == ("intended", None)
    Decision.objects.filter(pk=decision.pk).update(claimed_at=due)
    assert push_decisions.next_decision(now=due) == due + push_decisions.CLAIM


def test_next_approval_is_when_the_provider_is_asked_again(account: Account) -> None:
    batch = make_batch(account=account, status="open")
    by_hand = make_batch(account=account, status="open", review_by="hand")
    judged = {"status": "submitted", "judged_at": NOW}
    make_assignment(hit=make_hit(batch=by_hand), **judged)
    make_assignment(hit=make_hit(batch=batch), status="submitted")
    make_assignment(hit=make_hit(batch=make_batch(account=lost_account(), status="open")), **judged)
    decided = make_assignment(hit=make_hit(batch=batch), **judged)
    Decision.objects.create(
        assignment=decided,
        kind="reject",
        status="waiting",
        reason="No.",
        by=make_user(),
        made_at=NOW,
        send_at=NOW,
    )
    assert push_decisions.next_approval(now=NOW) is None

    work = make_assignment(hit=make_hit(batch=batch), **judged)

    assert push_decisions.next_approval(now=NOW) == NOW
    Assignment.objects.filter(pk=work.pk).update(approve_at=NOW + MINUTE)
    assert push_decisions.next_approval(now=NOW) == NOW + MINUTE


def test_next_block_is_when_its_claim_is_over(account: Account) -> None:
    worker = make_worker(account=account)
    block = {"kind": "hard", "reason": "Random", "by": make_user(), "made_at": NOW}
    Block.objects.create(worker=make_worker(account=lost_account()), status="intended", **block)
    Block.objects.create(worker=make_worker(account=account), status="active", **block)
    assert blocking.next_block(now=NOW) is None

    row = Block.objects.create(worker=worker, status="intended", claimed_at=NOW, **block)
    due = NOW + blocking.CLAIM

    assert blocking.next_block(now=NOW) == due
    assert blocking.send_blocks(now=due, clock=lambda: due - MOMENT) == 0
    assert blocking.send_blocks(now=due, clock=lambda: due) == 1
    row.refresh_from_db()
    assert row.status == "active"


def make_recipient(account: Account, **changes: Any) -> Recipient:
    message = Message.objects.create(
        account=account, subject="Work", text="There is more.", by=make_user(), made_at=NOW
    )
    return Recipient.objects.create(message=message, worker=make_worker(account=account), **changes)


def test_next_message_is_when_a_killed_sender_leaves_it_unclear(account: Account) -> None:
    make_recipient(account, status="sent", sending_at=NOW)
    make_recipient(lost_account(), status="waiting")
    assert worker_letters.next_message(now=NOW) is None

    stale = make_recipient(account, status="sending", sending_at=NOW)
    due = NOW + worker_letters.SENDING_IS_STALE

    assert worker_letters.next_message(now=NOW) == due
    worker_letters.send_messages(now=due - MOMENT)
    stale.refresh_from_db()
    assert stale.status == "sending"
    worker_letters.send_messages(now=due)
    stale.refresh_from_db()
    assert stale.status == "unknown"
    make_recipient(account, status="waiting")
    assert worker_letters.next_message(now=due) == due


def test_next_count_of_a_large_batch_has_a_pause() -> None:
    counted = {"hits": 5_000, "counted_at": NOW.isoformat()}
    make_batch(status="open", figures={**counted, "hits": 9_000})
    batch = make_batch(status="open", figures=counted, is_stale=True)
    due = NOW + timedelta(seconds=5)

    assert batch_counters.next_count(now=NOW) == due
    assert batch_counters.refresh_stale(now=due - MOMENT) == 0
    assert batch_counters.refresh_stale(now=due) == 1
    assert batch_counters.next_count(now=due) is None
    make_batch(status="open", is_stale=True, study=batch.study)
    assert batch_counters.next_count(now=due) == due
