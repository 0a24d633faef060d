"""When sweeps over HITs have something to do because time has passed."""

from datetime import timedelta
from typing import Any

import pytest

from hits.batches.services import hit_changes, sending_hits
from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import earliest, earliest_or_now
from hits.sync.services import full_scan, reconciling
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT, Change
from hits.work.services import leasing
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_hit,
)
from tests.hits.spoiling import lost_account, spoil
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


def test_rows_of_an_account_that_cannot_be_used_wait_for_a_person(account: Account) -> None:
    lost = make_batch(account=lost_account(), status="open")
    make_hit(batch=lost, look_at=NOW)
    make_hit(batch=make_batch(account=account, status="open"), look_at=NOW + MINUTE)
    rows = HIT.objects.all()

    assert earliest(rows, "look_at") == NOW
    assert earliest(rows, "look_at", account="batch__account") == NOW + MINUTE
    assert earliest(rows.filter(batch=lost), "look_at", account="batch__account") is None


def test_row_without_its_moment_is_due_now_if_its_account_can_be_used(account: Account) -> None:
    make_hit(batch=make_batch(account=lost_account(), status="open"), look_at=None)
    make_hit(batch=make_batch(account=account, status="open"), look_at=NOW + MINUTE)
    rows, way = HIT.objects.all(), "batch__account"

    before = earliest_or_now(rows, "look_at", account=way, now=NOW)
    make_hit(batch=make_batch(account=account, status="open"), look_at=None)

    assert before == NOW + MINUTE
    assert earliest_or_now(rows, "look_at", account=way, now=NOW) == NOW


@pytest.mark.parametrize("status", ["launching", "draining"])
def test_next_launch_is_when_a_claim_is_over(status: str, account: Account) -> None:
    batch = make_batch(account=account, status=status)
    hit = {"status": "intended", "external_id": "", "sent_at": None, "look_at": None, "asked_at": NOW}
    make_hit(batch=batch, claimed_at=NOW, **hit)
    due = NOW + sending_hits.CLAIM

    early = sending_hits.send_launching_batches(now=due - MOMENT, clock=lambda: due - MOMENT)
    claimed = sending_hits.next_launch(now=due - MOMENT)
    sending_hits.send_launching_batches(now=due, clock=lambda: due)

    assert (early, claimed) == (0, due)
    assert HIT.objects.get().status == HIT.Status.OPEN
    assert sending_hits.next_launch(now=due) is None


@pytest.mark.parametrize(
    ("batch", "due"),
    [
        ({"status": "launching"}, True),
        ({"status": "launching", "pilot_hits": 1}, False),
        ({"status": "launching", "pilot_hits": 1, "pilot_released_at": NOW}, True),
        ({"status": "paused"}, False),
        ({"status": "paused_funds"}, False),
        ({"status": "draft"}, False),
        ({"status": "launching", "account": "lost"}, False),
    ],
)
def test_next_launch_is_now_for_what_may_be_sent(batch: dict[str, Any], due: bool) -> None:
    batch = {**batch, "account": lost_account() if "account" in batch else make_account()}
    hit = {"status": "intended", "external_id": "", "sent_at": None, "look_at": None}
    make_hit(batch=make_batch(**batch), number=2, **hit)

    assert sending_hits.next_launch(now=NOW) == (NOW if due else None)


def test_next_change_is_when_a_claim_is_over(account: Account) -> None:
    hit = make_hit(batch=make_batch(account=account, status="open"), expires_at=NOW + timedelta(days=1))
    Change.objects.create(hit=hit, kind="expire", made_at=NOW, claimed_at=NOW)
    behind = Change.objects.create(hit=hit, kind="add", places=1, made_at=NOW)

    assert hit_changes.next_change(now=NOW) == NOW + hit_changes.CLAIM
    Change.objects.exclude(pk=behind.pk).update(status="done")
    assert hit_changes.next_change(now=NOW) == NOW
    spoil(account, "secret_access_key")
    assert hit_changes.next_change(now=NOW) is None


def test_next_change_asks_again_where_an_end_was_refused(account: Account) -> None:
    batch = make_batch(account=account, status="paused")
    hit = make_hit(batch=batch, expires_at=NOW + timedelta(days=1))
    refused = Change.objects.create(hit=hit, kind="expire", made_at=NOW, status="refused", done_at=NOW)
    due = NOW + hit_changes.AGAIN

    assert hit_changes.next_change(now=due - MOMENT) == due
    hit_changes.hold_back(now=due - MOMENT)
    assert list(Change.objects.all()) == [refused]
    assert hit_changes.next_change(now=due) is None
    hit_changes.hold_back(now=due)
    assert Change.objects.filter(status="intended").count() == 1


@pytest.mark.parametrize(
    ("batch", "hit"),
    [
        ({"status": "open"}, {}),
        ({"status": "paused", "problem": "Refused."}, {}),
        ({"status": "draining"}, {"expires_at": NOW}),
        ({"status": "draining"}, {"status": "closed"}),
    ],
)
def test_next_change_leaves_what_is_not_held_back(batch: dict[str, Any], hit: dict[str, Any]) -> None:
    row = make_hit(batch=make_batch(**batch), **{"expires_at": NOW + timedelta(days=1), **hit})
    make_association(study=row.batch.study)
    Change.objects.create(hit=row, kind="expire", made_at=NOW, status="refused", done_at=NOW)

    assert hit_changes.next_change(now=NOW) is None


def test_next_look_is_the_first_hit_that_is_open(account: Account) -> None:
    batch = make_batch(account=account, status="open")
    make_hit(batch=batch, status="closed", look_at=NOW)
    make_hit(batch=make_batch(account=lost_account(), status="open"), look_at=NOW)
    make_hit(batch=batch, look_at=NOW + MINUTE)

    for now in (NOW, NOW + MINUTE - MOMENT, NOW + MINUTE):
        assert reconciling.next_look(now=now) == NOW + MINUTE


def test_next_look_is_when_work_approves_itself(account: Account) -> None:
    hit = make_hit(batch=make_batch(account=account, status="complete"), status="closed")
    make_assignment(hit=hit, status="submitted", auto_approves_at=NOW + MINUTE)
    make_assignment(hit=hit, status="submitted")
    make_assignment(hit=hit, status="approved", auto_approves_at=NOW)

    assert reconciling.next_look(now=NOW) == NOW + MINUTE
    spoil(account, "secret_access_key")
    assert reconciling.next_look(now=NOW) is None


def test_next_look_is_when_begun_work_of_a_closed_hit_is_given_up(account: Account) -> None:
    batch = make_batch(account=account, status="open")
    work = make_assignment(hit=make_hit(batch=batch, status="closed"), deadline_at=NOW)
    make_assignment(hit=make_hit(batch=batch, look_at=NOW + timedelta(days=1)), deadline_at=NOW - MINUTE)
    due = NOW + leasing.GRACE

    assert reconciling.next_look(now=NOW) == due
    assert leasing.release_overdue(now=due - MOMENT) == 0
    assert leasing.release_overdue(now=due) == 1
    assert Assignment.objects.get(pk=work.pk).status == Assignment.Status.GONE
    assert reconciling.next_look(now=due) == NOW + timedelta(days=1)


def test_next_survey_is_the_next_pass(account: Account) -> None:
    lost_account()
    assert full_scan.next_survey(now=NOW) == NOW

    full_scan.survey(now=NOW)

    due = NOW + timedelta(minutes=10)
    assert full_scan.next_survey(now=NOW) == due
    full_scan.survey(now=due - MOMENT)
    account.refresh_from_db()
    assert account.surveyed_at == NOW
    full_scan.survey(now=due)
    account.refresh_from_db()
    assert account.surveyed_at == due


def test_next_survey_reads_what_has_ended_while_hits_are_open(account: Account) -> None:
    Account.objects.filter(pk=account.pk).update(surveyed_at=NOW)
    hit = make_hit(batch=make_batch(account=account, status="open"))

    assert full_scan.next_survey(now=NOW) == NOW + full_scan.READ_ENDED_EVERY
    assert full_scan.next_survey(now=NOW + timedelta(seconds=595)) == NOW + timedelta(minutes=10)
    HIT.objects.filter(pk=hit.pk).update(status="closed")
    assert full_scan.next_survey(now=NOW) == NOW + timedelta(minutes=10)
