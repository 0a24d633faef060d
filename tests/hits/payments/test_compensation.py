from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from hits import families
from hits.batches.services import (
    batch_counters,
    batch_lifecycle,
    drafting,
    hit_changes,
    launching,
    sending_hits,
)
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.ledger.services import rewards
from hits.payments.models.runs import RunRow
from hits.payments.services import compensation, compensation_hits, kill_switch, paying
from hits.payments.services.bonus_states import move_bonus
from hits.people.services import blocking
from hits.review.services import reviewing
from hits.studies.models import Batch, Study
from hits.sync.services import push_decisions, reconciling
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT, Change
from hits.work.services import eligibility
from scoring.services import score_recording as scoring
from tests.factories import (
    NOW,
    make_assignment,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.hits.refusals import AMOUNT, make_payer, make_refused
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
Status = Bonus.Status
LATER = NOW + timedelta(minutes=10)


@pytest.fixture
def study() -> Study:
    return make_study(budget=Decimal(10))


@pytest.fixture
def bonus(study: Study, turk: StubbedTurk) -> Bonus:
    """Bonus that two people approved, that was sent, and that was refused: the provider lost its work."""
    return make_refused(study)


@pytest.fixture
def payer(study: Study) -> User:
    return make_payer(study)


def send(now: Any = NOW) -> None:
    """Do what the background does between a started compensation and an open HIT."""
    compensation.send_compensations(now=now)
    sending_hits.send_launching_batches(now=now)


def work_through(now: Any = LATER) -> None:
    reconciling.reconcile_everything(now=now)
    scoring.judge_submitted(now=now)
    push_decisions.approve_judged(now=now)
    rewards.book_rewards(now=now)
    compensation.send_compensations(now=now)
    batch_counters.refresh_stale(now=now)


def hand_in(turk: StubbedTurk, bonus: Bonus) -> str:
    """Submit the compensation's HIT at the provider as the bonus's worker."""
    [hit] = turk.hits
    assignment, _ = turk.submit(hit, answer='{"collected": true}')
    turk.assignments[assignment]["WorkerId"] = bonus.assignment.worker.external_id
    return assignment


def books(study: Study) -> dict[str, Decimal]:
    """Balance of each book of the study; empty books are left out."""
    sums: dict[str, Decimal] = {}
    for source, target, amount in LedgerEntry.objects.filter(study=study).values_list(
        "source", "target", "amount"
    ):
        sums[target] = sums.get(target, Decimal(0)) + amount
        sums[source] = sums.get(source, Decimal(0)) - amount
    return {book: total for book, total in sorted(sums.items()) if total}


def states(bonus: Bonus) -> tuple[str, int | None]:
    bonus.refresh_from_db()
    return bonus.status, bonus.compensation_id


def test_start_makes_a_hit_for_this_worker_alone(bonus: Bonus, payer: User) -> None:
    batch = compensation.start(bonus=bonus, by=payer, now=NOW)

    assert states(bonus) == (Status.COMPENSATING, batch.pk)
    assert (batch.status, batch.reward, batch.sizes, batch.hits_wanted) == ("draft", AMOUNT, [1], 1)
    assert (batch.study, batch.account) == (bonus.assignment.hit.batch.study, bonus.assignment.account)
    assert (batch.created_by, batch.task, batch.review_by) == (payer, "compensation", "auto")
    assert "Three of four." in batch.description
    assert bonus.assignment.worker.external_id not in batch.title + batch.description
    assert AuditEvent.objects.get(kind="compensation.started").bonus == bonus


def test_compensation_is_sent_handed_in_and_confirmed(
    bonus: Bonus, payer: User, study: Study, turk: StubbedTurk
) -> None:
    compensation.start(bonus=bonus, by=payer, now=NOW)
    send()
    [(type_id, workers)] = turk.qualified.items()
    batch = Batch.objects.get(task="compensation")
    out = (batch.status, [row["QualificationTypeId"] for row in batch.requirements])
    hand_in(turk, bonus)

    work_through()

    assert (turk.qualification_types[type_id].endswith(f"[{bonus.token}]"), workers) == (
        True,
        [bonus.assignment.worker.external_id],
    )
    assert out == ("open", [type_id])
    assert states(bonus) == (Status.CONFIRMED, batch.pk)
    assert (bonus.confirmed_at, turk.bonuses) == (LATER, [])
    assert Assignment.objects.get(hit__batch=batch).status == Assignment.Status.APPROVED
    assert Bonus.objects.count() == 1


def test_books_after_a_compensation_hold_its_reward_and_fees(
    bonus: Bonus, payer: User, study: Study, turk: StubbedTurk
) -> None:
    batch_counters.refresh_stale(now=NOW)
    before = books(study)
    compensation.start(bonus=bonus, by=payer, now=NOW)
    send()
    hand_in(turk, bonus)
    work_through()
    work_through()

    study.refresh_from_db()
    # First the original work: 0.03 and its fee. The bonus: 0.27, and the fee of a reward of 0.27.
    assert before == books_of(approved="0.27", confirmed="0.03", fees="0.01", reserved="0.05", budget="9.64")
    assert books(study) == books_of(confirmed="0.30", fees="0.06", budget="9.32", released="0.32")
    assert study.reserved == Decimal("0.36")


def books_of(**wanted: str) -> dict[str, Decimal]:
    return dict(sorted({"grant": Decimal(-10), **{k: Decimal(v) for k, v in wanted.items()}}.items()))


def test_compensating_bonus_is_never_sent(bonus: Bonus, payer: User, turk: StubbedTurk) -> None:
    compensation.start(bonus=bonus, by=payer, now=NOW)

    moved = [
        move_bonus(bonus, to, now=NOW)
        for to in (Status.APPROVED, Status.SENDING, Status.SENT, Status.UNKNOWN, Status.OWED)
    ]
    paying.pay_bonuses(now=NOW)

    assert moved == [False] * 5
    assert (states(bonus)[0], turk.bonuses) == (Status.COMPENSATING, [])


@pytest.mark.parametrize("fault", ["before", "after"])
@pytest.mark.parametrize(
    "operation", ["create_qualification_type", "associate_qualification_with_worker", "create_hit"]
)
def test_send_of_unknown_outcome_goes_on_where_it_was(
    bonus: Bonus, payer: User, turk: StubbedTurk, operation: str, fault: str
) -> None:
    compensation.start(bonus=bonus, by=payer, now=NOW)
    turk.faults[operation] = [fault]

    send()
    send(LATER)
    send(LATER)

    assert (len(turk.qualification_types), len(turk.hits)) == (1, 1)
    assert [len(workers) for workers in turk.qualified.values()] == [1]
    assert states(bonus)[0] == Status.COMPENSATING
    assert Batch.objects.get(task="compensation").status == Batch.Status.OPEN


class KilledError(Exception):
    pass


@pytest.mark.parametrize("place", ["_qualify", "launch_batch"])
def test_send_killed_in_between_goes_on(
    bonus: Bonus, payer: User, turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    compensation.start(bonus=bonus, by=payer, now=NOW)
    whole: Callable[..., Any] = getattr(compensation_hits, place)

    def dies(*args: Any, **kwargs: Any) -> None:
        whole(*args, **kwargs)
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(compensation_hits, place, dies)
        with pytest.raises(KilledError):
            send()
    send()

    assert (len(turk.qualification_types), len(turk.hits)) == (1, 1)
    assert states(bonus)[0] == Status.COMPENSATING


def test_hit_that_nobody_took_gives_the_bonus_back_and_can_be_started_again(
    bonus: Bonus, payer: User, study: Study, turk: StubbedTurk
) -> None:
    batch_counters.refresh_stale(now=NOW)
    before = books(study)
    first = compensation.start(bonus=bonus, by=payer, now=NOW)
    send()
    [hit] = turk.hits
    turk.hits[hit]["expired"] = True

    work_through()
    back = (*states(bonus), bonus.problem)
    after = books(study)
    second = compensation.start(bonus=bonus, by=payer, now=LATER)
    send(LATER)

    assert back == (Status.REFUSED, None, compensation_hits.LAPSED)
    assert {**after, "budget": Decimal(0), "released": Decimal(0)} == {
        **before,
        "budget": Decimal(0),
        "released": Decimal(0),
    }
    assert states(bonus) == (Status.COMPENSATING, second.pk)
    assert (second.pk != first.pk, len(turk.hits), len(turk.qualification_types)) == (True, 2, 1)


def test_rejected_at_the_provider_it_stays_and_is_paid_once_that_is_taken_back(
    bonus: Bonus, payer: User, turk: StubbedTurk
) -> None:
    compensation.start(bonus=bonus, by=payer, now=NOW)
    send()
    assignment = hand_in(turk, bonus)
    turk.reject(assignment)
    work_through()
    rejected = states(bonus)[0]

    turk.assignments[assignment]["AssignmentStatus"] = "Approved"
    HIT.objects.filter(batch__task="compensation").update(status="open", look_at=NOW)
    work_through()

    assert (rejected, states(bonus)[0]) == (Status.COMPENSATING, Status.CONFIRMED)


def test_work_of_somebody_else_is_not_the_bonus(bonus: Bonus, payer: User, turk: StubbedTurk) -> None:
    compensation.start(bonus=bonus, by=payer, now=NOW)
    send()
    [hit] = turk.hits
    assignment, _ = turk.submit(hit, answer="{}")
    turk.assignments[assignment]["AssignmentStatus"] = "Approved"

    work_through()

    assert states(bonus) == (Status.REFUSED, None)


def test_provider_that_refuses_the_worker_gives_the_bonus_back(
    bonus: Bonus, payer: User, turk: StubbedTurk
) -> None:
    turk.strangers.add(bonus.assignment.worker.external_id)
    batch = compensation.start(bonus=bonus, by=payer, now=NOW)

    send()

    batch.refresh_from_db()
    assert states(bonus) == (Status.REFUSED, None)
    assert (batch.status, turk.hits) == (Batch.Status.CANCELLED, {})
    assert bonus.problem.endswith(f"There is no worker {bonus.assignment.worker.pseudonym}.")
    assert compensation.can_compensate(bonus)


def test_budget_that_is_used_up_gives_the_bonus_back(
    bonus: Bonus, payer: User, study: Study, turk: StubbedTurk
) -> None:
    compensation.start(bonus=bonus, by=payer, now=NOW)
    batch_counters.refresh_stale(now=NOW)
    Study.objects.update(budget=Decimal("0.05"))

    send()

    assert (states(bonus), turk.hits) == ((Status.REFUSED, None), {})
    assert "Raise the study's budget" in bonus.problem


def test_budget_that_only_just_held_the_bonus_holds_its_hit(
    bonus: Bonus, payer: User, study: Study, turk: StubbedTurk
) -> None:
    batch_counters.refresh_stale(now=NOW)
    study.refresh_from_db()
    Study.objects.update(budget=study.reserved)
    compensation.start(bonus=bonus, by=payer, now=NOW)

    send()

    assert (states(bonus)[0], len(turk.hits)) == (Status.COMPENSATING, 1)


def test_bonus_that_the_list_names_by_now_is_not_paid_again(
    bonus: Bonus, payer: User, turk: StubbedTurk
) -> None:
    work = bonus.assignment
    turk.assignments[work.external_id] = {"HITId": work.hit.external_id}
    turk.bonuses.append(
        {
            "AssignmentId": work.external_id,
            "WorkerId": work.worker.external_id,
            "BonusAmount": "0.27",
            "Reason": bonus.reason_with_reference,
        }
    )
    compensation.start(bonus=bonus, by=payer, now=NOW)

    send()

    assert (states(bonus), bonus.problem) == ((Status.REFUSED, None), compensation_hits.LISTED)
    assert (turk.hits, turk.qualification_types) == ({}, {})


@pytest.mark.parametrize("everywhere", [True, False])
def test_nothing_is_sent_while_payments_are_stopped(
    bonus: Bonus, payer: User, turk: StubbedTurk, everywhere: bool
) -> None:
    operator = make_user(is_superuser=True)
    account = None if everywhere else bonus.assignment.account
    compensation.start(bonus=bonus, by=payer, now=NOW)
    halt = kill_switch.halt_payments(account=account, reason="Wait.", by=operator, now=NOW)
    send()
    stopped = dict(turk.hits)

    kill_switch.lift_halt(halt=halt, by=operator, now=NOW)
    send()

    assert (stopped, len(turk.hits)) == ({}, 1)


def test_take_back_ends_the_hit_and_then_gives_the_bonus_back(
    bonus: Bonus, payer: User, turk: StubbedTurk
) -> None:
    compensation.start(bonus=bonus, by=payer, now=NOW)
    send()

    compensation.take_back(bonus=bonus, by=payer, now=NOW)
    compensation.send_compensations(now=NOW)
    ending = states(bonus)[0]
    hit_changes.send_changes(now=NOW)
    work_through()

    assert (ending, states(bonus)) == (Status.COMPENSATING, (Status.REFUSED, None))


def test_take_back_before_it_was_sent_sends_nothing(bonus: Bonus, payer: User, turk: StubbedTurk) -> None:
    compensation.start(bonus=bonus, by=payer, now=NOW)

    compensation.take_back(bonus=bonus, by=payer, now=NOW)
    send()

    assert (states(bonus), turk.hits) == ((Status.REFUSED, None), {})


def hold(bonus: Bonus) -> None:
    Bonus.objects.update(held_at=NOW, held_by=make_user(), held_reason="Wait.")


def block(bonus: Bonus) -> None:
    by = make_user(is_superuser=True)
    blocking.block_worker(worker=bonus.assignment.worker, kind="soft", reason="Copied.", by=by, now=NOW)


def change_the_amount(bonus: Bonus) -> None:
    Bonus.objects.update(amount=Decimal("2.70"))


def take_out_of_its_run(bonus: Bonus) -> None:
    RunRow.objects.update(is_live=False)


def approve_by_one(bonus: Bonus) -> None:
    Bonus.objects.update(before_runs=True)


def run_out_of_funds(bonus: Bonus) -> None:
    Bonus.objects.update(refusal_code="InsufficientFunds")


def leave_it_approved(bonus: Bonus) -> None:
    Bonus.objects.update(status=Status.APPROVED)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (hold, "other_action"),
        (block, "blocked"),
        (change_the_amount, "changed"),
        (take_out_of_its_run, "changed"),
        (approve_by_one, "other_action"),
        (run_out_of_funds, "other_action"),
        (leave_it_approved, "not_refused"),
    ],
)
def test_start_refused_changes_nothing(
    bonus: Bonus, payer: User, change: Callable[[Bonus], None], code: str
) -> None:
    change(bonus)
    bonus.refresh_from_db()
    before = snapshot()

    with pytest.raises(RuleBroken) as refusal:
        compensation.start(bonus=bonus, by=payer, now=NOW)

    assert (refusal.value.code, snapshot()) == (code, before)


def stranger(study: Study) -> User:
    """User who sees the study, but may not settle bonuses."""
    user = make_user()
    study.members.add(user)
    return user


def payer_elsewhere(_: Study) -> User:
    return make_payer(make_study())


@pytest.mark.parametrize(("make", "code"), [(stranger, "not_allowed"), (payer_elsewhere, "not_visible")])
@pytest.mark.parametrize("act", [compensation.start, compensation.take_back])
def test_who_may_not_changes_nothing(
    bonus: Bonus, payer: User, make: Callable[[Study], User], code: str, act: Callable[..., Any]
) -> None:
    if act is compensation.take_back:
        compensation.start(bonus=bonus, by=payer, now=NOW)
    somebody = make(bonus.assignment.hit.batch.study)
    before = snapshot()

    with pytest.raises(RuleBroken) as refusal:
        act(bonus=bonus, by=somebody, now=NOW)

    assert (refusal.value.code, snapshot()) == (code, before)


def snapshot() -> tuple[Any, ...]:
    return (
        list(Bonus.objects.order_by("pk").values()),
        list(Batch.objects.order_by("pk").values("pk", "status", "reward", "requirements")),
        LedgerEntry.objects.count(),
        AuditEvent.objects.count(),
        HIT.objects.count(),
        Change.objects.count(),
    )


def test_start_twice_makes_one_hit(bonus: Bonus, payer: User) -> None:
    stale = Bonus.objects.get(pk=bonus.pk)
    compensation.start(bonus=bonus, by=payer, now=NOW)

    with pytest.raises(RuleBroken) as refusal:
        compensation.start(bonus=stale, by=payer, now=NOW)

    assert (refusal.value.code, Batch.objects.filter(task="compensation").count()) == ("not_refused", 1)


BY_HAND: dict[str, Callable[[Batch, User], Any]] = {
    "launch": lambda batch, by: launching.launch_batch(batch=batch, by=by, now=NOW, confirmed=True),
    "change": lambda batch, _: drafting.save_step(batch=batch, step="terms", values={"reward": Decimal(9)}),
    "copy": lambda batch, by: drafting.copy_batch(batch=batch, by=by),
    "delete": lambda batch, _: drafting.delete_draft(batch=batch),
}


@pytest.mark.parametrize("verb", BY_HAND)
def test_draft_that_pays_a_bonus_is_nobodys_to_touch(bonus: Bonus, payer: User, verb: str) -> None:
    batch = compensation.start(bonus=bonus, by=payer, now=NOW)
    researcher = make_user(is_superuser=True)
    before = snapshot()

    with pytest.raises(RuleBroken) as refusal:
        BY_HAND[verb](batch, researcher)

    assert (refusal.value.code, snapshot()) == ("not_by_hand", before)


def of(batch: Batch) -> Any:
    return HIT.objects.filter(batch=batch)


STEER: dict[str, Callable[[Batch, User], Any]] = {
    "add hits": lambda batch, by: batch_lifecycle.add_hits(batch=batch, count=1, by=by, now=NOW),
    "add places": lambda batch, by: batch_lifecycle.add_places(hits=of(batch), places=1, by=by, now=NOW),
    "extend": lambda batch, by: batch_lifecycle.extend_hits(hits=of(batch), seconds=60, by=by, now=NOW),
}


@pytest.mark.parametrize("verb", STEER)
def test_hit_that_pays_a_bonus_grows_by_nobodys_hand(
    bonus: Bonus, payer: User, turk: StubbedTurk, verb: str
) -> None:
    batch = compensation.start(bonus=bonus, by=payer, now=NOW)
    send()
    researcher = make_user(is_superuser=True)
    before = snapshot()

    with pytest.raises(RuleBroken) as refusal:
        STEER[verb](batch, researcher)

    assert (refusal.value.code, snapshot()) == ("not_by_hand", before)


def test_work_that_pays_a_bonus_is_not_rejected(bonus: Bonus, payer: User, turk: StubbedTurk) -> None:
    batch = compensation.start(bonus=bonus, by=payer, now=NOW)
    work = make_assignment(
        hit=make_hit(batch=batch), worker=bonus.assignment.worker, status="submitted", judged_at=NOW
    )

    with pytest.raises(RuleBroken) as refusal:
        reviewing.decide(assignment=work, kind="reject", reason="No.", by=payer, now=NOW)

    assert refusal.value.code == "pays_a_bonus"
    assert not work.decisions.exists()


@pytest.mark.parametrize("returned", [True, False])
def test_entry_is_for_its_worker_and_only_while_it_pays(
    bonus: Bonus, payer: User, turk: StubbedTurk, returned: bool
) -> None:
    batch = compensation.start(bonus=bonus, by=payer, now=NOW)
    hit = make_hit(batch=batch)
    worker = bonus.assignment.worker if returned else make_worker(account=batch.account)
    eligibility.refuse_entry(hit=hit, worker=bonus.assignment.worker, now=NOW)
    if returned:
        move_bonus(bonus, Status.REFUSED, now=NOW, compensation=None)

    with pytest.raises(RuleBroken) as refusal:
        eligibility.refuse_entry(hit=hit, worker=worker, now=NOW)

    assert refusal.value.code == "for_another"


def test_task_is_offered_to_no_researcher(bonus: Bonus, payer: User) -> None:
    assert ("compensation" in families.offered(), "compensation" in families.registered()) == (False, True)
