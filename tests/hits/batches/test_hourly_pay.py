"""Hourly pay against a study's wage floor, and top-ups: once for each submission, within the budget."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from hits.batches.queries.hourly_pay import TOP_UP, pay_of, top_ups_due, top_ups_made
from hits.batches.services import batch_counters
from hits.core.domain.wages import lacking, percentile, percentile_of_counts
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.services import wage_top_ups
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
    make_worker,
)

LATER = NOW + timedelta(hours=1)
FLOOR = Decimal("12.00")


def make_paid(
    *seconds: int, floor: Decimal | None = FLOOR, budget: Decimal = Decimal(100), **changes: Any
) -> Batch:
    """Make approved work of these durations. The reward of 60 cents is three minutes at the wage floor."""
    study = make_study(wage_floor=floor, budget=budget)
    batch = make_batch(status="open", study=study, reward=Decimal("0.60"), **changes)
    hit = make_hit(batch=batch)
    for each in seconds:
        make_assignment(hit=hit, status="approved", worked_s=each + 5, active_s=each, owed_at=NOW)
    return batch


def make_preparer() -> User:
    return make_user(is_superuser=True)


def propose(batch: Batch, *, by: User | None = None, seen: tuple[int, Decimal] | None = None) -> list[Bonus]:
    pay = pay_of(batch)
    return wage_top_ups.propose_top_ups(
        batch=batch, seen=seen or (pay.due, pay.total), by=by or make_preparer(), now=LATER
    )


def written() -> tuple[int, int, int, Decimal]:
    study = Study.objects.get()
    return Bonus.objects.count(), LedgerEntry.objects.count(), AuditEvent.objects.count(), study.reserved


@given(st.dictionaries(st.integers(0, 9999), st.integers(0, 9)), st.sampled_from((0, 0.1, 0.5, 0.9, 1)))
def test_percentile_of_counts_is_that_of_the_values_written_out(counts: dict[int, int], share: float) -> None:
    values = [value for value, n in counts.items() for _ in range(n)]

    assert percentile_of_counts(counts, share) == percentile(values, share)


@pytest.mark.parametrize(
    ("earned", "seconds", "wanted"),
    [
        ("0.60", 180, "0"),
        ("0.60", 181, "0.01"),
        ("0.60", 183, "0.01"),
        ("0.60", 184, "0.02"),
        ("0", 1, "0.01"),
        ("0.60", 0, "0"),
        ("0.60", 60, "0"),
        ("0.60", 3600, "11.40"),
    ],
    ids=str,
)
def test_lacking_is_whole_cents_rounded_up(earned: str, seconds: int, wanted: str) -> None:
    assert lacking(earned=Decimal(earned), seconds=seconds, floor=FLOOR) == Decimal(wanted)


@given(
    earned=st.decimals(0, 100, places=2), seconds=st.integers(1, 50_000), floor=st.decimals(0, 1000, places=2)
)
def test_lacking_lifts_to_the_floor_and_by_no_whole_cent_more(
    earned: Decimal, seconds: int, floor: Decimal
) -> None:
    amount = lacking(earned=earned, seconds=seconds, floor=floor)

    assert (earned + amount) * 3600 >= floor * seconds
    assert not amount or (earned + amount - Decimal("0.01")) * 3600 < floor * seconds


@pytest.mark.django_db
def test_pay_counts_reward_and_bonuses_over_active_time() -> None:
    batch = make_paid(90, 180, 360)
    helped = Assignment.objects.get(active_s=360)
    make_bonus(assignment=helped, amount=Decimal("0.20"), status="sent")
    make_bonus(assignment=helped, rule="another", amount=Decimal("5.00"), status="waived")

    pay = pay_of(batch)

    assert (pay.measured, pay.below, pay.due, pay.total) == (3, 1, 1, Decimal("0.40"))
    assert (pay.median, pay.tenth, pay.is_low) == (Decimal("12.00"), Decimal("8.80"), True)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "changes",
    [
        {"status": "submitted"},
        {"status": "rejected"},
        {"kept_out": True},
        {"active_s": None, "worked_s": None},
    ],
    ids=", ".join,
)
def test_pay_leaves_out_what_is_not_approved_or_not_measured(changes: dict[str, Any]) -> None:
    batch = make_paid(360)
    Assignment.objects.update(**changes)

    pay = pay_of(batch)

    assert (pay.measured, pay.below, top_ups_due(batch, most=9)) == (0, 0, [])


@pytest.mark.django_db
def test_pay_of_a_page_without_heartbeats_counts_from_accepting_to_submitting() -> None:
    batch = make_paid(360)
    Assignment.objects.update(active_s=None, worked_s=400)

    due = top_ups_due(batch, most=9)

    assert [(row.seconds, row.is_active_time, row.amount) for row in due] == [(400, False, Decimal("0.74"))]


@pytest.mark.django_db
def test_pay_without_a_floor_has_nobody_below_it() -> None:
    pay = pay_of(make_paid(360, floor=None))

    assert (pay.median, pay.is_low, pay.below, pay.total) == (Decimal("6.00"), False, 0, Decimal(0))


@pytest.mark.django_db
def test_pay_of_nothing_is_not_known() -> None:
    pay = pay_of(make_paid())

    assert (pay.median, pay.tenth, pay.is_low, pay.bars, pay.total) == (None, None, False, [], Decimal(0))


@pytest.mark.django_db
def test_pay_bars_hold_everybody() -> None:
    pay = pay_of(make_paid(2, 90, 180, 360, 3600))

    assert [(bar.start, bar.end, bar.count) for bar in pay.bars if bar.count] == [
        (Decimal(0), Decimal(5), 1),
        (Decimal(5), Decimal(10), 1),
        (Decimal(10), Decimal(15), 1),
        (Decimal(20), Decimal(25), 1),
        (Decimal(45), None, 1),
    ]


@pytest.mark.django_db
def test_pay_and_its_list_agree() -> None:
    batch = make_paid(*range(100, 400, 7))
    for row in Assignment.objects.filter(active_s__gt=250):
        make_bonus(assignment=row, amount=Decimal("0.13"), status="owed")

    pay, due = pay_of(batch), top_ups_due(batch, most=1000)

    assert (pay.due, pay.total) == (len(due), sum(row.amount for row in due))
    assert [row.amount for row in due] == sorted((row.amount for row in due), reverse=True)


@pytest.mark.django_db
def test_figures_are_marked_while_the_tenth_percentile_is_below_the_floor() -> None:
    batch = make_paid(360, 360)
    batch_counters.refresh(batch=batch, now=NOW)
    batch.refresh_from_db()
    before = [batch.figures[name] for name in ("p10_paid", "below_floor", "is_below_floor")]
    propose(batch)

    batch_counters.refresh(batch=batch, now=LATER)

    batch.refresh_from_db()
    after = [batch.figures[name] for name in ("p10_paid", "below_floor", "is_below_floor")]
    assert (before, after) == (["6.00", 2, True], ["12.00", 0, False])


@pytest.mark.django_db
def test_top_ups_are_owed_with_the_words_and_the_figures() -> None:
    batch = make_paid(250, 100)
    preparer = make_preparer()

    made = propose(batch, by=preparer)

    bonus = Bonus.objects.get()
    assert [row.pk for row in made] == [bonus.pk]
    assert (bonus.rule, bonus.amount, bonus.status, bonus.revision) == (TOP_UP, Decimal("0.24"), "owed", 0)
    assert bonus.reason == (
        "Your work took 4 min 10 s of active time; this lifts your pay to $12.00 an hour."
    )
    assert bonus.figures == {
        "kind": TOP_UP,
        "hourly": "12.00",
        "floor_cents": 1200,
        "seconds": 250,
        "is_active_time": True,
        "earned": "0.60",
        "amount": "0.24",
    }


@pytest.mark.django_db
def test_top_ups_are_set_aside_with_their_fees_booked_and_audited() -> None:
    terms = {"bonus_rules": [], "fee_schedule": "amazon"}
    batch = make_paid(360, 360, terms=terms)
    before = Study.objects.get().reserved

    propose(batch)

    booked = LedgerEntry.objects.filter(kind="owed").values_list("source", "target", "amount")
    assert Study.objects.get().reserved - before == Decimal("1.44")
    assert list(booked) == [("reserved", "owed", Decimal("0.60"))] * 2
    assert [(event.kind, event.study) for event in AuditEvent.objects.all()] == [
        ("wages.topped_up", batch.study)
    ]


@pytest.mark.django_db
def test_top_ups_are_proposed_once() -> None:
    batch = make_paid(360, 250)
    seen = (2, pay_of(batch).total)
    propose(batch, seen=seen)
    before = written()

    with pytest.raises(RuleBroken, match="No approved work is below the floor"):
        propose(batch, seen=seen)

    assert written() == before


@pytest.mark.django_db
@pytest.mark.parametrize("given_up", [False, True], ids=["owed", "given up"])
def test_a_higher_floor_asks_only_for_the_difference(given_up: bool) -> None:
    batch = make_paid(360)
    propose(batch)
    if given_up:
        Bonus.objects.update(
            status="waived", approved_by=make_user(), prepared_by=make_user(), approved_at=NOW
        )
    Study.objects.update(wage_floor=Decimal("15.00"))
    batch.study.refresh_from_db()

    propose(batch)

    amounts = Bonus.objects.order_by("revision").values_list("revision", "amount")
    assert list(amounts) == [(0, Decimal("0.60")), (1, Decimal("0.30"))]


@pytest.mark.django_db
def test_nobody_is_lifted_to_one_floor_twice_whatever_is_given_up() -> None:
    batch = make_paid(360)
    work = Assignment.objects.get()
    other = make_bonus(assignment=work, amount=Decimal("0.10"), status="owed")
    propose(batch)
    Bonus.objects.update(status="waived", approved_by=make_user(), prepared_by=make_user(), approved_at=NOW)
    before = written()

    pay = pay_of(batch)
    with pytest.raises(RuleBroken, match="No approved work is below the floor"):
        propose(batch)

    assert (pay.below, pay.due, written()) == (1, 0, before)
    assert Bonus.objects.exclude(pk=other.pk).get().amount == Decimal("0.50")


@pytest.mark.django_db
def test_a_lower_floor_asks_for_nothing() -> None:
    batch = make_paid(360)
    propose(batch)
    Study.objects.update(wage_floor=Decimal("9.00"))
    batch.study.refresh_from_db()

    assert top_ups_due(batch, most=9) == []


@pytest.mark.django_db
def test_work_whose_bonuses_are_not_read_yet_waits() -> None:
    batch = make_paid(360)
    Assignment.objects.update(owed_at=None)

    pay = pay_of(batch)

    assert (pay.below, pay.due, top_ups_due(batch, most=9)) == (1, 0, [])


@pytest.mark.django_db
def test_top_ups_beyond_the_budget_write_nothing() -> None:
    batch = make_paid(360, 360, budget=Decimal("1.19"))
    before = written()

    with pytest.raises(RuleBroken, match=r"This needs \$1\.20, and \$1\.19"):
        propose(batch)

    assert written() == before


@pytest.mark.django_db
@pytest.mark.parametrize("seen", [(1, "1.20"), (2, "1.19"), (0, "0")], ids=str)
def test_top_ups_that_are_not_what_was_seen_write_nothing(seen: tuple[int, str]) -> None:
    batch = make_paid(360, 360)
    before = written()

    with pytest.raises(RuleBroken, match="has changed since"):
        propose(batch, seen=(seen[0], Decimal(seen[1])))

    assert written() == before


@pytest.mark.django_db
def test_top_ups_after_the_floor_changed_unseen_write_nothing() -> None:
    batch = make_paid(360)
    Study.objects.update(wage_floor=Decimal("15.00"))
    before = written()

    with pytest.raises(RuleBroken, match="has changed since"):
        propose(batch, seen=(1, Decimal("0.60")))

    assert written() == before


@pytest.mark.django_db
def test_top_ups_of_somebody_who_may_not_write_nothing() -> None:
    batch = make_paid(360)
    before = written()

    with pytest.raises(RuleBroken, match="may not propose"):
        propose(batch, by=make_user())

    assert written() == before


@pytest.mark.django_db
def test_top_ups_are_written_in_the_studys_language() -> None:
    batch = make_paid(45)
    Study.objects.update(wage_floor=Decimal("100.00"))
    batch.study.refresh_from_db()

    assert propose(batch)[0].reason == (
        "Your work took 45 s of active time; this lifts your pay to $100.00 an hour."
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_on_postgresql")
def test_two_who_propose_at_once_lift_everybody_once() -> None:
    batch, preparers = make_paid(360, 250), [make_preparer(), make_preparer()]
    seen, ready = (2, pay_of(batch).total), Barrier(2)

    def act(by: User) -> bool:
        try:
            ready.wait(5)
            propose(Batch.objects.select_related("study", "account").get(pk=batch.pk), by=by, seen=seen)
        except RuleBroken:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(2) as pool:
        done = sorted(pool.map(act, preparers))

    assert (done, top_ups_made(batch).count()) == ([False, True], 2)


@pytest.fixture
def _on_postgresql() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("one writer at a time on this database")


@pytest.mark.django_db
def test_five_thousand_submissions_are_counted_and_proposed_in_a_bounded_number_of_queries() -> None:
    account = make_account()
    batch = make_paid(account=account)
    hit, worker = make_hit(batch=batch), make_worker(account=account)
    Assignment.objects.bulk_create(
        Assignment(
            hit=hit,
            account=account,
            worker=worker,
            external_id=f"A{number}",
            attempt=1,
            deadline_at=NOW,
            opened_at=NOW,
            submitted_at=NOW,
            status="approved",
            worked_s=181 + number % 40,
            owed_at=NOW,
        )
        for number in range(5000)
    )
    Study.objects.update(budget=Decimal(10_000))

    with CaptureQueriesContext(
        connection,
    ) as counted:
        pay = pay_of(batch)
    with CaptureQueriesContext(connection) as proposed:
        made = propose(batch, seen=(pay.due, pay.total))

    # SQLite takes a limited number of values at once, so rows are written by several statements.
    most = 40 if connection.vendor == "postgresql" else 400
    assert (len(counted), len(made)) == (1, 5000)
    assert len(proposed) <= most
