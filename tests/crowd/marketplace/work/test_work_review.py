"""Approval, rejection, override, automatic approval and bonuses, with the money they move."""

from datetime import timedelta
from decimal import Decimal

import pytest

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RequestError
from crowd.marketplace.models import HIT, Assignment, BonusPayment
from crowd.marketplace.services import hit_endings, reviewing, work
from tests.crowd.marketplace.rows import (
    Facts,
    accept,
    available,
    balances,
    facts,
    hand_in,
    post_hit,
    status_of,
)
from tests.factories import NOW, make_requester

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def amazon_hit(*, delay_s: int = 3600) -> HIT:
    """A HIT of three places at a dollar and twenty cents each, of a requester with ten dollars."""
    requester = make_requester(deposit=Decimal(10), fee_schedule="amazon").requester
    return post_hit(requester=requester, reward="1.00", max_assignments=3, delay_s=delay_s)


def approve(assignment: Assignment, *, override: bool = False, days: int = 0) -> None:
    reviewing.approve_assignment(
        assignment=assignment, feedback="Thanks.", override=override, now=NOW + timedelta(days=days)
    )


def reject(assignment: Assignment) -> None:
    reviewing.reject_assignment(assignment=assignment, feedback="No.", now=NOW)


def pay(assignment: Assignment, amount: str) -> None:
    with atomic():
        reviewing.pay_bonus(
            requester=assignment.hit.requester,
            assignment=assignment,
            amount=Decimal(amount),
            reason="Well done.",
            now=NOW,
        )


def money(hit: HIT) -> dict[str, Decimal]:
    """Ledger balances of the HIT's requester, without the deposits account."""
    found = balances(hit.requester)
    return {account: found[account] for account in sorted(found) if account != "deposits"}


def amounts(**values: str) -> dict[str, Decimal]:
    return {account: Decimal(value) for account, value in values.items()}


def refusal(assignment: Assignment, *, override: bool = False, days: int = 0) -> str:
    with pytest.raises(RequestError) as caught:
        approve(assignment, override=override, days=days)
    return caught.value.code


def test_create_hit_holds_every_place_with_its_fee() -> None:
    hit = amazon_hit()

    assert money(hit) == amounts(available="6.40", held="3.60")
    assert available(hit.requester) == Decimal("6.40")


def test_approve_pays_out_of_what_was_held() -> None:
    hit = amazon_hit()
    done = hand_in(hit)

    approve(done)

    done.refresh_from_db()
    assert (done.status, done.feedback, done.approved_at) == ("Approved", "Thanks.", NOW)
    assert money(hit) == amounts(available="6.40", fees="0.20", held="2.40", workers="1.00")
    assert facts(hit) == Facts(status="Assignable", available=2, pending=0, completed=1)


def test_approve_twice_is_refused_and_pays_once() -> None:
    hit = amazon_hit()
    done = hand_in(hit)
    approve(done)
    paid = money(hit)

    assert [refusal(done), refusal(done, override=True)] == ["InvalidAssignmentState"] * 2
    assert (money(hit), facts(hit).completed) == (paid, 1)


@pytest.mark.parametrize("status", ["Accepted", "Returned", "Abandoned"])
def test_review_of_what_was_not_handed_in_is_refused(status: str) -> None:
    hit = amazon_hit()
    assignment = accept(hit)
    if status == "Returned":
        work.return_assignment(assignment=assignment, now=NOW)
    if status == "Abandoned":
        work.settle(now=NOW + HOUR)
    before = (money(hit), facts(hit))

    assert refusal(assignment, override=True) == "InvalidAssignmentState"
    with pytest.raises(RequestError, match="status of: Submitted"):
        reject(assignment)

    assert status_of(assignment) == status
    assert (money(hit), facts(hit)) == before


def test_reject_releases_its_money_and_frees_no_place() -> None:
    hit = amazon_hit()
    done = hand_in(hit)

    reject(done)

    done.refresh_from_db()
    assert (done.status, done.feedback, done.rejected_at) == ("Rejected", "No.", NOW)
    assert money(hit) == amounts(available="7.60", held="2.40")
    assert facts(hit) == Facts(status="Assignable", available=2, pending=0, completed=1)


def test_reject_after_approval_is_refused() -> None:
    hit = amazon_hit()
    done = hand_in(hit)
    approve(done)
    before = money(hit)

    with pytest.raises(RequestError) as caught:
        reject(done)

    assert caught.value.code == "InvalidAssignmentState"
    assert (status_of(done), money(hit)) == ("Approved", before)


def test_approve_after_rejection_needs_the_override() -> None:
    hit = amazon_hit()
    done = hand_in(hit)
    reject(done)
    before = money(hit)

    assert refusal(done) == "InvalidAssignmentState"
    assert (status_of(done), money(hit)) == ("Rejected", before)


def test_override_approves_and_pays_anew() -> None:
    hit = amazon_hit()
    done = hand_in(hit)
    reject(done)

    approve(done, override=True, days=30)

    assert status_of(done) == "Approved"
    assert money(hit) == amounts(available="6.40", fees="0.20", held="2.40", workers="1.00")
    assert facts(hit) == Facts(status="Assignable", available=2, pending=0, completed=1)


def test_override_on_day_31_is_refused() -> None:
    hit = amazon_hit()
    done = hand_in(hit)
    reject(done)
    before = money(hit)

    assert refusal(done, override=True, days=31) == "InvalidAssignmentState"
    assert (status_of(done), money(hit)) == ("Rejected", before)


def test_override_without_money_is_refused() -> None:
    hit = amazon_hit()
    done, other = hand_in(hit), hand_in(hit)
    reject(done)
    pay(other, "6.00")

    assert refusal(done, override=True) == "InsufficientFunds"
    assert (status_of(done), available(hit.requester)) == ("Rejected", Decimal("0.40"))


def test_delay_of_zero_approves_at_submit() -> None:
    hit = amazon_hit(delay_s=0)

    done = hand_in(hit)

    assert (done.status, done.approved_at) == ("Approved", NOW)
    assert money(hit) == amounts(available="6.40", fees="0.20", held="2.40", workers="1.00")


def test_automatic_approval_comes_at_its_time() -> None:
    hit = amazon_hit()
    done = hand_in(hit)

    work.settle(now=NOW + HOUR - timedelta(seconds=1))
    assert status_of(done) == "Submitted"
    work.settle(now=NOW + HOUR)

    done.refresh_from_db()
    assert (done.status, done.approved_at) == ("Approved", NOW + HOUR)
    assert money(hit) == amounts(available="6.40", fees="0.20", held="2.40", workers="1.00")


def test_automatic_approval_seen_late_still_happened_at_its_time() -> None:
    done = hand_in(amazon_hit())

    work.settle(now=NOW + 5 * HOUR)

    done.refresh_from_db()
    assert (done.status, done.approved_at) == ("Approved", NOW + HOUR)


def test_automatic_approval_leaves_rejected_work_alone() -> None:
    hit = amazon_hit()
    done = hand_in(hit)
    reject(done)

    work.settle(now=NOW + HOUR)

    assert status_of(done) == "Rejected"
    assert money(hit) == amounts(available="7.60", held="2.40")


def test_bonus_spends_itself_and_its_fee() -> None:
    hit = amazon_hit()
    done = hand_in(hit)

    pay(done, "1.01")

    assert money(hit) == amounts(available="5.19", fees="0.20", held="3.60", workers="1.01")
    assert available(hit.requester) == Decimal("5.19")
    assert [(bonus.worker, bonus.amount) for bonus in BonusPayment.objects.all()] == [
        (done.worker, Decimal("1.01"))
    ]


def test_bonus_beyond_the_balance_with_its_fee_is_refused() -> None:
    hit = amazon_hit()
    done = hand_in(hit)
    before = money(hit)

    with pytest.raises(RequestError) as caught:
        pay(done, "5.34")

    assert caught.value.code == "InsufficientFunds"
    assert (money(hit), available(hit.requester)) == (before, Decimal("6.40"))
    assert BonusPayment.objects.count() == 0


def test_work_without_reward_or_fee_moves_no_money() -> None:
    requester = make_requester(deposit=Decimal(0)).requester
    hit = post_hit(requester=requester, reward="0.00", max_assignments=2)

    approve(hand_in(hit))
    hit_endings.expire_hit(hit=hit, now=NOW)

    assert balances(requester) == {}
    assert facts(hit) == Facts(status="Reviewable", available=0, pending=0, completed=1)
