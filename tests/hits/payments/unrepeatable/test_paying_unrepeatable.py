"""Bonuses at a provider that pays again when it is asked again, and that lists amounts alone."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from threading import Barrier, Thread
from time import sleep
from typing import Any

import pytest
from django.db import connections

from hits.core.errors import ProviderRefused, RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.runs import Halt
from hits.payments.services import paying, payment_outcomes, resending, unpaid_bonuses
from hits.payments.services.bonus_states import owe
from hits.work.models.assignments import Assignment
from tests.factories import NOW, approve, make_account, make_assignment, make_hit, make_user
from tests.hits.books import open_batch
from tests.hits.payments.unrepeatable.unrepeatable_provider import (
    LIST,
    PAY,
    PREPARE,
    Fault,
    Paid,
    Unrepeatable,
    put_behind_accounts,
)
from tests.people import make_permitted

pytestmark = pytest.mark.django_db
Status = Bonus.Status
STALE = payment_outcomes.SENDING_IS_STALE + timedelta(seconds=1)
LONG = payment_outcomes.LOOKED_FOR + timedelta(seconds=1)
WORDS = "The page of the submission shows no bonus."
CENTS = Decimal("0.10")


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Unrepeatable:
    """Put a provider that pays again behind every account."""
    there = Unrepeatable(now=lambda: NOW)
    put_behind_accounts(there, monkeypatch)
    return there


@pytest.fixture
def work(provider: Unrepeatable) -> Assignment:
    """Make approved work of an account that cannot pay once, with money set aside."""
    hit = make_hit(batch=open_batch(account=make_account(kind="prolific")))
    made = make_assignment(hit=hit, status="approved", owed_at=NOW)
    provider.workers[made.external_id] = made.worker.external_id
    return made


@pytest.fixture
def payer() -> User:
    return make_user(is_superuser=True)


def approved(work: Assignment, rule: str = "all right", *, amount: Decimal = CENTS) -> Bonus:
    """Make a bonus that two people have approved."""
    bonus = Bonus(assignment=work, rule=rule, amount=amount, reason="All right.", owed_at=NOW)
    owe([bonus], by=None, now=NOW)
    approve([bonus])
    return Bonus.objects.get(pk=bonus.pk)


def pay(after: timedelta = timedelta(0)) -> None:
    paying.pay_bonuses(now=NOW + after)


def confirm(after: timedelta = timedelta(0)) -> None:
    paying.confirm_bonuses(now=NOW + after)


def states() -> list[str]:
    return list(Bonus.objects.order_by("pk").values_list("status", flat=True))


def unsettled(work: Assignment, provider: Unrepeatable, *, kind: str) -> Bonus:
    """Make a bonus whose outcome nobody knows after all looks."""
    bonus = approved(work)
    provider.faults.append(Fault(kind=kind, operation=PAY, times=1))
    provider.lag = timedelta(days=9)
    pay()
    pay(LONG)
    bonus.refresh_from_db()
    assert (bonus.status, bonus.problem) == (Status.UNKNOWN, payment_outcomes.UNSETTLED)
    return bonus


def everything(provider: Unrepeatable) -> list[Any]:
    tables = (Bonus, LedgerEntry, AuditEvent)
    return [
        *[list(table._default_manager.order_by("pk").values()) for table in tables],
        len(provider.paid),
    ]


def test_payment_is_looked_for_set_up_and_paid_once(work: Assignment, provider: Unrepeatable) -> None:
    approved(work)

    pay()
    pay()
    confirm()

    assert provider.calls == [LIST, PREPARE, PAY, LIST]
    assert (provider.payments_of(work.external_id), states()) == ([CENTS], [Status.CONFIRMED])


def test_first_request_finds_what_another_copy_has_paid(work: Assignment, provider: Unrepeatable) -> None:
    bonus = approved(work)
    provider.paid.append(
        Paid(work=work.external_id, amount=CENTS, token=str(bonus.token), at=NOW - timedelta(hours=1))
    )

    pay()

    assert (len(provider.paid), states(), provider.calls) == (1, [Status.SENT], [LIST])


@pytest.mark.parametrize(
    ("operation", "kind"), [(PREPARE, "fail_before"), (PREPARE, "fail_after"), (PAY, "throttle")]
)
def test_nothing_done_for_certain_leaves_it_approved_for_later(
    work: Assignment, provider: Unrepeatable, operation: str, kind: str
) -> None:
    bonus = approved(work)
    provider.faults.append(Fault(kind=kind, operation=operation, times=1))

    pay()
    bonus.refresh_from_db()
    pay(payment_outcomes.NO_ANSWER)

    assert (bonus.status, bonus.look_at) == (Status.APPROVED, NOW + payment_outcomes.NO_ANSWER)
    assert (provider.payments_of(work.external_id), states()) == ([CENTS], [Status.SENT])


def test_payment_that_cannot_be_set_up_is_refused_and_nothing_is_paid(
    work: Assignment, provider: Unrepeatable
) -> None:
    bonus = approved(work)
    provider.gone.add(work.external_id)

    pay()

    bonus.refresh_from_db()
    assert (bonus.status, bonus.refusal_code, provider.paid) == (Status.REFUSED, "400", [])
    assert work.external_id not in bonus.problem


def test_payment_for_work_that_is_gone_there_is_refused(
    work: Assignment, provider: Unrepeatable, monkeypatch: pytest.MonkeyPatch
) -> None:
    bonus = approved(work)

    def forget(_: str) -> None:
        raise ProviderRefused("No such submission", code="AssignmentDoesNotExist")

    monkeypatch.setattr(provider, "list_bonuses_of", forget)

    pay()

    bonus.refresh_from_db()
    assert (bonus.status, bonus.refusal_code, provider.calls) == (Status.REFUSED, "HITDoesNotExist", [])


def test_payment_without_funds_stops_the_account_and_stays_approved(
    work: Assignment, provider: Unrepeatable
) -> None:
    approved(work)
    provider.funds = Decimal(0)

    pay()

    assert (states(), provider.paid, Halt.objects.filter(lifted_at=None).count()) == (
        [Status.APPROVED],
        [],
        1,
    )


def test_unclear_payment_that_was_made_is_found_by_its_amount(
    work: Assignment, provider: Unrepeatable
) -> None:
    approved(work)
    provider.faults.append(Fault(kind="fail_after", operation=PAY, times=1))

    pay()
    unclear = states()
    pay(timedelta(seconds=1))
    confirm(timedelta(seconds=2))

    assert unclear == [Status.UNKNOWN]
    assert (len(provider.paid), states()) == (1, [Status.CONFIRMED])


@pytest.mark.parametrize("kind", ["fail_before", "fail_after"])
def test_unclear_payment_is_never_sent_again_by_itself(
    work: Assignment, provider: Unrepeatable, kind: str
) -> None:
    bonus = unsettled(work, provider, kind=kind)
    before = len(provider.paid)

    for hours in range(1, 200, 7):
        pay(LONG + timedelta(hours=hours))

    bonus.refresh_from_db()
    assert (bonus.status, bonus.problem) == (Status.UNKNOWN, payment_outcomes.UNSETTLED)
    assert (provider.calls.count(PAY), len(provider.paid)) == (1, before)


def test_unsettled_payment_that_is_listed_after_all_is_settled(
    work: Assignment, provider: Unrepeatable
) -> None:
    bonus = unsettled(work, provider, kind="fail_after")
    provider.lag = timedelta(0)

    pay(LONG + timedelta(hours=3))
    confirm(LONG + timedelta(hours=3))

    bonus.refresh_from_db()
    assert (bonus.status, bonus.problem, len(provider.paid)) == (Status.CONFIRMED, "", 1)


def test_payer_that_died_before_paying_leaves_it_to_a_person(
    work: Assignment, provider: Unrepeatable
) -> None:
    bonus = approved(work)
    Bonus.objects.filter(pk=bonus.pk).update(status=Status.SENDING, sending_at=NOW)

    pay(STALE)
    early = Bonus.objects.get().problem
    pay(LONG + timedelta(hours=3))

    bonus.refresh_from_db()
    assert (early, provider.paid) == ("", [])
    assert (bonus.status, bonus.problem) == (Status.UNKNOWN, payment_outcomes.UNSETTLED)


def test_person_counts_it_as_paid(work: Assignment, provider: Unrepeatable, payer: User) -> None:
    bonus = unsettled(work, provider, kind="fail_after")

    payment_outcomes.count_as_paid(bonus=bonus, reason=WORDS, by=payer, now=NOW + LONG)
    pay(LONG + timedelta(days=1))

    bonus.refresh_from_db()
    assert (bonus.status, len(provider.paid)) == (Status.CONFIRMED, 1)


def test_person_says_that_it_was_not_paid_and_it_is_sent_again_once(
    work: Assignment, provider: Unrepeatable, payer: User
) -> None:
    bonus = unsettled(work, provider, kind="fail_before")
    provider.lag = timedelta(0)

    said = unpaid_bonuses.say_unpaid(bonus=bonus, reason=WORDS, by=payer, now=NOW + LONG)
    with pytest.raises(RuleBroken):
        unpaid_bonuses.say_unpaid(bonus=bonus, reason=WORDS, by=payer, now=NOW + LONG)
    pay(LONG)
    confirm(LONG)

    assert said == unpaid_bonuses.AGAIN
    assert (provider.payments_of(work.external_id), states()) == ([CENTS], [Status.CONFIRMED])
    event = AuditEvent.objects.get(kind="bonus.said_unpaid")
    assert (event.by, event.bonus, WORDS in event.words) == (payer, bonus, True)


@pytest.mark.parametrize("answer", ["", "fail_after", "throttle"])
def test_bonus_sent_and_never_listed_is_repeated_by_a_person_and_stays_sent(
    work: Assignment, provider: Unrepeatable, payer: User, answer: str
) -> None:
    bonus = approved(work)
    pay()
    provider.paid.clear()  # accepted, and then not carried out
    confirm(LONG)
    bonus.refresh_from_db()
    assert (bonus.status, bonus.problem) == (Status.SENT, payment_outcomes.UNSETTLED)
    if answer:
        provider.faults.append(Fault(kind=answer, operation=PAY, times=1))

    said = unpaid_bonuses.say_unpaid(bonus=bonus, reason=WORDS, by=payer, now=NOW + LONG)
    confirm(LONG)

    words = {"": unpaid_bonuses.SENT, "fail_after": unpaid_bonuses.UNCLEAR}
    assert said == words.get(answer, unpaid_bonuses.NOTHING_DONE)
    if answer == "throttle":
        bonus.refresh_from_db()
        assert (provider.paid, bonus.problem) == ([], payment_outcomes.UNSETTLED)
    else:
        assert (len(provider.paid), states()) == (1, [Status.CONFIRMED])


def _is_listed(provider: Unrepeatable, **_: Any) -> None:
    provider.lag = timedelta(0)


def _has_another_payment(provider: Unrepeatable, *, bonus: Bonus) -> None:
    provider.lag = timedelta(0)
    provider.paid.clear()
    work = bonus.assignment.external_id
    provider.paid.append(Paid(work=work, amount=CENTS * 2, token="", at=NOW - timedelta(hours=1)))


def _does_not_answer(provider: Unrepeatable, **_: Any) -> None:
    provider.faults.append(Fault(kind="fail_before", operation=LIST, times=1))


def _is_fresh(_: Unrepeatable, *, bonus: Bonus) -> None:
    Bonus.objects.filter(pk=bonus.pk).update(sending_at=NOW + LONG, problem="")


@pytest.mark.parametrize("change", [_is_listed, _has_another_payment, _does_not_answer, _is_fresh])
def test_person_cannot_send_again_what_a_look_does_not_leave_open(
    work: Assignment, provider: Unrepeatable, payer: User, change: Callable[..., None]
) -> None:
    bonus = unsettled(work, provider, kind="fail_after")
    change(provider, bonus=bonus)
    bonus.refresh_from_db()

    with pytest.raises(RuleBroken):
        unpaid_bonuses.say_unpaid(bonus=bonus, reason=WORDS, by=payer, now=NOW + LONG)

    assert (Bonus.objects.get().status != Status.APPROVED, provider.calls.count(PAY)) == (True, 1)


@pytest.mark.parametrize(
    ("by", "reason"), [({"view_bonus"}, WORDS), ({"settle_bonus"}, " "), ({"settle_bonus"}, "x" * 501)]
)
def test_refused_to_say_unpaid_nothing_changes(
    work: Assignment, provider: Unrepeatable, by: set[str], reason: str
) -> None:
    bonus = unsettled(work, provider, kind="fail_before")
    user, before = make_permitted(*by), everything(provider)

    with pytest.raises(RuleBroken):
        unpaid_bonuses.say_unpaid(bonus=bonus, reason=reason, by=user, now=NOW + LONG)

    assert everything(provider) == before


def test_sent_payment_is_not_repeated_in_the_way_of_other_providers(
    work: Assignment, provider: Unrepeatable, payer: User
) -> None:
    bonus = approved(work)
    pay()
    provider.paid.clear()
    bonus.refresh_from_db()

    with pytest.raises(RuleBroken, match="would pay a repeated request again"):
        resending.send_anew(bonus=bonus, by=payer, now=NOW + timedelta(days=2))

    assert provider.calls.count(PAY) == 1


@pytest.mark.parametrize("status", [Status.SENDING, Status.UNKNOWN])
def test_account_makes_one_request_at_a_time(work: Assignment, provider: Unrepeatable, status: str) -> None:
    first, second = approved(work), approved(work, "another rule", amount=CENTS * 2)
    Bonus.objects.filter(pk=first.pk).update(status=status, sending_at=NOW, look_at=NOW + LONG)

    pay()
    is_paid = paying.pay_bonus(bonus=second, provider=provider, now=NOW)  # type: ignore[arg-type]
    before = len(provider.paid)
    pay(STALE)

    assert (is_paid, before) == (False, 0)
    assert provider.payments_of(work.external_id) == [CENTS * 2]


def test_two_unclear_bonuses_of_one_amount_and_one_payment_leave_one_unclear(
    work: Assignment, provider: Unrepeatable
) -> None:
    approved(work)
    approved(work, "another rule")
    provider.faults.append(Fault(kind="fail_before", operation=PAY, times=1))
    provider.faults.append(Fault(kind="fail_after", operation=PAY, times=1))

    pay()
    provider.lag = timedelta(days=9)  # the first look finds nothing of the second
    pay(STALE)
    provider.lag = timedelta(0)
    pay(LONG)
    confirm(LONG)

    assert provider.payments_of(work.external_id) == [CENTS]
    assert sorted(states()) == [Status.CONFIRMED, Status.UNKNOWN]


def test_payment_beyond_the_bonuses_is_an_alarm(work: Assignment, provider: Unrepeatable) -> None:
    bonus = approved(work)
    pay()
    provider.paid.append(provider.paid[0])

    confirm()

    bonus.refresh_from_db()
    assert (bonus.status, bonus.problem) == (Status.CONFIRMED, payment_outcomes.TWICE)
    assert Halt.objects.filter(lifted_at=None).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_payers_at_once_make_one_request_at_a_time(work: Assignment, provider: Unrepeatable) -> None:
    for number in range(6):
        approved(work, f"rule {number}", amount=CENTS * (number + 1))
    under_way, most, start = [0], [0], Barrier(2)

    def carry(operation: str, _: str, make: Callable[[], Any]) -> Any:
        if operation != PAY:
            return make()
        under_way[0] += 1
        most[0] = max(most[0], under_way[0])
        sleep(0.1)
        under_way[0] -= 1
        return make()

    def payer() -> None:
        start.wait(timeout=10)
        try:
            for _ in range(20):
                pay()
        finally:
            connections.close_all()

    provider.carry = carry
    threads = [Thread(target=payer) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert most == [1]
    assert sorted(provider.payments_of(work.external_id)) == [CENTS * number for number in range(1, 7)]
    assert set(states()) == {Status.SENT}
