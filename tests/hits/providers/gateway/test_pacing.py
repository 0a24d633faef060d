"""The pace of an account's calls is shared by all processes, whatever their clocks say."""

import time
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from hits.core.errors import ProviderRefused, ProviderUnavailable
from hits.providers.gateway.boto import BotoProvider
from hits.providers.gateway.pacing import Line, take_turns
from hits.providers.models.accounts import Account, Pace
from tests.factories import make_account
from tests.people import sign_in_with
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
RATE = 2


@pytest.fixture
def account() -> Account:
    return make_account()


def test_what_was_not_used_of_the_last_second_may_leave_at_once(account: Account) -> None:
    waits = [turn_of(account) for _ in range(6)]

    assert all(wait <= 0 for wait in waits[: RATE + 1])
    assert 0 < waits[-2] < waits[-1] <= 3 / RATE


def test_a_process_whose_clock_is_an_hour_ahead_holds_up_nobody(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = timezone.now
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(timezone, "now", lambda: real() + timedelta(hours=1))
        turn_of(account)

    slept: list[float] = []
    Line(account_id=account.pk, rate=RATE, sleep=slept.append).wait()

    assert sum(slept) < 1


@pytest.mark.parametrize("ahead", [timedelta(minutes=1), timedelta(hours=1), timedelta(days=400)])
def test_an_impossible_turn_is_not_waited_for(account: Account, ahead: timedelta) -> None:
    """The database's own clock was wrong for a moment."""
    Pace.objects.create(account=account, free_at=Now() + ahead)

    assert turn_of(account) <= 0
    assert turn_of(account) <= 1 / RATE


def test_accounts_have_a_pace_each(account: Account) -> None:
    other = make_account(name="other")
    for _ in range(8):
        turn_of(account)

    assert turn_of(other) <= 0


@pytest.fixture
def provider(account: Account, turk: StubbedTurk) -> BotoProvider:
    return BotoProvider(turk, line=Line(account_id=account.pk, rate=200))


def test_a_provider_that_does_not_answer_is_seen_from_then_on(
    account: Account, provider: BotoProvider, turk: StubbedTurk, client: Client
) -> None:
    turk.faults["get_account_balance"] = ["before", "before"]
    for _ in range(2):
        with pytest.raises(ProviderUnavailable):
            provider.get_balance()
    silent = Pace.objects.get(account=account)
    sign_in_with(client, "view_account")

    lists = client.get(reverse("admin:hits_account_changelist")).content.decode()
    page = client.get(reverse("admin:hits_account_change", args=[account.pk])).content.decode()

    assert silent.silent_since is not None
    assert "ServiceFault" in silent.problem
    for shown in (lists, page):
        assert f"not since {silent.silent_since:%d %b %Y}" in shown
        assert silent.problem in shown


def test_any_answer_ends_the_silence(account: Account, provider: BotoProvider, turk: StubbedTurk) -> None:
    turk.faults["get_account_balance"] = ["before"]
    with pytest.raises(ProviderUnavailable):
        provider.get_balance()

    with pytest.raises(ProviderRefused):
        provider.get_hit("NOBODYS")

    pace = Pace.objects.get(account=account)
    assert (pace.silent_since, pace.problem) == (None, "")


def test_as_long_as_all_is_well_nothing_more_is_written(
    account: Account, turk: StubbedTurk, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    provider = BotoProvider(turk, line=Line(account_id=account.pk, rate=RATE))
    provider.get_balance()

    with django_assert_num_queries(2):  # the turn: read, and taken
        provider.get_balance()


def test_a_quick_accounts_turns_are_taken_several_at_once(
    account: Account, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    slept: list[float] = []
    line = Line(account_id=account.pk, rate=100, sleep=slept.append)
    take_turns(100, account_id=account.pk, rate=100)  # all that the last second left

    with django_assert_num_queries(4):
        for _ in range(20):
            line.wait()

    assert all(delay <= 20 / 100 for delay in slept)


def test_turns_that_were_not_used_within_a_second_are_forgotten(
    account: Account, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    line = Line(account_id=account.pk, rate=100, sleep=lambda _: None)
    line.wait()
    real = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: real() + 2)

    with django_assert_num_queries(2):
        line.wait()


def turn_of(account: Account) -> float:
    return take_turns(1, account_id=account.pk, rate=RATE)[1]
