"""More assignments and another expiration, through boto3, and the money that each change moves."""

from datetime import timedelta

import pytest
from django.utils import timezone

from crowd.marketplace.models import HIT, RequestToken
from crowd.marketplace.services import work
from tests.conftest import Sites
from tests.crowd.marketplace.api import Answer, Refusal, refused, send, signed
from tests.crowd.marketplace.caller import (
    MISSING,
    NO_MONEY,
    PARAMETER,
    PARAMETER_WITH_CODE,
    SERIALIZATION,
    Caller,
    Money,
    add,
    caller_with,
    done_by_somebody,
    expired,
    refused_to_add,
    row,
    set_expiration,
    taken_by_somebody,
)
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)


def test_additional_assignments_may_not_cross_to_ten(caller: Caller) -> None:
    hit_id = caller.create(MaxAssignments=9)

    refusal = refused_to_add(caller, hit_id, 1)

    assert refusal == Refusal(code="InvalidMaximumAssignmentsIncrease")
    assert caller.state(hit_id) == ("Assignable", 9, 9)
    assert caller.money == Money(available="91.00", held="9.00")


def test_additional_assignments_to_ten_hold_their_money(caller: Caller) -> None:
    hit_id = caller.create(MaxAssignments=10)

    add(caller, hit_id, 5)

    assert caller.state(hit_id) == ("Assignable", 15, 15)
    assert caller.money == Money(available="85.00", held="15.00")


def test_additional_assignments_twice_with_one_token_come_once(caller: Caller) -> None:
    hit_id = caller.create()
    add(caller, hit_id, 2, UniqueRequestToken="once")

    refusal = refused_to_add(caller, hit_id, 2, UniqueRequestToken="once")

    assert refusal.kind == "RequestError"
    assert caller.state(hit_id) == ("Assignable", 3, 3)
    assert caller.money == Money(available="97.00", held="3.00")


def test_additional_assignments_open_a_full_hit_again(caller: Caller) -> None:
    hit_id = caller.create()
    done_by_somebody(hit_id)
    caller.api.update_hit_review_status(HITId=hit_id)

    add(caller, hit_id, 1)

    assert caller.state(hit_id) == ("Assignable", 2, 1)
    assert caller.money == Money(available="98.00", held="2.00")
    done_by_somebody(hit_id)
    assert caller.state(hit_id) == ("Reviewable", 2, 0)


def test_additional_assignments_of_an_expired_hit_cost_nothing_until_it_opens(caller: Caller) -> None:
    hit_id = expired(caller)

    add(caller, hit_id, 2)

    assert caller.state(hit_id) == ("Reviewable", 3, 0)
    assert caller.money == Money(available="100.00", held="0.00")
    caller.api.update_expiration_for_hit(HITId=hit_id, ExpireAt=timezone.now() + timedelta(hours=1))
    assert caller.state(hit_id) == ("Assignable", 3, 3)
    assert caller.money == Money(available="97.00", held="3.00")


def test_additional_assignments_beyond_the_balance_are_refused(caller: Caller) -> None:
    hit_id = caller.create(Reward="30.00")

    assert refused_to_add(caller, hit_id, 3, UniqueRequestToken="once") == NO_MONEY
    assert caller.state(hit_id) == ("Assignable", 1, 1)
    assert RequestToken.objects.count() == 0
    add(caller, hit_id, 2, UniqueRequestToken="once")
    assert caller.money == Money(available="10.00", held="90.00")


def test_additional_assignments_in_senseless_numbers_are_refused(caller: Caller) -> None:
    hit_id = caller.create(MaxAssignments=10)
    wanted = [
        (0, PARAMETER),
        (-1, PARAMETER),
        (1_000_000_000, PARAMETER),
        (2**70, PARAMETER),
        ("1", SERIALIZATION),
    ]

    got = [(more, refused_to_add(caller, hit_id, more)) for more, _ in wanted]

    assert got == wanted
    assert refused_to_add(caller, "3NOSUCHHIT", 1) == MISSING
    assert caller.state(hit_id) == ("Assignable", 10, 10)


@pytest.mark.parametrize("ago", [timedelta(0), timedelta(seconds=1), timedelta(days=400)])
def test_update_expiration_to_the_past_expires_at_once(caller: Caller, ago: timedelta) -> None:
    hit_id = caller.create(MaxAssignments=2)
    pending = taken_by_somebody(hit_id)

    set_expiration(caller, hit_id, timezone.now() - ago)

    assert caller.state(hit_id) == ("Unassignable", 2, 0)
    assert caller.hit(hit_id)["Expiration"] <= timezone.now()
    assert caller.money == Money(available="99.00", held="1.00")
    work.submit_assignment(assignment=pending, answer="<answer/>", now=timezone.now())
    assert caller.state(hit_id) == ("Reviewable", 2, 0)
    assert caller.money == Money(available="99.00", held="1.00")


def test_update_expiration_to_another_time_moves_it(caller: Caller) -> None:
    hit_id = caller.create(LifetimeInSeconds=3600)

    for life in (timedelta(days=2), timedelta(minutes=5)):
        at = (timezone.now() + life).replace(microsecond=0)
        set_expiration(caller, hit_id, at)

        assert caller.hit(hit_id)["Expiration"] == at
        assert caller.state(hit_id) == ("Assignable", 1, 1)
        assert caller.money == Money(available="99.00", held="1.00")


def test_update_expiration_opens_an_expired_hit_again(caller: Caller) -> None:
    hit_id = expired(caller, MaxAssignments=2)
    caller.api.update_hit_review_status(HITId=hit_id)

    set_expiration(caller, hit_id, timezone.now() + timedelta(days=1))

    assert caller.state(hit_id) == ("Assignable", 2, 2)
    assert caller.money == Money(available="98.00", held="2.00")


def test_update_expiration_opens_no_hit_that_is_full(caller: Caller) -> None:
    hit_id = caller.create()
    done_by_somebody(hit_id)

    set_expiration(caller, hit_id, timezone.now() + timedelta(days=1))

    assert caller.state(hit_id) == ("Reviewable", 1, 0)
    assert caller.money == Money(available="99.00", held="1.00")


def test_update_expiration_of_a_full_hit_keeps_later_assignments_shut(caller: Caller) -> None:
    hit_id = caller.create()
    done_by_somebody(hit_id)

    set_expiration(caller, hit_id, 0)
    add(caller, hit_id, 1)

    assert caller.state(hit_id) == ("Reviewable", 2, 0)
    assert caller.money == Money(available="99.00", held="1.00")


def test_update_expiration_without_the_money_stays_expired(caller: Caller) -> None:
    hit_id = expired(caller, Reward="60.00")
    caller.create(Reward="60.00")

    in_an_hour = timezone.now() + timedelta(hours=1)
    assert refused(caller.api.update_expiration_for_hit, HITId=hit_id, ExpireAt=in_an_hour) == NO_MONEY
    assert caller.state(hit_id) == ("Reviewable", 1, 0)
    assert caller.hit(hit_id)["Expiration"] <= timezone.now()
    assert caller.money == Money(available="40.00", held="60.00")


def test_update_expiration_far_ahead_is_kept(caller: Caller) -> None:
    hit_id = caller.create()

    in_nine_years = timezone.now().replace(microsecond=0) + timedelta(days=9 * 365)

    set_expiration(caller, hit_id, in_nine_years)

    assert caller.state(hit_id) == ("Assignable", 1, 1)
    assert caller.hit(hit_id)["Expiration"] == in_nine_years


def test_update_expiration_reads_what_clients_write_for_an_instant(sites: Sites) -> None:
    """boto3 writes instants as numbers; other clients write text, or nonsense."""
    credentials = make_requester(now=timezone.now())
    hit_id = caller_with(sites, credentials).create()
    in_an_hour = (timezone.now() + timedelta(hours=1)).replace(microsecond=0)
    good: list[object] = [in_an_hour.timestamp(), in_an_hour.isoformat(), f"{in_an_hour:%Y-%m-%dT%H:%M:%SZ}"]
    bad: list[object] = [
        "tomorrow",
        "",
        float("nan"),
        float("inf"),
        10**300,
        -(10**18),
        "9999-12-31T23:59:59Z",
    ]

    def sent(at: object) -> Answer:
        body = {"HITId": hit_id, "ExpireAt": at}
        return send(signed(sites, credentials, operation="UpdateExpirationForHIT", body=body))

    for at in good:
        HIT.objects.update(expires_at=timezone.now() + timedelta(minutes=1))
        assert (at, sent(at).status) == (at, 200)
        assert row(hit_id).expires_at == in_an_hour
    assert [(at, sent(at).refusal) for at in bad] == [(at, PARAMETER_WITH_CODE) for at in bad]
    assert [sent([]).refusal, sent({}).refusal, sent(at=True).refusal] == [SERIALIZATION] * 3
    assert row(hit_id).expires_at == in_an_hour
