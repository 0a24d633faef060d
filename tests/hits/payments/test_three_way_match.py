"""The three-way match: our ledger, the provider's payments, the provider's balance."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.matches import Deposit, Difference, Match
from hits.payments.services import deposits, differences, three_way_match
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from tests.factories import (
    NOW,
    make_account,
    make_batch,
    make_bonus,
    make_hit,
    make_user,
    make_worker,
)
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
LONG_AGO = NOW - timedelta(hours=2)
Status = Match.Status
Cause = Difference.Cause


@pytest.fixture
def account() -> Account:
    return make_account()


@pytest.fixture
def batch(account: Account) -> Batch:
    return make_batch(account=account, status="complete")


def make_paid(
    turk: StubbedTurk, batch: Batch, *, listed: int = 1, amount: str = "0.50", **changes: Any
) -> Bonus:
    """Make a bonus that was sent here, and is listed by the provider so many times, changed by `there`."""
    there = changes.pop("there", {})
    hit = make_hit(batch=batch, status="closed", closed_at=LONG_AGO, max_assignments=1)
    turk.hits[hit.external_id] = {"MaxAssignments": 1}
    assignment_id, worker_id = turk.submit(hit.external_id)
    worker = make_worker(account=batch.account, external_id=worker_id)
    work = Assignment.objects.create(
        account=batch.account,
        hit=hit,
        worker=worker,
        external_id=assignment_id,
        attempt=1,
        deadline_at=LONG_AGO,
        opened_at=LONG_AGO,
        submitted_at=LONG_AGO,
        status="approved",
        booked_at=LONG_AGO,
    )
    given = {"status": "sent", "sent_at": LONG_AGO, "sending_at": LONG_AGO, "amount": Decimal(amount)}
    bonus = make_bonus(assignment=work, **{**given, **changes})
    for _ in range(listed):
        pay_there(turk, work, reason=bonus.reason_with_reference, **{"amount": amount, **there})
    return bonus


def pay_there(
    turk: StubbedTurk, work: Assignment, *, reason: str, amount: str = "0.50", worker: str = ""
) -> None:
    turk.bonuses.append(
        {
            "AssignmentId": work.external_id,
            "WorkerId": worker or work.worker.external_id,
            "BonusAmount": amount,
            "Reason": reason,
        }
    )


def run_match(account: Account, turk: StubbedTurk, *, full: bool = False, days: float = 0) -> Match:
    return three_way_match.match_account(
        account=account, provider=turk.provider, full=full, by=None, now=NOW + timedelta(days=days)
    )


def open_causes(account: Account) -> list[str]:
    rows = Difference.objects.filter(account=account, resolved_at=None)
    return sorted(rows.values_list("cause", flat=True))


def test_match_of_a_new_account_opens_its_books(account: Account, turk: StubbedTurk) -> None:
    match = run_match(account, turk)

    assert (match.status, match.balance, match.expected_balance) == (Status.DONE, Decimal(100), Decimal(100))
    opening = Deposit.objects.get()
    assert (opening.amount, opening.words, opening.by) == (Decimal(100), deposits.OPENING, None)
    assert open_causes(account) == []


def test_match_opens_the_books_once(account: Account, turk: StubbedTurk) -> None:
    run_match(account, turk)
    turk.balance += 7

    match = run_match(account, turk, days=1)

    assert Deposit.objects.count() == 1
    assert (match.status, match.balance, match.expected_balance) == (Status.DONE, Decimal(107), Decimal(100))
    row = Difference.objects.get()
    assert (row.cause, row.ours, row.theirs) == (Cause.BALANCE, Decimal(100), Decimal(107))


def test_match_finds_nothing_where_both_lists_agree(
    account: Account, batch: Batch, turk: StubbedTurk
) -> None:
    make_paid(turk, batch)

    match = run_match(account, turk)

    assert (match.ours, match.theirs, match.hits_looked_at) == (Decimal("0.50"), Decimal("0.50"), 1)
    assert open_causes(account) == []


@pytest.mark.parametrize(
    ("changes", "cause", "figures"),
    [
        ({"listed": 2}, Cause.TWICE, ("0.50", "1.00", "-0.50")),
        ({"listed": 0}, Cause.NOT_LISTED, ("0.50", "0.00", "0.50")),
        ({"there": {"amount": "0.70"}}, Cause.OTHER_AMOUNT, ("0.50", "0.70", "-0.20")),
        ({"there": {"worker": "AOTHERWORKER"}}, Cause.OTHER_WORKER, ("0.50", "0.50", "0.00")),
        ({"listed": 1, "status": "refused"}, Cause.NOT_OURS, ("0.00", "0.50", "-0.50")),
        ({"listed": 0, "status": "unknown"}, Cause.UNCLEAR, ("0.00", "0.00", "0.00")),
        ({"listed": 1, "status": "unknown"}, Cause.UNCLEAR, ("0.00", "0.50", "-0.50")),
    ],
    ids=["twice", "not_listed", "other_amount", "other_worker", "refused_here", "unclear", "unclear_paid"],
)
def test_match_names_the_cause(
    batch: Batch, turk: StubbedTurk, changes: dict[str, Any], cause: str, figures: tuple[str, str, str]
) -> None:
    """Each row is checked with the sums of both sides, and with its effect on the balance."""
    bonus = make_paid(turk, batch, **changes)

    run_match(batch.account, turk)

    row = Difference.objects.get()
    assert (row.cause, row.bonus, row.hit) == (cause, bonus, bonus.assignment.hit)
    assert (row.ours, row.theirs, row.effect) == tuple(map(Decimal, figures))


def test_match_finds_a_payment_of_somebody_else(account: Account, batch: Batch, turk: StubbedTurk) -> None:
    bonus = make_paid(turk, batch)
    pay_there(turk, bonus.assignment, reason="Thank you, from the old script.")
    pay_there(turk, bonus.assignment, reason="Thank you, from the old script.")

    run_match(account, turk)

    row = Difference.objects.get()
    assert (row.cause, row.ours, row.theirs) == (Cause.NOT_OURS, Decimal(0), Decimal("1.00"))
    worker_id = bonus.assignment.worker.external_id
    assert worker_id not in row.words + row.subject
    assert bonus.assignment.worker.pseudonym in row.words


def test_match_finds_a_payment_for_other_work(account: Account, batch: Batch, turk: StubbedTurk) -> None:
    first, second = make_paid(turk, batch), make_paid(turk, batch)
    pay_there(turk, second.assignment, reason=first.reason_with_reference)

    run_match(account, turk)

    row = Difference.objects.get()
    assert (row.cause, row.bonus, row.hit) == (Cause.OTHER_WORKER, first, second.assignment.hit)


@pytest.mark.parametrize(
    "changes",
    [
        {"sent_at": NOW - timedelta(minutes=1)},
        {"status": "unknown", "sending_at": NOW - timedelta(minutes=59)},
    ],
    ids=["just sent", "unknown for less than an hour"],
)
def test_match_leaves_what_is_on_its_way(
    account: Account, batch: Batch, turk: StubbedTurk, changes: dict[str, Any]
) -> None:
    make_paid(turk, batch, listed=0, **changes)
    match = three_way_match.start_match(account=account, full=False, by=None, now=NOW)

    three_way_match.take_step(match=match, provider=turk.provider, now=NOW)

    assert open_causes(account) == []


def test_match_finds_the_same_thing_again_as_the_same_row(
    account: Account, batch: Batch, turk: StubbedTurk
) -> None:
    make_paid(turk, batch, listed=2)

    first = run_match(account, turk)
    second = run_match(account, turk, days=1)

    row = Difference.objects.get()
    assert (row.first_match, row.last_match, row.resolved_at) == (first, second, None)


def test_difference_that_is_gone_closes_by_itself(account: Account, batch: Batch, turk: StubbedTurk) -> None:
    bonus = make_paid(turk, batch, listed=0)
    run_match(account, turk)
    pay_there(turk, bonus.assignment, reason=bonus.reason_with_reference)
    turk.balance -= Decimal("0.50")  # the books have counted it

    run_match(account, turk, days=1)

    row = Difference.objects.get()
    assert (row.resolution, row.resolved_by) == (differences.NO_LONGER_FOUND, None)
    assert row.resolved_at is not None


def test_resolved_difference_stays_closed_until_its_figures_change(
    account: Account, batch: Batch, turk: StubbedTurk
) -> None:
    bonus = make_paid(turk, batch, listed=2)
    run_match(account, turk)
    by = make_user(is_superuser=True)
    differences.resolve_difference(
        difference=Difference.objects.get(), reason="A bug of ours.", by=by, now=NOW
    )

    run_match(account, turk, days=1, full=True)
    closed = open_causes(account)
    pay_there(turk, bonus.assignment, reason=bonus.reason_with_reference)
    turk.balance -= Decimal("0.50")
    run_match(account, turk, days=2, full=True)

    assert (closed, open_causes(account)) == ([], [Cause.TWICE])
    assert AuditEvent.objects.filter(kind="difference.resolved", by=by).count() == 1


def test_resolve_difference_needs_a_reason_and_the_right(
    account: Account, batch: Batch, turk: StubbedTurk
) -> None:
    make_paid(turk, batch, listed=2)
    run_match(account, turk)
    row = Difference.objects.get()

    with pytest.raises(RuleBroken, match="Say what you found out"):
        differences.resolve_difference(difference=row, reason=" ", by=make_user(is_superuser=True), now=NOW)
    with pytest.raises(RuleBroken, match="You may not settle"):
        differences.resolve_difference(difference=row, reason="A bug.", by=make_user(), now=NOW)

    assert open_causes(account) == [Cause.TWICE]


@pytest.mark.parametrize("cause", [Cause.BALANCE, Cause.UNCLEAR])
def test_some_differences_are_not_talked_away(account: Account, cause: str) -> None:
    match = Match.objects.create(account=account, status=Status.DONE, started_at=NOW)
    row = Difference.objects.create(
        account=account, cause=cause, subject="x", words="x", first_match=match, last_match=match
    )

    with pytest.raises(RuleBroken) as refusal:
        differences.resolve_difference(
            difference=row, reason="Never mind.", by=make_user(is_superuser=True), now=NOW
        )

    assert (refusal.value.code, open_causes(account)) == ("other_way", [cause])


def test_look_again_brings_the_payers_look_forward(account: Account, batch: Batch, turk: StubbedTurk) -> None:
    bonus = make_paid(turk, batch, listed=0, looks=9)
    run_match(account, turk)

    differences.look_again(difference=Difference.objects.get(), by=make_user(is_superuser=True), now=NOW)

    bonus.refresh_from_db()
    assert (bonus.look_at, bonus.looks, bonus.status) == (NOW, 0, Bonus.Status.SENT)


def test_deposit_explains_the_balance_and_closes_its_difference(account: Account, turk: StubbedTurk) -> None:
    run_match(account, turk)
    turk.balance += 25
    run_match(account, turk, days=1)
    by = make_user(is_superuser=True)

    deposits.record_deposit(
        account=account, amount=Decimal(25), words="Transfer 17", by=by, now=NOW + timedelta(days=1)
    )

    row = Difference.objects.get()
    assert (row.resolved_by, row.resolution) == (by, "A deposit of $25.00 was recorded: Transfer 17")
    match = run_match(account, turk, days=2)
    assert (match.balance, match.expected_balance) == (Decimal(125), Decimal(125))
    assert open_causes(account) == []


@pytest.mark.parametrize(
    ("amount", "words", "code"),
    [("0", "x", "bad_amount"), ("0.001", "x", "bad_amount"), ("1", " ", "no_words")],
    ids=["nothing", "half cents", "no words"],
)
def test_deposit_that_says_nothing_is_refused(account: Account, amount: str, words: str, code: str) -> None:
    by = make_user(is_superuser=True)

    with pytest.raises(RuleBroken) as refusal:
        deposits.record_deposit(account=account, amount=Decimal(amount), words=words, by=by, now=NOW)

    assert (refusal.value.code, Deposit.objects.count()) == (code, 0)


def test_deposit_recorded_twice_is_recorded_once(account: Account) -> None:
    given: dict[str, Any] = {
        "account": account,
        "amount": Decimal(5),
        "words": "Transfer 1",
        "by": make_user(is_superuser=True),
    }
    deposits.record_deposit(**given, now=NOW)

    with pytest.raises(RuleBroken, match="a moment ago"):
        deposits.record_deposit(**given, now=NOW + timedelta(seconds=1))

    assert Deposit.objects.count() == 1


def test_known_difference_is_no_difference_of_the_balance(
    account: Account, batch: Batch, turk: StubbedTurk
) -> None:
    run_match(account, turk)
    bonus = make_paid(turk, batch, listed=0, status="owed")
    pay_there(turk, bonus.assignment, reason="By hand.")
    turk.balance -= Decimal("0.50")

    match = run_match(account, turk, days=1)

    assert match.expected_balance == match.balance == Decimal("99.50")
    assert open_causes(account) == [Cause.NOT_OURS]


def test_balance_is_counted_again_before_it_is_believed(account: Account, turk: StubbedTurk) -> None:
    run_match(account, turk)
    turk.balance -= 1
    start = NOW + timedelta(days=1)
    match = three_way_match.start_match(account=account, full=False, by=None, now=start)

    three_way_match.take_step(match=match, provider=turk.provider, now=start)
    match.refresh_from_db()
    waiting = (match.status, match.look_at, open_causes(account))
    turk.balance += 1  # it was only on its way
    three_way_match.take_step(match=match, provider=turk.provider, now=start + three_way_match.RECOUNT)

    assert waiting == (Status.RUNNING, start + three_way_match.RECOUNT, [])
    assert (Match.objects.get(pk=match.pk).status, open_causes(account)) == (Status.DONE, [])


def test_balance_is_not_judged_while_something_is_on_its_way(
    account: Account, batch: Batch, turk: StubbedTurk
) -> None:
    run_match(account, turk)
    make_hit(batch=batch, status="intended", external_id="", asked_at=NOW)
    turk.balance -= 3

    match = run_match(account, turk, days=1)

    assert (match.status, match.problem, match.tries) == (
        Status.DONE,
        three_way_match.BUSY,
        three_way_match.MOST_COUNTS,
    )
    assert open_causes(account) == []


def test_match_looks_at_news_first_and_then_at_the_longest_unmatched(
    account: Account, batch: Batch, turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(three_way_match, "ROTATION", 1)
    quiet = [make_paid(turk, batch, status="confirmed").assignment.hit for _ in range(3)]
    for days, hit in zip((3, 9, 5), quiet, strict=True):
        HIT.objects.filter(pk=hit.pk).update(matched_at=NOW - timedelta(days=days))
    news = make_paid(turk, batch).assignment.hit

    match = run_match(account, turk)

    looked = set(HIT.objects.filter(matched_at=NOW).values_list("pk", flat=True))
    assert looked == {news.pk, quiet[1].pk}
    assert (match.hits_looked_at, match.hits_to_look_at) == (2, 2)


def test_match_of_every_hit_looks_at_each_once(account: Account, batch: Batch, turk: StubbedTurk) -> None:
    for _ in range(3):
        make_paid(turk, batch, status="confirmed")
    run_match(account, turk)
    turk.calls.clear()

    match = run_match(account, turk, full=True, days=1)

    assert (match.hits_looked_at, turk.calls.count("list_bonus_payments")) == (3, 3)


def test_match_that_died_is_taken_up_where_it_was(
    account: Account, batch: Batch, turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(three_way_match, "PAGE", 1)
    for _ in range(3):
        make_paid(turk, batch)
    match = three_way_match.start_match(account=account, full=False, by=None, now=NOW)
    turk.faults["list_bonus_payments"] = ["", "", "before"]

    three_way_match.match_accounts(now=NOW)
    match.refresh_from_db()
    stopped = (match.status, match.hits_looked_at, match.look_at)
    nobody_yet = three_way_match.match_accounts(now=NOW)
    for minutes in range(1, 20):
        three_way_match.match_accounts(now=NOW + timedelta(minutes=minutes))

    match.refresh_from_db()
    assert (stopped, nobody_yet) == ((Status.RUNNING, 2, NOW + three_way_match.RETRY), 0)
    assert (match.status, match.hits_looked_at, match.ours) == (Status.DONE, 3, Decimal("1.50"))


def test_match_fails_with_the_reason_once_nobody_answers_for_an_hour(
    account: Account, turk: StubbedTurk
) -> None:
    turk.faults["get_account_balance"] = ["before"] * 1000

    match = run_match(account, turk)

    assert (match.status, match.expected_balance) == (Status.FAILED, None)
    assert match.problem.startswith("The provider has not answered for an hour.")


def test_match_takes_a_step_once(account: Account, turk: StubbedTurk) -> None:
    match = three_way_match.start_match(account=account, full=False, by=None, now=NOW)
    Match.objects.filter(pk=match.pk).update(look_at=NOW + three_way_match.STEP)

    taken = three_way_match.take_step(match=match, provider=turk.provider, now=NOW)

    assert (taken, turk.calls) == (False, [])


def test_start_match_twice_finds_the_first_one(account: Account) -> None:
    first = three_way_match.start_match(account=account, full=False, by=None, now=NOW)

    second = three_way_match.start_match(account=account, full=True, by=None, now=NOW)

    assert (second, Match.objects.count()) == (first, 1)


def test_daily_match_is_made_once_a_day(account: Account, batch: Batch, turk: StubbedTurk) -> None:
    made = []

    for hours in (0, 1, 14, 15.5, 16, 24 + 15):  # NOW is noon
        made.append(len(three_way_match.start_due(now=NOW + timedelta(hours=hours))))
        Match.objects.update(status=Status.DONE)

    assert made == [1, 0, 0, 1, 0, 1]


def test_daily_match_that_failed_is_made_again_after_an_hour(account: Account, batch: Batch) -> None:
    three_way_match.start_due(now=NOW)
    Match.objects.update(status=Status.FAILED, ended_at=NOW)

    soon = three_way_match.start_due(now=NOW + timedelta(minutes=59))
    later = three_way_match.start_due(now=NOW + timedelta(minutes=61))

    assert (soon, len(later)) == ([], 1)


def test_start_match_asks_for_the_right(account: Account, batch: Batch) -> None:
    with pytest.raises(RuleBroken, match="You may not compare"):
        three_way_match.start_match(account=account, full=False, by=make_user(), now=NOW)

    assert not Match.objects.exists()
