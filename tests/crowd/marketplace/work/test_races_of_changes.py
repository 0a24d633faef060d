"""Changes of a HIT while workers work on it: no deadlock, and the ledger agrees."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from functools import partial

import pytest

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import APIError
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import Requester
from crowd.marketplace.operations import OPERATIONS, Call
from crowd.marketplace.services import hit_creation, hit_endings, reviewing, work
from tests.crowd.marketplace.rows import accept, balances, hand_in, post_hit
from tests.crowd.marketplace.work.test_races import all_at_once
from tests.factories import NOW, invite

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 8
REWARD = Decimal("1.00")
SOON = NOW + timedelta(hours=1)
Deed = Callable[[], object]


def told(deed: Deed) -> Deed:
    """Wrap a call so that it returns "done" or the code of its refusal."""

    def attempt() -> object:
        try:
            deed()
        except APIError as refusal:
            return refusal.code
        return "done"

    return attempt


def locked(hit: HIT, deed: Callable[[HIT], object]) -> Deed:
    """Run the change as the API does: in one transaction that locks the HIT first."""

    def change() -> None:
        with atomic():
            deed(hit_creation.lock_hit(hit.pk))

    return told(change)


def call(hit: HIT, operation: str, **params: object) -> Deed:
    def answer() -> None:
        with atomic():
            OPERATIONS[operation](Call(operation=operation, requester=hit.requester, params=params, now=NOW))

    return told(answer)


def fresh(hit: HIT) -> HIT:
    return HIT.objects.select_related("hit_type").get(pk=hit.pk)


def check_books(hit: HIT) -> None:
    """Assert that counters count the rows, what is held may still be owed, and the ledger sums to zero."""
    hit = fresh(hit)
    rows = Counter(Assignment.objects.filter(hit=hit).values_list("status", flat=True))
    counted = {
        "Accepted": hit.pending,
        "Submitted": hit.submitted,
        "Approved": hit.approved,
        "Rejected": hit.rejected,
    }
    places = (0 if hit.closed_at else hit.counts.available) + hit.pending + hit.submitted
    requester = Requester.objects.get(pk=hit.requester_id)
    sums = balances(requester)

    assert {status: rows[status] for status in counted} == counted
    assert requester.on_hold == sums.get("held", 0) == places * (hit.hit_type.reward + hit.fee)
    assert requester.available == sums["available"] == 100 - requester.on_hold - sums.get("workers", 0)
    assert sum(sums.values()) == 0


def post(**changes: object) -> HIT:
    return post_hit(**{"reward": "1.00", **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_extending_while_workers_accept(_round: int) -> None:
    hit = post(max_assignments=1)
    workers = [invite()[0] for _ in range(4)]
    more = [locked(hit, lambda one: hit_creation.add_assignments(hit=one, more=1, now=NOW)) for _ in range(2)]

    outcomes = all_at_once(
        *more, *(partial(lambda who: accept(hit, worker=who).status, who) for who in workers)
    )

    assert outcomes["done"] == 2
    assert 1 <= outcomes["Accepted"] <= 3
    assert fresh(hit).max_assignments == 3
    check_books(hit)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_deleting_while_a_rejection_is_overridden(_round: int) -> None:
    hit = post()
    assignment = hand_in(hit)
    reviewing.reject_assignment(assignment=assignment, feedback="No.", now=NOW)
    override = partial(
        reviewing.approve_assignment, assignment=assignment, feedback="", override=True, now=NOW
    )

    outcomes = all_at_once(locked(hit, lambda one: hit_endings.dispose_hit(hit=one, now=NOW)), told(override))

    is_paid = Assignment.objects.get(pk=assignment.pk).status == "Approved"
    assert outcomes == ({"done": 2} if is_paid else {"done": 1, "InvalidAssignmentState": 1})
    assert fresh(hit).disposed_at == NOW
    assert balances(hit.requester).get("workers", 0) == (REWARD if is_paid else 0)
    check_books(hit)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_submitting_while_the_hit_is_expired(_round: int) -> None:
    hit = post(max_assignments=3)
    begun = [accept(hit) for _ in range(2)]
    submits = [partial(work.submit_assignment, assignment=one, answer="<answer/>", now=NOW) for one in begun]

    outcomes = all_at_once(
        *submits, locked(hit, lambda one: hit_endings.set_expiration(hit=one, expires_at=NOW, now=NOW))
    )

    assert outcomes == {True: 2, "done": 1}
    assert hit_creation.hit_status(fresh(hit)) == "Reviewable"
    assert balances(hit.requester)["held"] == 2
    check_books(hit)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_approving_while_the_time_approves(_round: int) -> None:
    hit = post(delay_s=60, max_assignments=2)
    assignment = hand_in(hit)
    due = NOW + timedelta(seconds=60)
    approve = partial(
        reviewing.approve_assignment, assignment=assignment, feedback="", override=False, now=due
    )
    reject = partial(reviewing.reject_assignment, assignment=assignment, feedback="No.", now=due)
    settle = partial(work.settle, now=due)

    outcomes = all_at_once(told(approve), told(reject), told(settle), told(settle))

    # Both settling calls are done; of the two reviews at most one came first.
    assert outcomes["done"] in (2, 3)
    assert outcomes["done"] + outcomes["InvalidAssignmentState"] == 4
    assert sum(balances(hit.requester).get(name, 0) for name in ("workers", "fees")) in (0, REWARD)
    check_books(hit)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_lengthening_while_the_time_expires_leaves_it_open(_round: int) -> None:
    hit = post(max_assignments=2, lifetime=timedelta(hours=1))
    later = SOON + timedelta(hours=1)
    settle = partial(work.settle, now=SOON)

    all_at_once(
        told(settle),
        locked(hit, lambda one: hit_endings.set_expiration(hit=one, expires_at=later, now=SOON)),
        told(settle),
        told(settle),
    )

    assert (fresh(hit).expires_at, fresh(hit).closed_at) == (later, None)
    assert balances(hit.requester)["held"] == 2
    check_books(hit)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_one_token_at_once_extends_once(_round: int) -> None:
    hit = post()
    extend = call(
        hit,
        "CreateAdditionalAssignmentsForHIT",
        HITId=hit.external_id,
        NumberOfAdditionalAssignments=2,
        UniqueRequestToken="once",
    )

    outcomes = all_at_once(*[extend] * 4)

    assert outcomes == {"done": 1, "InvalidParameterValue": 3}
    assert fresh(hit).max_assignments == 3
    check_books(hit)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_changing_the_type_while_a_worker_accepts(_round: int) -> None:
    hit = post(max_assignments=2)
    dearer = post_hit(requester=hit.requester, reward="5.00", title="Dearer")
    with atomic():
        hit_endings.expire_hit(hit=dearer, now=NOW)
    worker = invite()[0]

    outcomes = all_at_once(
        locked(hit, lambda one: hit_creation.change_type(hit=one, hit_type=dearer.hit_type, now=NOW)),
        lambda: accept(hit, worker=worker).status,
    )

    changed = fresh(hit).hit_type_id == dearer.hit_type_id
    assert outcomes == {"Accepted": 1, "done" if changed else "InvalidHITState": 1}
    check_books(hit)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_everything_at_once_deadlocks_nobody(_round: int) -> None:
    hit = post(max_assignments=4, delay_s=0)
    begun = [accept(hit) for _ in range(3)]

    outcomes = all_at_once(
        *(partial(work.submit_assignment, assignment=one, answer="<answer/>", now=NOW) for one in begun[:2]),
        partial(work.return_assignment, assignment=begun[2], now=NOW),
        locked(hit, lambda one: hit_creation.add_assignments(hit=one, more=1, now=NOW)),
        locked(hit, lambda one: hit_endings.set_expiration(hit=one, expires_at=NOW, now=NOW)),
        locked(hit, lambda one: hit_endings.dispose_hit(hit=one, now=NOW)),
        lambda: accept(hit).status,
        told(partial(work.settle, now=NOW)),
    )

    assert outcomes[True] == 3
    assert sum(outcomes.values()) == 8
    check_books(hit)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_approving_while_bonuses_are_sent_to_the_same_worker(_round: int) -> None:
    hit = post()
    worker, _ = invite()
    first = hand_in(hit, worker=worker)
    second = hand_in(post(requester=hit.requester, title="Another"), worker=worker)
    approve = partial(reviewing.approve_assignment, assignment=second, feedback="", override=False, now=NOW)
    reward = call(
        hit,
        "SendBonus",
        AssignmentId=first.external_id,
        WorkerId=worker.external_id,
        BonusAmount="0.10",
        Reason="Thanks.",
    )

    outcomes = all_at_once(told(approve), reward, reward, reward)

    assert outcomes == {"done": 4}
    worker.refresh_from_db()
    assert (worker.approved, worker.owed) == (1, Decimal("1.30"))


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_handing_in_work_approved_at_once_while_a_bonus_is_sent(_round: int) -> None:
    worker, _ = invite()
    hit = post(delay_s=0)
    done = hand_in(post(requester=hit.requester, title="Another"), worker=worker)
    assignment = accept(hit, worker=worker)
    submit = partial(work.submit_assignment, assignment=assignment, answer="<answer/>", now=NOW)
    bonus = call(
        hit,
        "SendBonus",
        AssignmentId=done.external_id,
        WorkerId=worker.external_id,
        BonusAmount="0.10",
        Reason="Thanks.",
    )

    outcomes = all_at_once(told(submit), bonus, bonus)

    assert outcomes == {"done": 3}
    worker.refresh_from_db()
    assert (worker.submitted, worker.approved, worker.owed) == (2, 1, Decimal("1.20"))
