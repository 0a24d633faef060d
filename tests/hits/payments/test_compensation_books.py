"""A HIT that pays a bonus is money and no work: how wages, the close and the three-way match count it."""

from datetime import timedelta
from decimal import Decimal

import pytest

from hits.batches.queries import live_figures
from hits.batches.queries.hourly_pay import pay_of, top_ups_due
from hits.batches.services import batch_counters
from hits.core.domain.months import Month
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.matches import Difference, Match
from hits.payments.queries.month_closes import lines_of_close
from hits.payments.services import compensation, three_way_match
from hits.people.queries.worker_record import median_time
from hits.studies.models import Batch, Study
from hits.studies.services import mark_stale
from hits.work.models.assignments import Assignment
from tests.factories import NOW, make_study
from tests.hits.payments.test_compensation import LATER, hand_in, send, work_through
from tests.hits.refusals import make_payer, make_refused
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return make_study(budget=Decimal(10))


@pytest.fixture
def bonus(study: Study, turk: StubbedTurk) -> Bonus:
    return make_refused(study)


def pay_by_hit(bonus: Bonus, turk: StubbedTurk) -> Batch:
    """Pay the bonus by a HIT, from the button to the approved work."""
    payer = make_payer(bonus.assignment.hit.batch.study)
    batch = compensation.start(bonus=bonus, by=payer, now=NOW)
    send()
    hand_in(turk, bonus)
    work_through()
    batch.refresh_from_db()
    bonus.refresh_from_db()
    return batch


def test_compensation_is_no_work_in_wages_and_times(bonus: Bonus, study: Study, turk: StubbedTurk) -> None:
    Study.objects.update(wage_floor=Decimal("99.00"))
    batch = pay_by_hit(bonus, turk)
    Assignment.objects.filter(hit__batch=batch).update(worked_s=600, active_s=600, owed_at=LATER)
    mark_stale(batch.pk)

    batch_counters.refresh_stale(now=LATER)

    batch = Batch.objects.get(pk=batch.pk)
    assert (pay_of(batch).approved, top_ups_due(batch, most=9)) == (0, [])
    assert (batch.figures["median_s"], batch.figures["is_below_floor"]) == (None, False)
    assert (
        live_figures.times_of(batch).measured,
        median_time(bonus.assignment.worker, make_payer(study)),
    ) == (
        0,
        None,
    )


def test_compensation_stands_in_a_close_as_what_it_is(bonus: Bonus, study: Study, turk: StubbedTurk) -> None:
    pay_by_hit(bonus, turk)

    slices = lines_of_close(study=study, month=Month(2026, 11), with_ids=False)

    assert [(line.item, line.amount) for held in slices for line in held if line.part == "payment"] == [
        ("Reward of approved work", Decimal("0.03")),
        ("Fee on a reward", Decimal("0.01")),
        ("Bonus paid by a HIT of its own", Decimal("0.27")),
        ("Fee on a bonus paid by a HIT of its own", Decimal("0.05")),
    ]


def test_match_expects_a_reward_for_a_compensation_and_no_bonus(bonus: Bonus, turk: StubbedTurk) -> None:
    account = bonus.assignment.account
    three_way_match.match_account(account=account, provider=turk.provider, full=True, by=None, now=NOW)
    pay_by_hit(bonus, turk)
    turk.balance -= Decimal("0.05")  # the fee: the reward was held from the start
    turk.hits[bonus.assignment.hit.external_id] = {"MaxAssignments": 1}

    match = three_way_match.match_account(
        account=account, provider=turk.provider, full=True, by=None, now=LATER + timedelta(hours=3)
    )

    assert (match.status, match.problem) == (Match.Status.DONE, "")
    assert (match.balance, match.ours, match.theirs) == (match.expected_balance, Decimal(0), Decimal(0))
    assert list(Difference.objects.values_list("cause", "words")) == []


def test_match_finds_a_bonus_that_was_paid_by_a_hit_and_sent_besides(bonus: Bonus, turk: StubbedTurk) -> None:
    work = bonus.assignment
    pay_by_hit(bonus, turk)
    turk.hits[work.hit.external_id] = {"MaxAssignments": 1}
    turk.assignments[work.external_id] = {"HITId": work.hit.external_id}
    turk.bonuses.append(
        {
            "AssignmentId": work.external_id,
            "WorkerId": work.worker.external_id,
            "BonusAmount": "0.27",
            "Reason": bonus.reason_with_reference,
        }
    )

    three_way_match.match_account(account=work.account, provider=turk.provider, full=True, by=None, now=LATER)

    row = Difference.objects.get()
    assert (row.cause, row.ours, row.theirs) == (Difference.Cause.TWICE, Decimal(0), Decimal("0.27"))
    assert row.effect == Decimal("-0.32")
    assert row.words.startswith("The list shows $0.27 for the bonus “tier”")
    assert row.words.endswith("which a HIT of its own has paid already.")
