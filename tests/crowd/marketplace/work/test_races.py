"""Concurrent calls: each gets a true answer, and no worker gets a place or a cent twice."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.db import connections
from django.utils import timezone

from crowd.marketplace.models import HIT, Assignment, BonusPayment, RequestToken
from crowd.marketplace.services import work
from tests.conftest import Sites
from tests.crowd.marketplace.api import client_of, hit_input
from tests.crowd.marketplace.rows import Facts, accept, available, balances, facts, hand_in, post_hit
from tests.factories import NOW, invite, make_requester

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 6


def all_at_once(*deeds: Callable[[], object]) -> Counter[object]:
    """Run all at once and count the outcomes; a refusal is the name of its error or its code."""
    with ThreadPoolExecutor(len(deeds)) as pool:
        return Counter(pool.map(outcome, deeds))


def outcome(deed: Callable[[], object]) -> object:
    try:
        return deed()
    except work.NotAvailable as refusal:
        return type(refusal).__name__
    except ClientError as error:
        response: Any = error.response
        return response.get("TurkErrorCode", response["Error"]["Code"])
    finally:
        connections.close_all()


def test_last_place_goes_to_one_worker() -> None:
    hit = post_hit(max_assignments=2)
    workers = [invite()[0] for _ in range(AT_ONCE)]

    def take(place: int) -> Callable[[], object]:
        return lambda: accept(hit, worker=workers[place]).status

    outcomes = all_at_once(*(take(number) for number in range(AT_ONCE)))

    assert outcomes == {"Accepted": 2, "NotAvailable": AT_ONCE - 2}
    assert facts(hit) == Facts(status="Unassignable", available=0, pending=2, completed=0)


def test_double_click_on_accept_takes_one_place() -> None:
    hit = post_hit(max_assignments=AT_ONCE)
    worker, _ = invite()

    outcomes = all_at_once(*[lambda: accept(hit, worker=worker).status] * AT_ONCE)

    assert outcomes == {"Accepted": AT_ONCE}
    assert (hit.assignments.count(), facts(hit).pending) == (1, 1)


def test_double_click_on_submit_counts_once() -> None:
    hit = post_hit(delay_s=0, reward="1.00")
    assignment = accept(hit)

    def submit() -> bool:
        return work.submit_assignment(assignment=assignment, answer="<answer/>", now=NOW)

    outcomes = all_at_once(*[submit] * AT_ONCE)

    assert outcomes == {True: 1, False: AT_ONCE - 1}
    assert balances(hit.requester)["workers"] == 1


def test_settling_at_once_is_settling_once() -> None:
    hit = post_hit(delay_s=60, reward="1.00", max_assignments=5)
    for _ in range(2):
        hand_in(hit)
        accept(hit)
    later = NOW + (hit.expires_at - NOW)

    all_at_once(*[lambda: work.settle(now=later)] * AT_ONCE)

    assert facts(hit, now=later) == Facts(status="Reviewable", available=0, pending=0, completed=2)
    assert available(hit.requester) == 98
    assert balances(hit.requester)["held"] == 0


def test_one_token_at_once_makes_one_hit(sites: Sites) -> None:
    client = client_of(sites, make_requester(now=timezone.now()))
    terms = hit_input(UniqueRequestToken="once")

    outcomes = all_at_once(*[lambda: client.create_hit(**terms)["HIT"]["HITStatus"]] * AT_ONCE)

    assert outcomes == {"Assignable": 1, "AWS.MechanicalTurk.HitAlreadyExists": AT_ONCE - 1}
    assert (HIT.objects.count(), RequestToken.objects.count()) == (1, 1)


@pytest.mark.parametrize("tokens", [False, True])
def test_hits_made_at_once_are_all_made(sites: Sites, *, tokens: bool) -> None:
    credentials = make_requester(now=timezone.now())
    client = client_of(sites, credentials)

    def create(number: int) -> Callable[[], object]:
        token = {"UniqueRequestToken": f"token-{number}"} if tokens else {}
        return lambda: client.create_hit(**hit_input(Reward="1.00", **token))["HIT"]["HITStatus"]

    outcomes = sum(
        (all_at_once(*map(create, range(n, n + AT_ONCE))) for n in range(0, 60, AT_ONCE)), Counter()
    )

    assert outcomes == {"Assignable": 60}
    assert available(credentials.requester) == 40


def test_hits_made_at_once_never_overdraw(sites: Sites) -> None:
    credentials = make_requester(deposit=Decimal(2), now=timezone.now())
    client = client_of(sites, credentials)
    terms = hit_input(Reward="1.00")

    outcomes = all_at_once(*[lambda: client.create_hit(**terms)["HIT"]["HITStatus"]] * AT_ONCE)

    assert outcomes == {"Assignable": 2, "AWS.MechanicalTurk.InsufficientFunds": AT_ONCE - 2}
    assert available(credentials.requester) == 0
    assert HIT.objects.count() == 2


def test_bonus_and_review_of_one_assignment_at_once_both_happen(sites: Sites) -> None:
    credentials = make_requester(now=timezone.now())
    client = client_of(sites, credentials)
    hit = post_hit(requester=credentials.requester, reward="1.00", max_assignments=10, now=timezone.now())
    done = [hand_in(hit, now=timezone.now()) for _ in range(10)]

    def pay(assignment: Assignment) -> str:
        client.send_bonus(
            WorkerId=assignment.worker.external_id,
            AssignmentId=assignment.external_id,
            BonusAmount="0.10",
            Reason="Well done.",
            UniqueRequestToken=assignment.external_id,
        )
        return "paid"

    def reject(assignment: Assignment) -> str:
        client.reject_assignment(AssignmentId=assignment.external_id, RequesterFeedback="No.")
        return "rejected"

    outcomes: Counter[object] = Counter()
    for assignment in done:
        outcomes += all_at_once(partial(pay, assignment), partial(reject, assignment))

    assert outcomes == {"paid": 10, "rejected": 10}
    assert BonusPayment.objects.count() == 10
    assert available(credentials.requester) == 99
