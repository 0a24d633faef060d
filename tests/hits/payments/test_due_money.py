"""When sweeps over money have something to do because time has passed."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hits.ledger.models.bonuses import Bonus
from hits.payments.models.matches import Match
from hits.payments.models.runs import Halt
from hits.payments.services import compensation, compensation_hits, paying, payment_outcomes, three_way_match
from hits.providers.models.accounts import Account
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_user,
)
from tests.hits.spoiling import lost_account, spoil
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
MOMENT = timedelta(microseconds=1)
MINUTE = timedelta(minutes=1)
TOMORROW_AT_THREE = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _provider(turk: StubbedTurk) -> None:
    """Put the stubbed provider behind every account whose secret can be read."""


@pytest.fixture
def account() -> Account:
    return make_account(notify_by="webhook")


def make_owed(account: Account, **changes: Any) -> Bonus:
    hit = make_hit(batch=make_batch(account=account, status="complete"), status="closed")
    return make_bonus(assignment=make_assignment(hit=hit, status="approved"), **changes)


def test_next_payment_is_of_what_may_be_sent(account: Account) -> None:
    held = {"held_at": NOW, "held_by": make_user(), "held_reason": "Odd."}
    make_owed(account, **held)
    make_owed(account, status="owed")
    make_owed(account, status="sent", look_at=NOW)
    make_owed(lost_account())
    assert paying.next_payment(now=NOW) is None

    bonus = make_owed(account, look_at=NOW + MINUTE)

    assert paying.next_payment(now=NOW) == NOW + MINUTE
    Bonus.objects.filter(pk=bonus.pk).update(look_at=None)
    assert paying.next_payment(now=NOW) == NOW


@pytest.mark.parametrize("everywhere", [True, False])
def test_next_payment_waits_for_no_halt(everywhere: bool, account: Account) -> None:
    make_owed(account)
    halt = Halt.objects.create(account=None if everywhere else account, reason="Odd sums", at=NOW)
    assert paying.next_payment(now=NOW) is None

    make_owed(account, status="unknown", look_at=NOW + MINUTE)  # an unknown outcome is settled all the same

    assert paying.next_payment(now=NOW) == NOW + MINUTE
    Halt.objects.filter(pk=halt.pk).update(lifted_at=NOW)
    assert paying.next_payment(now=NOW) == NOW


def test_next_payment_is_when_one_that_is_being_sent_is_unclear(account: Account) -> None:
    bonus = make_owed(account, status="sending", sending_at=NOW)
    due = NOW + payment_outcomes.SENDING_IS_STALE

    assert paying.next_payment(now=NOW) == due
    paying.pay_bonuses(now=due - MOMENT)
    bonus.refresh_from_db()
    assert bonus.status == "sending"
    paying.pay_bonuses(now=due)
    bonus.refresh_from_db()
    assert bonus.status != "sending"


def test_next_confirmation_is_the_next_look_at_the_list(account: Account) -> None:
    make_owed(account, status="unknown", look_at=NOW)
    make_owed(lost_account(), status="sent", look_at=NOW)
    make_owed(account, status="sent", look_at=NOW + MINUTE)

    for now in (NOW, NOW + MINUTE):
        assert paying.next_confirmation(now=now) == NOW + MINUTE


def make_compensating(account: Account, *, status: str = "draft", **changes: Any) -> Bonus:
    batch = make_batch(account=account, status=status, task="compensation")
    return make_owed(account, status="compensating", compensation=batch, **changes)


@pytest.mark.parametrize("why", ["", "held", "halted", "account", "worker", "launched"])
def test_next_compensation_is_now_for_what_can_be_sent(why: str, account: Account) -> None:
    status = "open" if why == "launched" else "draft"
    held = {"held_at": NOW, "held_by": make_user(), "held_reason": "Odd."} if why == "held" else {}
    bonus = make_compensating(account, status=status, **held)
    if why == "halted":
        Halt.objects.create(account=account, reason="Odd sums", at=NOW)
    if why == "account":
        spoil(account, "secret_access_key")
    if why == "worker":
        spoil(bonus.assignment.worker, "external_id")

    assert compensation.next_compensation(now=NOW) == (None if why else NOW)


def test_next_compensation_is_when_a_lost_hit_comes_back_no_more(account: Account) -> None:
    bonus = make_compensating(account, status="complete")
    assert bonus.compensation is not None
    make_hit(batch=bonus.compensation, status="closed", problem="Lost.", expires_at=NOW)
    due = NOW + compensation_hits.LOST_FOR

    assert compensation.next_compensation(now=NOW) == due
    assert compensation.send_compensations(now=due - MOMENT) == 0
    assert compensation.next_compensation(now=due - MOMENT) == due
    assert compensation.next_compensation(now=due) is None
    assert compensation.send_compensations(now=due) == 1


def test_next_match_is_each_morning_for_accounts_in_use(account: Account) -> None:
    assert three_way_match.next_match(now=NOW) is None
    make_batch(account=account, status="draft")
    assert three_way_match.next_match(now=NOW) is None
    make_batch(account=account, status="complete")
    assert three_way_match.next_match(now=NOW) == NOW

    Match.objects.create(account=account, status="done", started_at=NOW, ended_at=NOW)

    assert three_way_match.next_match(now=NOW) == TOMORROW_AT_THREE
    assert three_way_match.start_due(now=TOMORROW_AT_THREE - MOMENT) == []
    assert three_way_match.next_match(now=TOMORROW_AT_THREE) == TOMORROW_AT_THREE
    assert len(three_way_match.start_due(now=TOMORROW_AT_THREE)) == 1


def test_next_match_is_the_next_step_or_another_try(account: Account) -> None:
    make_batch(account=account, status="complete")
    match = Match.objects.create(account=account, started_at=NOW, look_at=NOW + MINUTE)
    assert three_way_match.next_match(now=NOW) == NOW + MINUTE

    Match.objects.filter(pk=match.pk).update(status="failed", ended_at=NOW, look_at=None)

    due = NOW + three_way_match.GIVE_UP
    assert three_way_match.next_match(now=due - MOMENT) == due
    assert three_way_match.start_due(now=due - MOMENT) == []
    assert three_way_match.next_match(now=due) == due
    assert len(three_way_match.start_due(now=due)) == 1
