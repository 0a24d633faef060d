"""Payments that the provider accepted but never lists, lists twice, or says it made before."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from hits.core.errors import ProviderRefused, RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.runs import Halt
from hits.payments.services import kill_switch, paying, payment_outcomes, resending
from hits.work.models.assignments import Assignment
from tests.factories import NOW, make_bonus, make_user
from tests.hits.posted import approved_work
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
Status = Bonus.Status
HOUR = timedelta(hours=1)


@pytest.fixture
def work(turk: StubbedTurk) -> Assignment:
    return approved_work(turk)


@pytest.fixture
def believed(work: Assignment, turk: StubbedTurk) -> Bonus:
    """Bonus counted as sent by an answer that was not the provider's."""
    make_bonus(assignment=work, amount=Decimal("0.27"))
    paying.pay_bonuses(now=NOW)
    turk.bonuses.clear()
    turk.tokens.clear()
    return Bonus.objects.get()


def send_anew(*, at: Any, **by: Any) -> str:
    user = by.get("by") or make_user(is_superuser=True)
    return resending.send_anew(bonus=Bonus.objects.get(), by=user, now=at)


def paid(turk: StubbedTurk) -> list[Decimal]:
    return [Decimal(row["BonusAmount"]) for row in turk.bonuses]


@pytest.mark.parametrize("age", [HOUR, timedelta(hours=22), timedelta(days=2), timedelta(days=40)])
def test_what_the_list_lacks_is_sent_anew_once(believed: Bonus, turk: StubbedTurk, age: timedelta) -> None:
    before = LedgerEntry.objects.count()

    said = send_anew(at=NOW + age)
    paying.confirm_bonuses(now=NOW + age + HOUR)

    assert (said, paid(turk)) == (resending.PAID, [Decimal("0.27")])
    assert list(turk.tokens) == [str(believed.token)]
    assert Bonus.objects.get().status == Status.CONFIRMED
    assert LedgerEntry.objects.count() == before + 1  # the confirmation; the sending was booked long ago
    assert AuditEvent.objects.filter(kind="bonus.sent_anew", bonus=believed).count() == 1


def test_what_the_list_shows_is_not_sent_anew(work: Assignment, turk: StubbedTurk) -> None:
    make_bonus(assignment=work)
    paying.pay_bonuses(now=NOW)
    turk.calls.clear()

    said = send_anew(at=NOW + HOUR)

    assert "send_bonus" not in turk.calls
    assert said == "It is on the provider's list: this bonus was paid, once."


def test_a_second_press_sends_nothing(believed: Bonus, turk: StubbedTurk) -> None:
    send_anew(at=NOW + HOUR)
    turk.bonuses.clear()  # its list is behind

    with pytest.raises(RuleBroken) as broken:
        send_anew(at=NOW + HOUR + timedelta(minutes=1))

    assert (broken.value.code, paid(turk)) == ("too_soon", [])


def test_two_presses_at_once_send_once(believed: Bonus, turk: StubbedTurk) -> None:
    one, other = Bonus.objects.get(), Bonus.objects.get()
    by = make_user(is_superuser=True)
    resending.send_anew(bonus=one, by=by, now=NOW + HOUR)
    turk.bonuses.clear()

    with pytest.raises(RuleBroken):
        resending.send_anew(bonus=other, by=by, now=NOW + HOUR)

    assert paid(turk) == []


def test_nothing_is_sent_while_neither_token_nor_list_protects(believed: Bonus, turk: StubbedTurk) -> None:
    with pytest.raises(RuleBroken) as broken:
        send_anew(at=NOW + timedelta(hours=23, minutes=30))

    assert (broken.value.code, paid(turk)) == ("too_soon", [])


def test_nothing_is_sent_without_the_list(believed: Bonus, turk: StubbedTurk) -> None:
    turk.faults["list_bonus_payments"] = ["before"]

    with pytest.raises(RuleBroken) as broken:
        send_anew(at=NOW + HOUR)

    assert (broken.value.code, paid(turk)) == ("no_list", [])


def test_nothing_is_sent_where_payments_are_stopped(believed: Bonus, turk: StubbedTurk) -> None:
    by = make_user(is_superuser=True)
    kill_switch.halt_payments(account=believed.assignment.account, reason="We look.", by=by, now=NOW)

    with pytest.raises(RuleBroken) as broken:
        send_anew(at=NOW + HOUR, by=by)

    assert (broken.value.code, paid(turk)) == ("halted", [])


def test_who_may_not_settle_sends_nothing(believed: Bonus, turk: StubbedTurk) -> None:
    with pytest.raises(RuleBroken) as broken:
        send_anew(at=NOW + HOUR, by=make_user())

    assert (broken.value.code, paid(turk)) == ("not_allowed", [])


def test_a_used_token_is_believed_before_a_list_that_is_behind(work: Assignment, turk: StubbedTurk) -> None:
    """The refusal answers botocore's own repetition of a request whose first attempt had paid."""
    bonus = make_bonus(assignment=work)
    turk.tokens[str(bonus.token)] = work.external_id

    paying.pay_bonuses(now=NOW)
    first = Bonus.objects.get()
    for hours in (1, 5, 30, 60):
        paying.pay_bonuses(now=NOW + hours * HOUR)

    after = Bonus.objects.get()
    assert (first.status, first.problem) == (Status.UNKNOWN, payment_outcomes.MADE_BEFORE)
    assert (after.status, after.problem) == (Status.UNKNOWN, payment_outcomes.MADE_BEFORE)
    assert turk.calls.count("send_bonus") == 1


def test_a_used_token_is_settled_by_the_list_once_it_shows_the_payment(
    work: Assignment, turk: StubbedTurk
) -> None:
    bonus = make_bonus(assignment=work)
    turk.tokens[str(bonus.token)] = work.external_id
    paying.pay_bonuses(now=NOW)
    turk.bonuses.append(payment_of(bonus))

    paying.pay_bonuses(now=NOW + HOUR)

    assert Bonus.objects.get().status == Status.SENT


def test_a_used_token_may_be_counted_as_paid(work: Assignment, turk: StubbedTurk) -> None:
    bonus = make_bonus(assignment=work)
    turk.tokens[str(bonus.token)] = work.external_id
    paying.pay_bonuses(now=NOW)

    by = make_user(is_superuser=True)
    payment_outcomes.count_as_paid(
        bonus=Bonus.objects.get(), reason="The statement shows it.", by=by, now=NOW + 25 * HOUR
    )

    assert Bonus.objects.get().status == Status.CONFIRMED


@pytest.mark.parametrize("listed", [2, 3])
def test_a_payment_that_is_listed_twice_stops_the_account(
    work: Assignment, turk: StubbedTurk, listed: int
) -> None:
    bonus = make_bonus(assignment=work)
    paying.pay_bonuses(now=NOW)
    turk.bonuses.extend(payment_of(bonus, hours=number) for number in range(1, listed))

    paying.confirm_bonuses(now=NOW + HOUR)

    after = Bonus.objects.get()
    assert (after.status, after.problem) == (Status.CONFIRMED, payment_outcomes.TWICE)
    assert payment_outcomes.TWICE in Halt.objects.get(lifted_at=None).reason


def test_one_payment_on_two_pages_of_a_growing_list_is_one(work: Assignment, turk: StubbedTurk) -> None:
    bonus = make_bonus(assignment=work)
    turk.tokens[str(bonus.token)] = work.external_id
    turk.bonuses.extend([payment_of(bonus), payment_of(bonus)])

    paying.pay_bonuses(now=NOW)

    assert (Bonus.objects.get().status, Halt.objects.count()) == (Status.SENT, 0)


def test_what_was_approved_long_ago_is_looked_for_before_it_is_sent(
    work: Assignment, turk: StubbedTurk
) -> None:
    """Another copy of this database may have paid the bonus, and the provider has forgotten the token."""
    bonus = make_bonus(assignment=work, approved_at=NOW - 25 * HOUR)
    turk.bonuses.append(payment_of(bonus))

    paying.pay_bonuses(now=NOW)

    assert (len(turk.bonuses), Bonus.objects.get().status) == (1, Status.SENT)


def test_what_was_approved_just_now_costs_one_call(work: Assignment, turk: StubbedTurk) -> None:
    make_bonus(assignment=work)

    paying.pay_bonuses(now=NOW)

    assert [call for call in turk.calls if "bonus" in call] == ["send_bonus"]


def test_an_old_approval_whose_hit_is_gone_is_refused_and_not_looked_for_for_ever(
    work: Assignment, turk: StubbedTurk
) -> None:
    make_bonus(assignment=work, approved_at=NOW - 25 * HOUR)
    turk.provider.list_bonuses = gone  # type: ignore[method-assign]

    paying.pay_bonuses(now=NOW)

    assert (Bonus.objects.get().status, paid(turk)) == (Status.REFUSED, [])


def gone(**_: Any) -> Any:
    raise ProviderRefused("HIT HIT0 does not exist.", code="HITDoesNotExist")


def payment_of(bonus: Bonus, *, hours: int = 0) -> dict[str, Any]:
    return {
        "GrantTime": NOW + hours * HOUR,
        "AssignmentId": bonus.assignment.external_id,
        "WorkerId": bonus.assignment.worker.external_id,
        "BonusAmount": f"{bonus.amount:.2f}",
        "Reason": bonus.reason_with_reference,
    }
