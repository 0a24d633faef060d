from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from hits.models import Assignment, Bonus
from hits.services import bonuses, reviewing
from tests.factories import NOW, make_assignment, make_bonus, make_hit, make_user, make_worker
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
Status = Bonus.Status
LATER = NOW + bonuses.SENDING_IS_STALE + timedelta(seconds=1)


@pytest.fixture
def work(turk: StubbedTurk) -> Assignment:
    """Approved work that the provider knows."""
    hit = make_hit(external_id="HIT0")
    turk.hits["HIT0"] = {"HITId": "HIT0", "RequesterAnnotation": "", "MaxAssignments": 1, "expired": False}
    assignment, worker = turk.submit("HIT0", answer="x")
    return make_assignment(
        hit=hit,
        external_id=assignment,
        worker=make_worker(account=hit.batch.account, external_id=worker),
        status="approved",
    )


def paid(turk: StubbedTurk) -> list[Decimal]:
    return [Decimal(row["BonusAmount"]) for row in turk.bonuses]


def status() -> str:
    return Bonus.objects.get().status


def test_pay_bonuses_sends_what_is_approved_once(work: Assignment, turk: StubbedTurk) -> None:
    bonus = make_bonus(assignment=work, amount=Decimal("0.27"))

    bonuses.pay_bonuses(now=NOW)
    bonuses.pay_bonuses(now=NOW)

    assert paid(turk) == [Decimal("0.27")]
    assert str(bonus.token) in turk.bonuses[0]["Reason"]
    assert status() == Status.SENT


def test_pay_bonuses_sends_nothing_that_nobody_approved(work: Assignment, turk: StubbedTurk) -> None:
    make_bonus(assignment=work, status="owed")

    bonuses.pay_bonuses(now=NOW)

    assert (paid(turk), status()) == ([], Status.OWED)


@pytest.mark.parametrize("fault", ["before", "after"])
def test_pay_bonus_of_unknown_outcome_is_settled_by_the_list(
    work: Assignment, turk: StubbedTurk, fault: str
) -> None:
    make_bonus(assignment=work)
    turk.faults["send_bonus"] = [fault]

    bonuses.pay_bonuses(now=NOW)
    unclear = status()
    bonuses.pay_bonuses(now=NOW)

    assert unclear == Status.UNKNOWN
    assert (paid(turk), status()) == ([Decimal("0.01")], Status.SENT)


def test_bonus_left_sending_by_a_crash_is_settled_by_the_list(work: Assignment, turk: StubbedTurk) -> None:
    bonus = make_bonus(assignment=work)
    bonuses.pay_bonus(bonus=bonus, provider=turk.provider, now=NOW)
    Bonus.objects.update(status=Status.SENDING, sent_at=None)

    bonuses.pay_bonuses(now=NOW)
    fresh = status()
    bonuses.pay_bonuses(now=LATER)

    assert fresh == Status.SENDING
    assert (paid(turk), status()) == ([Decimal("0.01")], Status.SENT)


def test_unknown_bonus_waits_while_the_list_cannot_be_read(work: Assignment, turk: StubbedTurk) -> None:
    make_bonus(assignment=work, status="unknown", sending_at=NOW)
    turk.faults["list_bonus_payments"] = ["before"]

    bonuses.pay_bonuses(now=NOW)

    assert (paid(turk), status()) == ([], Status.UNKNOWN)


def test_bonus_refused_by_the_provider_says_why(work: Assignment, turk: StubbedTurk) -> None:
    make_bonus(assignment=work, amount=Decimal(500))

    bonuses.pay_bonuses(now=NOW)

    assert (paid(turk), status()) == ([], Status.REFUSED)
    assert Bonus.objects.get().problem == "InsufficientFunds"


def test_bonus_whose_token_was_used_counts_as_sent_only_if_it_is_listed(
    work: Assignment, turk: StubbedTurk
) -> None:
    bonus = make_bonus(assignment=work)
    turk.tokens[str(bonus.token)] = "something else"

    bonuses.pay_bonuses(now=NOW)

    assert (paid(turk), status()) == ([], Status.REFUSED)


def test_confirm_bonuses_believes_the_list_alone(work: Assignment, turk: StubbedTurk) -> None:
    make_bonus(assignment=work, status="sent", sent_at=NOW)

    unlisted = bonuses.confirm_bonuses(now=NOW)
    Bonus.objects.update(status=Status.APPROVED)
    bonuses.pay_bonuses(now=NOW)
    listed = bonuses.confirm_bonuses(now=NOW)

    assert (unlisted, listed, status()) == (0, 1, Status.CONFIRMED)


def test_approve_bonuses_twice_approves_once() -> None:
    bonus = make_bonus(status="owed")
    first, second = make_user(), make_user()

    approved = bonuses.approve_bonuses(bonuses=[bonus], by=first, now=NOW)
    again = bonuses.approve_bonuses(bonuses=[Bonus.objects.get()], by=second, now=NOW)

    assert (approved, again) == (1, 0)
    assert Bonus.objects.get().approved_by == first


def test_database_refuses_a_second_bonus_by_one_rule_and_an_unapproved_payment() -> None:
    bonus = make_bonus(status="owed")

    with pytest.raises(IntegrityError), transaction.atomic():
        make_bonus(assignment=bonus.assignment, status="owed")
    with pytest.raises(IntegrityError), transaction.atomic():
        Bonus.objects.update(status=Status.SENT)

    assert (Bonus.objects.count(), status()) == (1, Status.OWED)


def test_approve_judged_approves_at_the_provider_once(work: Assignment, turk: StubbedTurk) -> None:
    Assignment.objects.update(status="submitted", judged_at=NOW)

    first = reviewing.approve_judged(now=NOW)
    second = reviewing.approve_judged(now=NOW)

    assert (first, second) == (1, 0)
    assert turk.assignments[work.external_id]["AssignmentStatus"] == "Approved"
    assert turk.calls.count("approve_assignment") == 1


def test_approve_judged_leaves_what_is_not_judged(work: Assignment, turk: StubbedTurk) -> None:
    Assignment.objects.update(status="submitted", judged_at=None)

    approved = reviewing.approve_judged(now=NOW)

    assert (approved, turk.calls) == (0, [])


def test_approve_judged_tries_again_after_a_fault(work: Assignment, turk: StubbedTurk) -> None:
    Assignment.objects.update(status="submitted", judged_at=NOW)
    turk.faults["approve_assignment"] = ["after"]

    first = reviewing.approve_judged(now=NOW)
    second = reviewing.approve_judged(now=NOW)

    assert (first, second) == (0, 1)
    assert Assignment.objects.get().status == Assignment.Status.APPROVED
