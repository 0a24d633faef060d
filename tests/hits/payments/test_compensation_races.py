"""People and sweeps at one instant: each bonus gets one HIT and has one outcome."""

from collections import Counter

import pytest

from hits.core.models.audit_events import AuditEvent
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import compensation, paying, refused_bonuses
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from tests.factories import NOW, make_assignment, make_study
from tests.hits.refusals import make_payer, make_refused
from tests.hits.review.test_reviewing_races import AT_ONCE
from tests.races import all_at_once
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db(transaction=True)
Status = Bonus.Status


@pytest.fixture
def bonus(turk: StubbedTurk) -> Bonus:
    return make_refused(make_study())


def start(bonus: Bonus) -> None:
    compensation.start(bonus=bonus, by=make_payer(bonus.assignment.hit.batch.study), now=NOW)


def test_people_who_start_at_once_start_one(bonus: Bonus) -> None:
    payers = [make_payer(bonus.assignment.hit.batch.study) for _ in range(AT_ONCE)]

    outcomes = all_at_once(
        *(lambda by=by: bool(compensation.start(bonus=Bonus.objects.get(), by=by, now=NOW)) for by in payers)
    )

    assert Counter(outcomes) == {True: 1, "not_refused": AT_ONCE - 1}
    assert Batch.objects.filter(task="compensation").count() == 1


def test_hit_of_its_own_or_sent_again_and_never_both(bonus: Bonus, turk: StubbedTurk) -> None:
    Bonus.objects.update(refusal_code="InvalidAssignmentState")
    payer = make_payer(bonus.assignment.hit.batch.study)

    all_at_once(
        lambda: bool(compensation.start(bonus=Bonus.objects.get(), by=payer, now=NOW)),
        lambda: refused_bonuses.send_again(bonus=Bonus.objects.get(), by=payer, now=NOW),
    )
    compensation.send_compensations(now=NOW)
    paying.pay_bonuses(now=NOW)

    status = Bonus.objects.get().status
    batches = Batch.objects.filter(task="compensation").count()
    assert (status == Status.COMPENSATING, batches) in ((True, 1), (False, 0))


def test_sweeps_on_many_machines_make_one_hit(bonus: Bonus, turk: StubbedTurk) -> None:
    start(bonus)

    outcomes = all_at_once(*[lambda: compensation.send_compensations(now=NOW)] * AT_ONCE)

    assert Counter(outcomes) == {1: 1, 0: AT_ONCE - 1}
    assert (HIT.objects.filter(batch__task="compensation").count(), len(turk.qualification_types)) == (1, 1)
    assert Bonus.objects.get().status == Status.COMPENSATING


def test_sweeps_on_many_machines_confirm_once(bonus: Bonus, turk: StubbedTurk) -> None:
    start(bonus)
    compensation.send_compensations(now=NOW)
    hit = HIT.objects.get(batch__task="compensation")
    make_assignment(hit=hit, worker=bonus.assignment.worker, status=Assignment.Status.APPROVED)

    outcomes = all_at_once(*[lambda: compensation.send_compensations(now=NOW)] * AT_ONCE)

    assert Counter(outcomes) == {1: 1, 0: AT_ONCE - 1}
    assert Bonus.objects.get().status == Status.CONFIRMED
    assert AuditEvent.objects.filter(kind="compensation.paid").count() == 1
