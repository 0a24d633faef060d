from decimal import Decimal
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connections
from django.db.models import Sum
from hypothesis import given, settings
from hypothesis import strategies as st

from hits.batches.queries.tally import tally_of
from hits.batches.services import budgets, launching
from hits.core.errors import RuleBroken
from hits.ledger.models.bonuses import Bonus
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_bonus,
    make_study,
    make_user,
    set_aside,
)

pytestmark = pytest.mark.django_db
RULE = {"name": "all right", "measure": "jaccard", "at_least": 100, "amount": "0.27"}
FEES = {"fee_schedule": "amazon", "bonus_rules": [RULE]}
FATES = ["open", "gone", "submitted", "approved", "owed", "paid", "waived", "kept_out", "rejected"]


def make_launched(*, budget: str = "1000", hits: int = 1, **changes: Any) -> Batch:
    """Launch a batch with Amazon's fees: 20 cents for a dollar of reward, and 5 for 27 cents of bonus."""
    study = make_study(budget=Decimal(budget), bonus_rules=[RULE])
    make_association(study=study)
    values = {"reward": Decimal(1), "assignments_per_hit": 2, **changes}
    batch = make_batch(study=study, account=make_account(fee_schedule="amazon"), hits_wanted=hits, **values)
    launching.launch_batch(batch=batch, by=make_user(), now=NOW)
    return batch


def open_hits(batch: Batch) -> list[HIT]:
    for hit in batch.hits.all():
        HIT.objects.filter(pk=hit.pk).update(status=HIT.Status.OPEN, external_id=f"H{hit.pk}")
    return list(batch.hits.order_by("pk"))


def reserved(batch: Batch) -> Decimal:
    """Amount reserved in the batch's study, which must be the same in all three places that keep it."""
    study, entries = Study.objects.get(pk=batch.study_id), set_aside().filter(study=batch.study_id)
    sums = {
        study.reserved,
        sum((row.amount if row.kind == "reserved" else -row.amount for row in entries), Decimal(0)),
        sum(study.batches.values_list("reserved", flat=True), Decimal(0)),
    }
    assert len(sums) == 1
    return sums.pop()


def test_settle_of_what_was_just_launched_books_nothing() -> None:
    batch = make_launched(hits=3)

    difference = budgets.settle(batch=batch, now=NOW)

    assert (difference, reserved(batch)) == (Decimal(0), 6 * Decimal("1.52"))
    assert set_aside().count() == 1


@pytest.mark.parametrize(
    ("work", "cost"),
    [
        ({"status": "opened"}, "1.52"),  # its place is still to be paid
        ({"status": "gone"}, "1.52"),
        ({"status": "submitted"}, "1.52"),
        ({"status": "approved"}, "1.52"),  # its bonuses are not known yet
        ({"status": "approved", "owed_at": NOW}, "1.20"),
        ({"status": "approved", "kept_out": True}, "1.20"),
        ({"status": "rejected"}, "0"),
    ],
)
def test_settle_counts_what_one_piece_of_work_can_still_cost(work: dict[str, Any], cost: str) -> None:
    batch = make_launched(assignments_per_hit=1)
    [hit] = open_hits(batch)
    make_assignment(hit=hit, **work)

    budgets.settle(batch=batch, now=NOW)

    assert reserved(batch) == Decimal(cost)


@pytest.mark.parametrize(
    ("status", "cost"), [("owed", "1.52"), ("sent", "1.52"), ("refused", "1.52"), ("waived", "1.20")]
)
def test_settle_counts_bonuses_with_their_fees_unless_given_up(status: str, cost: str) -> None:
    batch = make_launched(assignments_per_hit=1)
    [hit] = open_hits(batch)
    work = make_assignment(hit=hit, status="approved", owed_at=NOW)
    make_bonus(assignment=work, amount=Decimal("0.27"), status=status)

    budgets.settle(batch=batch, now=NOW)

    assert reserved(batch) == Decimal(cost)


def test_settle_gives_back_the_open_places_of_what_is_over_or_was_withdrawn() -> None:
    batch = make_launched(hits=3, pilot_hits=2)
    Batch.objects.update(status="open")
    first, second, withheld = batch.hits.order_by("pk")
    HIT.objects.filter(pk=first.pk).update(status="closed", external_id="H1")
    HIT.objects.filter(pk=second.pk).update(status="open", external_id="H2")
    HIT.objects.filter(pk=withheld.pk).update(status="withdrawn")

    difference = budgets.settle(batch=batch, now=NOW)

    assert (difference, reserved(batch)) == (-4 * Decimal("1.52"), 2 * Decimal("1.52"))


def test_settle_charges_the_fee_of_ten_places() -> None:
    batch = make_launched(assignments_per_hit=10, sharding="whole")

    budgets.settle(batch=batch, now=NOW)

    assert reserved(batch) == 10 * Decimal("1.72")


def test_settle_leaves_what_was_reserved_while_it_counted() -> None:
    batch = make_launched()
    last = budgets.last_entry(batch)
    tally = tally_of(batch)
    budgets.reserve(batch=batch, amount=Decimal(10), words="More HITs", by=None, now=NOW)

    difference = budgets.settle_counted(batch=batch, tally=tally, last=last, now=NOW)

    assert (difference, reserved(batch)) == (Decimal(0), Decimal("13.04"))
    assert Batch.objects.get().is_stale


def test_a_draft_reserves_nothing() -> None:
    batch = make_batch()

    assert budgets.settle(batch=batch, now=NOW) == 0
    assert not set_aside().exists()


def test_work_that_a_budget_no_longer_covers_is_booked_all_the_same() -> None:
    """Only new promises are refused; what was promised is paid."""
    batch = make_launched(budget="3.04")
    Study.objects.update(budget=1)
    hit = open_hits(batch)[0]
    for _ in range(3):
        make_assignment(hit=hit, status="submitted")

    budgets.settle(batch=batch, now=NOW)

    assert reserved(batch) == 3 * Decimal("1.52")


@settings(max_examples=40)
@given(data=st.data())
def test_the_sums_agree_at_every_moment_and_end_at_what_was_spent(data: st.DataObject) -> None:
    workers = data.draw(st.integers(1, 12), label="workers")
    whole = data.draw(st.sampled_from(["whole", "shards"]), label="sharding")
    batch = make_launched(hits=2, assignments_per_hit=workers, sharding=whole)
    hits, most = open_hits(batch), reserved(batch)
    spent = Decimal(0)

    for hit in hits:
        for fate in data.draw(st.lists(st.sampled_from(FATES), max_size=hit.max_assignments)):
            spent += live(hit, fate, batch)
            budgets.settle(batch=batch, now=NOW)
            assert 0 <= reserved(batch) <= most

    Assignment.objects.filter(hit__batch=batch, status="submitted").update(status="rejected")
    Assignment.objects.filter(hit__batch=batch, status="opened").update(status="gone")
    Assignment.objects.filter(hit__batch=batch).update(owed_at=NOW)
    batch.hits.update(status=HIT.Status.CLOSED)
    budgets.settle(batch=batch, now=NOW)

    assert reserved(batch) == spent


def live(hit: HIT, fate: str, batch: Batch) -> Decimal:
    """Give a HIT one piece of work with this fate. Returns what has been spent on it in the end."""
    price = Decimal(1) + batch.prices.fee(assignments_per_hit=hit.max_assignments)
    if fate in ("open", "gone", "submitted", "rejected"):
        make_assignment(hit=hit, status={"open": "opened"}.get(fate, fate))
        return Decimal(0)
    if fate in ("approved", "kept_out"):
        make_assignment(hit=hit, status="approved", kept_out=fate == "kept_out")
        return price
    work = make_assignment(hit=hit, status="approved", owed_at=NOW)
    status = {"owed": "confirmed", "paid": "sent"}.get(fate, "waived")
    make_bonus(assignment=work, amount=Decimal("0.27"), status=status)
    return price if status == Bonus.Status.WAIVED else price + Decimal("0.32")


@pytest.mark.django_db(transaction=True)
def test_of_two_launches_for_the_last_dollars_one_wins() -> None:
    study = make_study(budget=Decimal(5))
    make_association(study=study)
    drafts = [make_batch(study=study, reward=Decimal(1), hits_wanted=1) for _ in range(2)]
    user, start, refused = make_user(), Barrier(2), list[str]()

    def launch(batch: Batch) -> None:
        start.wait(timeout=10)
        try:
            launching.launch_batch(batch=batch, by=user, now=NOW)
        except RuleBroken as broken:
            refused.append(broken.code)
        finally:
            connections.close_all()

    threads = [Thread(target=launch, args=(batch,)) for batch in drafts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)

    assert refused == ["over_budget"]
    assert sorted(Batch.objects.values_list("status", flat=True)) == ["draft", "launching"]
    assert Study.objects.get().reserved == Batch.objects.aggregate(sum=Sum("reserved"))["sum"] <= 5
