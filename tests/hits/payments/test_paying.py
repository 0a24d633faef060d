from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from hits.batches.services import batch_counters
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Halt
from hits.payments.services import accrual, paying
from hits.payments.services.payment_outcomes import SENDING_IS_STALE
from hits.studies.models import Batch
from hits.sync.services import push_decisions
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from tests.factories import (
    NOW,
    approve,
    make_account,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_worker,
)
from tests.hits.posted import approved_work
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
Status = Bonus.Status
LATER = NOW + SENDING_IS_STALE + timedelta(seconds=1)


@pytest.fixture
def work(turk: StubbedTurk) -> Assignment:
    """Make approved work that the provider knows."""
    return approved_work(turk)


def paid(turk: StubbedTurk) -> list[Decimal]:
    return [Decimal(row["BonusAmount"]) for row in turk.bonuses]


def send(bonus: Bonus, turk: StubbedTurk, **changes: Any) -> None:
    """Send the bonus as the payer does, but record nothing of it here."""
    request: dict[str, Any] = {
        "assignment_external_id": bonus.assignment.external_id,
        "worker_external_id": bonus.assignment.worker.external_id,
        "amount": bonus.amount,
        "reason": bonus.reason_with_reference,
        "token": bonus.token,
    }
    turk.provider.send_bonus(**{**request, **changes})
    turk.calls.clear()


def status() -> str:
    return Bonus.objects.get().status


def test_pay_bonuses_sends_what_is_approved_once(work: Assignment, turk: StubbedTurk) -> None:
    bonus = make_bonus(assignment=work, amount=Decimal("0.27"))

    paying.pay_bonuses(now=NOW)
    paying.pay_bonuses(now=NOW)

    assert paid(turk) == [Decimal("0.27")]
    assert str(bonus.token) in turk.bonuses[0]["Reason"]
    assert status() == Status.SENT


def test_pay_bonuses_sends_nothing_that_nobody_approved(work: Assignment, turk: StubbedTurk) -> None:
    make_bonus(assignment=work, status="owed")

    paying.pay_bonuses(now=NOW)

    assert (paid(turk), status()) == ([], Status.OWED)


@pytest.mark.parametrize("fault", ["before", "after"])
def test_pay_bonus_of_unknown_outcome_is_settled_by_the_list(
    work: Assignment, turk: StubbedTurk, fault: str
) -> None:
    make_bonus(assignment=work)
    turk.faults["send_bonus"] = [fault]

    paying.pay_bonuses(now=NOW)
    unclear = status()
    paying.pay_bonuses(now=LATER)

    assert unclear == Status.UNKNOWN
    assert (paid(turk), status()) == ([Decimal("0.01")], Status.SENT)


@pytest.mark.parametrize("arrived", [True, False])
def test_bonus_left_sending_by_a_crash_is_settled_by_the_list(
    work: Assignment, turk: StubbedTurk, arrived: bool
) -> None:
    bonus = make_bonus(assignment=work, status="sending", sending_at=NOW)
    if arrived:
        send(bonus, turk)

    paying.pay_bonuses(now=NOW)
    fresh = status()
    paying.pay_bonuses(now=LATER)

    assert fresh == Status.SENDING
    assert (paid(turk), status()) == ([Decimal("0.01")], Status.SENT)


def test_unknown_bonus_waits_while_the_list_cannot_be_read(work: Assignment, turk: StubbedTurk) -> None:
    make_bonus(assignment=work, status="unknown", sending_at=NOW)
    turk.faults["list_bonus_payments"] = ["before"]

    paying.pay_bonuses(now=NOW)

    assert (paid(turk), status()) == ([], Status.UNKNOWN)


def test_bonus_refused_by_the_provider_says_why(work: Assignment, turk: StubbedTurk) -> None:
    make_bonus(assignment=work)
    turk.assignments[work.external_id]["WorkerId"] = "AANOTHER"

    paying.pay_bonuses(now=NOW)

    assert (paid(turk), status()) == ([], Status.REFUSED)
    assert Bonus.objects.values_list("problem", "refusal_code").get() == (
        "Another worker did it.",
        "InvalidParameterValue",
    )


def test_account_out_of_funds_stops_instead_of_refusing_one_after_the_other(
    work: Assignment, turk: StubbedTurk
) -> None:
    for rule in ("one", "two", "three"):
        make_bonus(assignment=work, rule=rule, amount=Decimal(400))

    paying.pay_bonuses(now=NOW)
    paying.pay_bonuses(now=LATER)

    assert turk.calls == ["send_bonus", "list_bonus_payments"]
    assert set(Bonus.objects.values_list("status", flat=True)) == {Status.APPROVED}
    halt = Halt.objects.get()
    assert (halt.account, halt.by, halt.lifted_at) == (work.account, None, None)
    assert "$1,200.00 are approved and wait" in halt.reason


def test_bonus_whose_token_was_used_counts_as_sent_only_if_it_is_listed(
    work: Assignment, turk: StubbedTurk
) -> None:
    bonus = make_bonus(assignment=work)
    turk.tokens[str(bonus.token)] = "something else"

    paying.pay_bonuses(now=NOW)

    assert (paid(turk), status()) == ([], Status.UNKNOWN)


def test_confirm_bonuses_believes_the_list_alone(work: Assignment, turk: StubbedTurk) -> None:
    make_bonus(assignment=work, status="sent", sent_at=NOW)

    unlisted = paying.confirm_bonuses(now=NOW)
    Bonus.objects.update(status=Status.APPROVED, look_at=None)
    paying.pay_bonuses(now=NOW)
    listed = paying.confirm_bonuses(now=NOW)

    assert (unlisted, listed, status()) == (0, 1, Status.CONFIRMED)


def test_database_refuses_a_second_bonus_by_one_rule_and_an_unapproved_payment() -> None:
    bonus = make_bonus(status="owed")

    with pytest.raises(IntegrityError), transaction.atomic():
        make_bonus(assignment=bonus.assignment, status="owed")
    with pytest.raises(IntegrityError), transaction.atomic():
        Bonus.objects.update(status=Status.SENT)

    assert (Bonus.objects.count(), status()) == (1, Status.OWED)


def test_approve_judged_approves_at_the_provider_once(work: Assignment, turk: StubbedTurk) -> None:
    Assignment.objects.update(status="submitted", judged_at=NOW)

    first = push_decisions.approve_judged(now=NOW)
    second = push_decisions.approve_judged(now=NOW)

    assert (first, second) == (1, 0)
    assert turk.assignments[work.external_id]["AssignmentStatus"] == "Approved"
    assert turk.calls.count("approve_assignment") == 1


def test_approve_judged_leaves_what_is_not_judged(work: Assignment, turk: StubbedTurk) -> None:
    Assignment.objects.update(status="submitted", judged_at=None)

    approved = push_decisions.approve_judged(now=NOW)

    assert (approved, turk.calls) == (0, [])


def test_approve_judged_tries_again_after_a_fault(work: Assignment, turk: StubbedTurk) -> None:
    Assignment.objects.update(status="submitted", judged_at=NOW)
    turk.faults["approve_assignment"] = ["after"]

    first = push_decisions.approve_judged(now=NOW)
    second = push_decisions.approve_judged(now=NOW)

    assert (first, second) == (0, 1)
    assert Assignment.objects.get().status == Assignment.Status.APPROVED


@pytest.mark.parametrize(("deed", "moves"), [("owed", 1), ("approved", 1), ("paid", 2), ("refused", 2)])
def test_batch_is_counted_anew_after_its_bonus_is(
    work: Assignment, turk: StubbedTurk, deed: str, moves: int
) -> None:
    if deed != "owed":
        make_bonus(assignment=work, status="owed" if deed == "approved" else "approved")
    if deed == "refused":
        turk.assignments[work.external_id]["WorkerId"] = "AANOTHER"
    Assignment.objects.update(judged_at=NOW)
    deeds: dict[str, Callable[[], object]] = {
        "owed": lambda: accrual.owe_bonuses(now=NOW),
        "approved": lambda: approve(Bonus.objects.all()),
    }

    deeds.get(deed, lambda: paying.pay_bonuses(now=NOW))()

    assert Batch.objects.values_list("is_stale", "marks").get() == (True, moves)


def test_batch_reserves_no_bonus_that_was_not_earned(work: Assignment) -> None:
    """The bonus table was read, and nothing is owed: the amount reserved for bonuses is free again."""
    Assignment.objects.update(judged_at=NOW)
    HIT.objects.update(status="closed", closed_at=NOW)
    batch_counters.refresh(batch=Batch.objects.get(), now=NOW)

    accrual.owe_bonuses(now=NOW)
    batch_counters.refresh_stale(now=NOW)

    assert Batch.objects.get().reserved == Decimal("0.03")


@pytest.mark.parametrize(
    ("status", "operation", "sweep"),
    [
        (Status.APPROVED, "send_bonus", paying.pay_bonuses),
        (Status.UNKNOWN, "list_bonus_payments", paying.pay_bonuses),
        (Status.SENT, "list_bonus_payments", paying.confirm_bonuses),
    ],
)
def test_account_that_does_not_answer_is_asked_once_in_a_run(
    work: Assignment, turk: StubbedTurk, status: str, operation: str, sweep: Callable[..., int]
) -> None:
    """Each call waits for a time-out, and the other accounts' payments would wait for all of them."""
    begun = {} if status == Status.APPROVED else {"sending_at": NOW, "sent_at": NOW}
    for rule in ("one", "two", "three"):
        make_bonus(assignment=work, rule=rule, status=status, **begun)
    turk.faults[operation] = ["before"] * 3

    sweep(now=NOW)

    assert turk.calls == [operation]


def test_account_of_many_payments_takes_only_its_turn(
    work: Assignment, turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paying, "SLICE", 2)
    for rule in ("one", "two", "three"):
        make_bonus(assignment=work, rule=rule)

    turns = [paying.pay_bonuses(now=NOW), paying.pay_bonuses(now=NOW)]

    assert turns == [2, 1]


def test_payment_to_a_worker_whose_id_is_sealed_keeps_nobody_elses_unconfirmed(
    work: Assignment, turk: StubbedTurk
) -> None:
    """The key that sealed the worker's id was lost after the payment."""
    make_bonus(assignment=work)
    _, other = turk.submit("HIT0", answer="x")
    external_id = list(turk.assignments)[-1]
    worker = make_worker(account=work.account, external_id=other)
    later = make_assignment(hit=work.hit, external_id=external_id, worker=worker, status="approved")
    make_bonus(assignment=later)
    paying.pay_bonuses(now=NOW)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE hits_worker SET external_id = 'spoilt' WHERE id = %s", [work.worker_id])

    confirmed = paying.confirm_bonuses(now=NOW)

    assert confirmed == 1
    assert list(Bonus.objects.order_by("pk").values_list("status", flat=True)) == ["sent", "confirmed"]


def test_one_list_settles_every_bonus_of_a_hit(work: Assignment, turk: StubbedTurk) -> None:
    for rule in ("one", "two", "three"):
        make_bonus(assignment=work, rule=rule)
    paying.pay_bonuses(now=NOW)
    turk.calls.clear()

    confirmed = paying.confirm_bonuses(now=NOW)

    assert (confirmed, turk.calls) == (3, ["list_bonus_payments"])


def test_payment_that_is_never_listed_is_looked_at_ever_more_rarely(
    work: Assignment, turk: StubbedTurk
) -> None:
    make_bonus(assignment=work, status="sent", sent_at=NOW)
    at, pauses = NOW, []

    for _ in range(8):
        paying.confirm_bonuses(now=at)
        paying.confirm_bonuses(now=at)
        due = Bonus.objects.get().look_at
        assert due is not None
        pauses.append(int((due - at).total_seconds()))
        at = due

    assert pauses == [5, 15, 60, 300, 1800, 7200, 7200, 7200]
    assert turk.calls == ["list_bonus_payments"] * 8
    assert status() == Status.SENT


def test_refused_list_leaves_the_bonus_as_it_is_and_is_asked_again_later(
    work: Assignment, turk: StubbedTurk
) -> None:
    make_bonus(assignment=work, status="unknown", sending_at=NOW - timedelta(days=1))
    turk.faults["list_bonus_payments"] = ["refused"] * 3

    for _ in range(3):
        paying.pay_bonuses(now=NOW)

    assert (status(), turk.calls) == (Status.UNKNOWN, ["list_bonus_payments"])


def test_bonus_of_unknown_outcome_is_not_sent_again_while_its_request_may_be_on_its_way(
    work: Assignment, turk: StubbedTurk
) -> None:
    make_bonus(assignment=work, status="unknown", sending_at=NOW)

    paying.pay_bonuses(now=NOW)
    paying.pay_bonuses(now=LATER - timedelta(seconds=2))

    assert (paid(turk), status()) == ([], Status.UNKNOWN)
    assert Bonus.objects.get().look_at == NOW + SENDING_IS_STALE


def test_second_request_is_made_only_after_a_look_and_with_the_same_token(
    work: Assignment, turk: StubbedTurk
) -> None:
    """The provider has forgotten the token but lists the payment: what was paid is not paid again."""
    bonus = make_bonus(assignment=work, sending_at=NOW - timedelta(days=2))
    send(bonus, turk)
    turk.tokens.clear()

    paying.pay_bonuses(now=NOW)

    assert (paid(turk), status(), turk.calls) == ([bonus.amount], Status.SENT, ["list_bonus_payments"])


@pytest.mark.parametrize("begun", [Status.APPROVED, Status.UNKNOWN])
def test_bonus_that_is_listed_with_another_amount_is_never_sent_again(
    work: Assignment, turk: StubbedTurk, begun: str
) -> None:
    bonus = make_bonus(assignment=work, status=begun, sending_at=NOW - timedelta(days=2))
    send(bonus, turk, amount=Decimal(7))
    turk.tokens.clear()

    paying.pay_bonuses(now=NOW)
    paying.pay_bonuses(now=NOW + timedelta(days=1))

    assert (paid(turk), status()) == ([Decimal(7)], Status.UNKNOWN)
    assert "another worker or of another amount" in Bonus.objects.get().problem


def test_nothing_is_sent_of_what_changed_after_the_approval(work: Assignment, turk: StubbedTurk) -> None:
    make_bonus(assignment=work, status="owed")
    run = approve(Bonus.objects.all())
    Bonus.objects.update(reason="Another reason.")

    paying.pay_bonuses(now=NOW)

    assert (turk.calls, status()) == ([], Status.OWED)
    assert run is not None
    run.refresh_from_db()
    assert run.status == "void"


def test_paying_costs_the_same_after_a_long_history(
    work: Assignment, turk: StubbedTurk, django_assert_num_queries: Any
) -> None:
    """Payments that are over are looked at neither here nor at the provider."""
    for number in range(30):
        make_bonus(assignment=work, rule=f"rule {number}", status="confirmed", confirmed_at=NOW)

    with django_assert_num_queries(6):
        paying.pay_bonuses(now=NOW)
        paying.confirm_bonuses(now=NOW)

    assert turk.calls == []


def test_a_bug_that_one_account_meets_stops_no_other(
    work: Assignment, turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first account's turn fails by an unexpected exception."""
    other = make_account(name="other")
    hit = make_hit(batch=make_batch(account=other), external_id="HIT1")
    turk.hits["HIT1"] = {"HITId": "HIT1", "RequesterAnnotation": "", "MaxAssignments": 1, "expired": False}
    external_id, worker = turk.submit("HIT1", answer="x")
    make_bonus(assignment=work)
    bonus = make_bonus(
        assignment=make_assignment(
            account=other,
            hit=hit,
            external_id=external_id,
            worker=make_worker(account=other, external_id=worker),
            status="approved",
        )
    )
    honest = paying.pay_bonus

    def pay(*, bonus: Bonus, **given: Any) -> bool:
        if bonus.assignment.account_id != other.pk:
            raise RuntimeError("nobody has thought of this")
        return honest(bonus=bonus, **given)

    monkeypatch.setattr(paying, "pay_bonus", pay)

    with pytest.raises(RuntimeError):
        paying.pay_bonuses(now=NOW)

    assert Bonus.objects.get(pk=bonus.pk).status == Status.SENT
