"""The pace of an account's calls: shared by all processes, whatever their clocks say."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from hits.gateway.pacing import take_turn, wait_turn
from hits.models import Account, Pace
from tests.factories import make_account

pytestmark = pytest.mark.django_db
RATE = 2


@pytest.fixture
def account() -> Account:
    return make_account()


def test_what_was_not_used_of_the_last_second_may_leave_at_once(account: Account) -> None:
    waits = [take_turn(account_id=account.pk, rate=RATE) for _ in range(6)]

    assert all(wait <= 0 for wait in waits[: RATE + 1])
    assert 0 < waits[-2] < waits[-1] <= 3 / RATE


def test_a_process_whose_clock_is_an_hour_ahead_holds_up_nobody(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = timezone.now
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(timezone, "now", lambda: real() + timedelta(hours=1))
        take_turn(account_id=account.pk, rate=RATE)

    slept: list[float] = []
    wait_turn(account_id=account.pk, rate=RATE, sleep=slept.append)

    assert sum(slept) < 1


@pytest.mark.parametrize("ahead", [timedelta(minutes=1), timedelta(hours=1), timedelta(days=400)])
def test_an_impossible_turn_is_not_waited_for(account: Account, ahead: timedelta) -> None:
    """The database's own clock was wrong for a moment."""
    Pace.objects.create(account=account, free_at=Now() + ahead)

    assert take_turn(account_id=account.pk, rate=RATE) <= 0
    assert take_turn(account_id=account.pk, rate=RATE) <= 1 / RATE


def test_accounts_have_a_pace_each(account: Account) -> None:
    other = make_account(name="other")
    for _ in range(8):
        take_turn(account_id=account.pk, rate=RATE)

    assert take_turn(account_id=other.pk, rate=RATE) <= 0
