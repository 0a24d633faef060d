"""Appeals: who may ask and when, who answers, and that only the first of two answers counts."""

from datetime import timedelta
from decimal import Decimal
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection, transaction

from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.services import accrual
from hits.review.models import Appeal
from hits.review.services import appeal_handling
from hits.review.services.appeal_handling import answer_appeal, make_appeal, withdraw_appeal
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from tests.factories import NOW, make_assignment, make_batch, make_bonus, make_hit, make_user

pytestmark = pytest.mark.django_db
Status = Appeal.Status
TEXT = "I picked all three pictures."


@pytest.fixture
def paid(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Collect the calls of hits.payments.services.accrual.owe_extra, whose own tests prove the rest."""
    asked: list[dict[str, Any]] = []

    def owe_extra(**values: Any) -> Bonus:
        asked.append(values)
        return make_bonus(
            assignment=values["assignment"], amount=values["amount"], rule=values["rule"], status="owed"
        )

    monkeypatch.setattr(accrual, "owe_extra", owe_extra)
    return asked


def make_work(**changes: Any) -> Assignment:
    return make_assignment(**{"status": "approved", **changes})


def ask(work: Assignment | None = None, *, text: str = TEXT) -> Appeal:
    return make_appeal(assignment=work or make_work(), text=text, now=NOW)


def answer(appeal: Appeal, **changes: Any) -> Bonus | None:
    values = {"granted": False, "answer": "Two of them were right.", "amount": None, "by": None, **changes}
    values["by"] = values["by"] or make_user(is_superuser=True)
    return answer_appeal(appeal=appeal, now=NOW, **values)


def everything() -> list[Any]:
    rows = (Appeal, Bonus, LedgerEntry, AuditEvent, Decision)
    return [list(model._default_manager.order_by("pk").values()) for model in rows]


def refusal(deed: Any) -> str:
    """Return the code of the deed's refusal, after a check that nothing was written."""
    before = everything()
    with pytest.raises(RuleBroken) as broken:
        deed()
    assert everything() == before
    return broken.value.code


def test_worker_asks_about_work_and_it_is_on_record() -> None:
    work = make_work()

    appeal = ask(work, text="  One.\r\n\0Two.  ")

    assert (appeal.worker, appeal.status, appeal.text) == (work.worker, Status.OPEN, "One.\nTwo.")
    event = AuditEvent.objects.get()
    assert (event.kind, event.by, event.study) == ("appeal.made", None, work.hit.batch.study)
    assert work.worker.external_id not in event.words


def test_appeal_sent_twice_is_made_once() -> None:
    work = make_work()

    first, second = ask(work), ask(work)

    assert first == second
    assert Appeal.objects.count() == 1


def test_second_question_while_one_is_open_is_refused() -> None:
    work = make_work()
    ask(work)

    assert refusal(lambda: ask(work, text="And another thing.")) == "open_already"


@pytest.mark.parametrize(
    ("text", "code"), [("", "no_text"), (" \n\0 ", "no_text"), ("x" * 2001, "too_long")], ids=lambda v: v[:8]
)
def test_appeal_without_a_readable_text_is_refused(text: str, code: str) -> None:
    work = make_work()

    assert refusal(lambda: ask(work, text=text)) == code


@pytest.mark.parametrize("status", ["opened", "saved", "gone"])
def test_appeal_on_work_that_the_provider_does_not_have_is_refused(status: str) -> None:
    work = make_assignment(status=status, answer={})

    assert refusal(lambda: ask(work)) == "not_handed_in"


@pytest.mark.parametrize(("days", "is_late"), [(60, False), (61, True)])
def test_appeal_is_possible_for_sixty_days(days: int, is_late: bool) -> None:
    work = make_work(submitted_at=NOW - timedelta(days=days))

    if is_late:
        assert refusal(lambda: ask(work)) == "too_late"
    else:
        assert ask(work).status == Status.OPEN


def test_worker_may_ask_three_times_about_a_work() -> None:
    work = make_work()
    for number in range(3):
        answer(ask(work, text=f"Question {number}"))

    assert refusal(lambda: ask(work)) == "too_many"


def test_worker_asks_about_so_many_works_a_day() -> None:
    first = make_work()
    for _ in range(appeal_handling.MOST_A_DAY):
        ask(make_work(hit=first.hit, worker=first.worker))

    assert refusal(lambda: ask(first)) == "too_often"


def test_appeal_taken_back_twice_is_taken_back() -> None:
    appeal = ask()

    withdraw_appeal(appeal=Appeal.objects.get(), now=NOW)
    withdraw_appeal(appeal=appeal, now=NOW)

    assert Appeal.objects.get().status == Status.WITHDRAWN
    assert AuditEvent.objects.filter(kind="appeal.withdrawn").count() == 1


def test_answered_appeal_is_not_taken_back() -> None:
    appeal = ask()
    answer(Appeal.objects.get())

    assert refusal(lambda: withdraw_appeal(appeal=appeal, now=NOW)) == "answered_already"


def test_answer_changes_nothing_but_is_read() -> None:
    appeal, user = ask(), make_user(is_superuser=True)

    bonus = answer(appeal, by=user)

    row = Appeal.objects.get()
    assert bonus is None
    assert (row.status, row.answer, row.answered_by, row.answered_at) == (
        Status.ANSWERED, "Two of them were right.", user, NOW,
    )  # fmt: skip
    assert AuditEvent.objects.filter(kind="appeal.answered", by=user).count() == 1


def test_granted_appeal_owes_what_was_missing(paid: list[dict[str, Any]]) -> None:
    appeal, user = ask(), make_user(is_superuser=True)

    bonus = answer(appeal, granted=True, amount=Decimal("0.25"), by=user)

    assert bonus == Bonus.objects.get()
    assert Appeal.objects.get().status == Status.GRANTED
    (asked,) = paid
    assert (asked["assignment"], asked["rule"], asked["amount"]) == (
        appeal.assignment,
        "appeal",
        Decimal("0.25"),
    )
    assert asked["reason"] == "You asked about this work on 21 Nov 2026, and you were right."
    assert asked["by"] == user
    assert "$0.25 more are owed" in AuditEvent.objects.get(kind="appeal.granted").words


def test_granted_amount_is_an_obligation_that_nobody_has_approved() -> None:
    work = make_work(hit=make_hit(batch=make_batch(status="open")), owed_at=NOW)

    answer(ask(work), granted=True, amount=Decimal("0.25"))

    bonus = Bonus.objects.get()
    assert (bonus.rule, bonus.amount, bonus.status) == ("appeal", Decimal("0.25"), "owed")
    assert (bonus.approved_by, bonus.reason[:30]) == (None, "You asked about this work on 2")


def test_granted_appeal_without_an_amount_owes_nothing(paid: list[dict[str, Any]]) -> None:
    assert answer(ask(), granted=True) is None

    assert paid == []


@pytest.mark.parametrize(("status", "kind"), [("submitted", "approve"), ("rejected", "override")])
def test_granted_appeal_approves_the_work_at_once(status: str, kind: str) -> None:
    work, user = make_work(status=status, submitted_at=NOW - timedelta(days=1)), make_user(is_superuser=True)

    answer(ask(work), granted=True, by=user)

    decision = Decision.objects.get()
    assert (decision.assignment, decision.kind, decision.status) == (work, kind, "intended")
    assert (decision.by, decision.send_at) == (user, NOW)


def test_work_that_cannot_be_approved_any_more_stays_as_it_is_and_says_why() -> None:
    late = make_work(status="rejected", submitted_at=NOW - timedelta(days=31))
    done, user = make_work(), make_user(is_superuser=True)

    for work in (late, done):
        answer(ask(work), granted=True)

    assert not Decision.objects.exists()
    assert "stays rejected" in appeal_handling.grant_of(late, by=user, now=NOW).words
    assert "approved already" in appeal_handling.grant_of(done, by=user, now=NOW).words


def test_grant_against_a_rejection_that_waits_is_refused() -> None:
    work, user = make_work(status="submitted"), make_user(is_superuser=True)
    appeal = ask(work)
    Decision.objects.create(
        assignment=work, kind="reject", status="waiting", reason="Empty.", by=user, made_at=NOW, send_at=NOW
    )

    assert refusal(lambda: answer(appeal, granted=True, by=user)) == "being_rejected"


def test_appeal_stays_open_where_the_money_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> None:
        raise RuleBroken("over_budget", "There is not so much left.")

    monkeypatch.setattr(accrual, "owe_extra", refuse)
    appeal = ask()

    assert refusal(lambda: answer(appeal, granted=True, amount=Decimal(9))) == "over_budget"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"answer": "  "}, "no_answer"),
        ({"answer": "x" * 2001}, "too_long"),
        ({"amount": Decimal(1)}, "nothing_changes"),
        ({"granted": True, "amount": Decimal(0)}, "bad_amount"),
        ({"granted": True, "amount": Decimal(-1)}, "bad_amount"),
        ({"granted": True, "amount": Decimal("0.001")}, "bad_amount"),
        ({"granted": True, "amount": Decimal("NaN")}, "bad_amount"),
    ],
    ids=str,
)
def test_answer_that_says_nothing_clear_is_refused(changes: dict[str, Any], code: str) -> None:
    appeal, user = ask(), make_user(is_superuser=True)

    assert refusal(lambda: answer(appeal, by=user, **changes)) == code


def test_answer_by_who_may_not_is_refused() -> None:
    appeal, stranger = ask(), make_user()

    assert refusal(lambda: answer(appeal, by=stranger)) == "not_allowed"


def test_second_answer_is_told_who_was_sooner(paid: list[dict[str, Any]]) -> None:
    appeal, late = ask(), Appeal.objects.get()
    first, second = make_user(is_superuser=True, username="first"), make_user(is_superuser=True)
    answer(appeal, by=first)

    with pytest.raises(RuleBroken, match="first has just answered this"):
        answer(late, by=second, granted=True, amount=Decimal(1))

    assert Appeal.objects.get().status == Status.ANSWERED
    assert paid == []


def test_answer_to_what_was_taken_back_is_refused(paid: list[dict[str, Any]]) -> None:
    appeal, user = ask(), make_user(is_superuser=True)
    withdraw_appeal(appeal=Appeal.objects.get(), now=NOW)

    assert refusal(lambda: answer(appeal, by=user, granted=True, amount=Decimal(1))) == "withdrawn"
    assert paid == []


@pytest.mark.django_db(transaction=True)
def test_of_people_who_answer_at_once_one_is_heard(paid: list[dict[str, Any]]) -> None:
    appeal = ask()
    people = [make_user(is_superuser=True) for _ in range(4)]
    outcomes: list[str] = []
    barrier = Barrier(len(people))

    def act(user: User) -> None:
        own = Appeal.objects.select_related("assignment__hit__batch__study", "worker").get(pk=appeal.pk)
        barrier.wait()
        try:
            answer(own, by=user, granted=True, amount=Decimal("0.10"))
            outcomes.append("heard")
        except RuleBroken as broken:
            outcomes.append(broken.code)
        finally:
            connection.close()

    threads = [Thread(target=act, args=[user]) for user in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["answered_already"] * 3 + ["heard"]
    assert Bonus.objects.count() == len(paid) == 1


@pytest.mark.django_db(transaction=True)
def test_worker_who_sends_from_two_tabs_asks_once() -> None:
    work = make_work(hit=make_hit(batch=make_batch(status="open")))
    barrier = Barrier(4)

    def act(number: int) -> None:
        barrier.wait()
        try:
            make_appeal(assignment=work, text=f"From tab {number}", now=NOW)
        except RuleBroken:
            pass
        finally:
            connection.close()

    threads = [Thread(target=act, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Appeal.objects.count() == 1
    assert not transaction.get_connection().in_atomic_block
