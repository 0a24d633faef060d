"""When sweeps over events have something to do because time has passed."""

from datetime import timedelta
from typing import Any

import pytest

from hits.providers.models.accounts import Account
from hits.sync.models import Notice
from hits.sync.services import event_inbox
from hits.work.models.hits import HIT
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_hit,
)
from tests.hits.notices import document
from tests.hits.spoiling import spoil
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


QUEUE = {"notify_by": "sqs", "notify_address": "http://127.0.0.1:9/q"}


@pytest.mark.parametrize(
    ("changes", "work", "is_polled"),
    [
        (QUEUE, {"status": "opened"}, True),
        (QUEUE, {"status": "submitted"}, True),
        (QUEUE, {"status": "approved"}, False),
        ({"notify_by": "webhook"}, {"status": "opened"}, False),
        ({**QUEUE, "notify_address": "nonsense"}, {"status": "opened"}, False),
    ],
)
def test_next_poll_comes_while_work_is_out(
    changes: dict[str, Any], work: dict[str, Any], is_polled: bool
) -> None:
    batch = make_batch(account=make_account(**changes), status="complete")
    make_assignment(hit=make_hit(batch=batch, status="closed"), **work)

    assert event_inbox.next_poll(now=NOW) == (NOW + event_inbox.POLL_EVERY if is_polled else None)


def test_next_poll_comes_while_a_hit_is_open() -> None:
    hit = make_hit(batch=make_batch(account=make_account(**QUEUE), status="open"))

    assert event_inbox.next_poll(now=NOW) == NOW + event_inbox.POLL_EVERY
    HIT.objects.filter(pk=hit.pk).update(status="closed")
    assert event_inbox.next_poll(now=NOW) is None


@pytest.mark.parametrize(
    ("account", "batch", "is_due"),
    [
        ({"notify_by": "webhook"}, {}, True),
        ({"notify_by": "webhook", "ticket_key": ""}, {}, False),
        ({"notify_by": "none"}, {}, False),
        ({"notify_by": "webhook"}, {"status": "complete"}, False),
        ({"notify_by": "webhook"}, {"hit_type_id": ""}, False),
        ({"notify_by": "webhook"}, {"notified_at": NOW}, False),
    ],
)
def test_next_subscription_is_in_the_next_window(
    account: dict[str, Any], batch: dict[str, Any], is_due: bool
) -> None:
    make_batch(account=make_account(**account), **{"status": "open", "hit_type_id": "TYPE1", **batch})

    for now in (NOW, NOW + timedelta(seconds=59)):
        assert event_inbox.next_subscription(now=now) == (NOW + MINUTE if is_due else None)


@pytest.mark.parametrize("column", ["secret_access_key", "ticket_key"])
def test_next_subscription_does_not_wait_for_a_lost_key(column: str, account: Account) -> None:
    make_batch(account=account, status="open", hit_type_id="TYPE1")
    spoil(account, column)

    assert event_inbox.next_subscription(now=NOW) is None


def test_next_purge_is_of_the_oldest_text_and_then_of_its_row(account: Account) -> None:
    notice = {"account": account, "body": document(), "received_at": NOW}
    Notice.objects.create(document_id="unread", **{**notice, "received_at": NOW - timedelta(days=90)})
    Notice.objects.create(document_id="read", handled_at=NOW, **notice)
    text, row = NOW + event_inbox.KEEP_BODIES, NOW + event_inbox.KEEP_ROWS

    assert event_inbox.next_purge(now=NOW) == text
    assert event_inbox.purge_notices(now=text - MOMENT) == 0
    assert event_inbox.purge_notices(now=text) == 1
    assert event_inbox.next_purge(now=text) == row
    event_inbox.purge_notices(now=row)
    assert list(Notice.objects.values_list("document_id", flat=True)) == ["unread"]
    assert event_inbox.next_purge(now=row) is None
