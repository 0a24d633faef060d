"""Decisions on submitted work: who may decide, when a decision is sent, and what it means for the data."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from crowd.statement.statement_links import address_of_work
from crowd.winogavil.models import Association
from crowd.winogavil.services.final_associations import finalize_associations
from hits.core.domain.days import day_around
from hits.core.errors import ProviderRefused, RuleBroken
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import accrual
from hits.providers.gateway import registry
from hits.providers.gateway.interface import Provider
from hits.review.services import reviewing
from hits.studies.models import Batch
from hits.sync.services import push_decisions
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision, Note
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services import leasing
from scoring.services.score_recording import judge_submitted, scores_of
from tests.factories import (
    NOW,
    make_assignment,
    make_association,
    make_batch,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.stubbed import Refused, StubbedTurk

pytestmark = pytest.mark.django_db
Kind = Decision.Kind
Status = Decision.Status
DUE = NOW + reviewing.UNDO_FOR


@pytest.fixture
def hand_in(turk: StubbedTurk) -> Callable[..., Assignment]:
    """Make work that the provider knows as submitted, and that has an answer unless changed."""

    def made(*, batch: Batch | None = None, **changes: Any) -> Assignment:
        hit = make_hit(batch=batch or make_batch(status="open", review_by="hand"))
        turk.hits[hit.external_id] = {"HITId": hit.external_id, "RequesterAnnotation": "", "expired": False}
        external_id, worker = turk.submit(hit.external_id, answer="x")
        values: dict[str, Any] = {
            "hit": hit,
            "external_id": external_id,
            "worker": make_worker(account=hit.batch.account, external_id=worker),
            "status": "submitted",
            "judged_at": NOW,
            "answer": {"any": []},
        }
        return make_assignment(**{**values, **changes})

    return made


@pytest.fixture
def work(hand_in: Callable[..., Assignment]) -> Assignment:
    return hand_in()


def decide(work: Assignment, kind: str, **changes: Any) -> Decision:
    reason = "Every answer is the first picture." if kind == Kind.REJECT else ""
    values: dict[str, Any] = {"reason": reason, "by": changes.pop("by", None) or make_user(), "now": NOW}
    return reviewing.decide(assignment=work, kind=kind, **{**values, **changes})


def state(work: Assignment) -> tuple[str, bool]:
    found = Assignment.objects.get(pk=work.pk)
    return found.status, found.kept_out


def at_provider(turk: StubbedTurk, work: Assignment) -> str:
    return str(turk.assignments[work.external_id]["AssignmentStatus"])


@pytest.mark.parametrize(
    ("kind", "there", "here"),
    [
        (Kind.APPROVE, "Approved", ("approved", False)),
        (Kind.KEEP_OUT, "Approved", ("approved", True)),
        (Kind.REJECT, "Rejected", ("rejected", False)),
    ],
)
def test_decision_leaves_when_it_can_be_undone_no_more(
    work: Assignment, turk: StubbedTurk, kind: str, there: str, here: tuple[str, bool]
) -> None:
    decide(work, kind)

    early = push_decisions.send_decisions(now=DUE - timedelta(seconds=1))
    before = (at_provider(turk, work), state(work))
    due = push_decisions.send_decisions(now=DUE)
    again = push_decisions.send_decisions(now=DUE)

    assert (early, due, again) == (0, 1, 0)
    assert before == ("Submitted", ("submitted", False))
    assert (at_provider(turk, work), state(work)) == (there, here)
    assert Decision.objects.get().status == Status.DONE
    assert Batch.objects.get(pk=work.hit.batch_id).is_stale


def test_decide_on_lost_work(hand_in: Callable[..., Assignment], turk: StubbedTurk) -> None:
    work = hand_in(answer=None, judged_at=None)
    decide(work, Kind.REJECT)

    push_decisions.send_decisions(now=DUE)

    assert (at_provider(turk, work), state(work)) == ("Rejected", ("rejected", False))


def test_decide_twice_decides_once(work: Assignment) -> None:
    first = decide(work, Kind.APPROVE)

    with pytest.raises(RuleBroken) as broken:
        decide(work, Kind.REJECT)

    assert broken.value.code == "decided_already"
    assert Decision.objects.get() == first


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        ("opened", Kind.APPROVE, "not_submitted"),
        ("approved", Kind.APPROVE, "decided_already"),
        ("approved", Kind.REJECT, "decided_already"),
        ("rejected", Kind.APPROVE, "decided_already"),
        ("submitted", Kind.OVERRIDE, "decided_already"),
        ("submitted", "burn", "unknown_kind"),
    ],
)
def test_decide_refuses_what_the_work_does_not_allow(status: str, kind: str, code: str) -> None:
    work = make_assignment(status=status)

    with pytest.raises(RuleBroken) as broken:
        decide(work, kind)

    assert broken.value.code == code
    assert not Decision.objects.exists()


@pytest.mark.parametrize("reason", ["", "   ", "x" * 1025, "a\x07b", "two\nlines"])
def test_reject_needs_a_reason_that_the_provider_takes(work: Assignment, reason: str) -> None:
    with pytest.raises(RuleBroken):
        decide(work, Kind.REJECT, reason=reason)

    assert not Decision.objects.exists()


def test_undo_in_time_and_the_work_can_be_decided_anew(work: Assignment, turk: StubbedTurk) -> None:
    by = make_user()
    hasty = decide(work, Kind.REJECT, by=by)

    reviewing.undo(decision=hasty, by=by, now=NOW + timedelta(seconds=5))
    decide(work, Kind.APPROVE, by=by, now=NOW + timedelta(seconds=6))
    push_decisions.send_decisions(now=DUE + timedelta(seconds=6))

    assert [row.status for row in Decision.objects.order_by("pk")] == [Status.UNDONE, Status.DONE]
    assert at_provider(turk, work) == "Approved"


@pytest.mark.parametrize("claimed", [False, True])
def test_undo_is_refused_to_others_and_once_it_was_sent(work: Assignment, claimed: bool) -> None:
    by = make_user()
    decision = decide(work, Kind.APPROVE, by=by)
    if claimed:
        Decision.objects.update(claimed_at=DUE)

    with pytest.raises(RuleBroken) as broken:
        reviewing.undo(decision=decision, by=by if claimed else make_user(), now=NOW)

    assert broken.value.code == ("sent_already" if claimed else "not_yours")
    assert Decision.objects.get().status == Status.INTENDED


@pytest.mark.parametrize("reason", ["Two pictures are wrong.", "x" * 1024])
def test_refusal_carries_the_link_to_where_its_worker_asks(
    work: Assignment, turk: StubbedTurk, reason: str
) -> None:
    decide(work, Kind.REJECT, reason=reason)

    push_decisions.send_decisions(now=DUE)

    feedback = turk.feedback[work.external_id]
    said, _, link = feedback.partition(" · Ask about it: ")
    assert len(feedback) <= 1024
    assert said.removesuffix("…") == reason[: len(said.removesuffix("…"))] != ""
    assert link == address_of_work(Assignment.objects.get())


def test_approval_carries_the_link_too(work: Assignment, turk: StubbedTurk) -> None:
    decide(work, Kind.APPROVE)

    push_decisions.send_decisions(now=DUE)

    assert turk.feedback[work.external_id].startswith("Ask about it: http://127.0.0.1:8000/statement/")


@pytest.mark.parametrize("fault", ["before", "after"])
def test_unclear_outcome_is_asked_again(work: Assignment, turk: StubbedTurk, fault: str) -> None:
    decide(work, Kind.REJECT)
    turk.faults["reject_assignment"] = [fault]

    first = push_decisions.send_decisions(now=DUE)
    claimed = push_decisions.send_decisions(now=DUE + timedelta(seconds=2))
    unclear = Decision.objects.get().status
    again = push_decisions.send_decisions(now=DUE + push_decisions.CLAIM + timedelta(seconds=1))

    assert (first, claimed, unclear, again) == (0, 0, Status.INTENDED, 1)
    assert (at_provider(turk, work), state(work)) == ("Rejected", ("rejected", False))


def test_crash_after_the_provider_was_told_is_finished_by_the_next_sweep(
    work: Assignment, turk: StubbedTurk
) -> None:
    decide(work, Kind.KEEP_OUT)
    turk.assignments[work.external_id]["AssignmentStatus"] = "Approved"
    Decision.objects.update(claimed_at=DUE)
    # The reconciler has seen the approval meanwhile.
    Assignment.objects.update(status="approved", approved_at=DUE)

    owed = accrual.owe_bonuses(now=DUE)
    waits = Assignment.objects.get().owed_at
    sent = push_decisions.send_decisions(now=DUE + push_decisions.CLAIM + timedelta(seconds=1))

    assert (owed, waits, sent) == (0, None, 1)
    assert state(work) == ("approved", True)


@pytest.mark.parametrize(
    ("kind", "there", "here"),
    [(Kind.REJECT, "Approved", "approved"), (Kind.APPROVE, "Rejected", "rejected")],
)
def test_decided_at_the_provider_meanwhile_is_believed(
    work: Assignment, turk: StubbedTurk, kind: str, there: str, here: str
) -> None:
    decide(work, kind)
    turk.assignments[work.external_id]["AssignmentStatus"] = there

    push_decisions.send_decisions(now=DUE)

    decision = Decision.objects.get()
    assert (decision.status, state(work)) == (Status.REFUSED, (here, False))
    assert f"{here} already" in decision.problem


def test_refused_for_another_reason_is_told_to_a_person(work: Assignment, turk: StubbedTurk) -> None:
    decide(work, Kind.APPROVE)
    turk.assignments[work.external_id]["AssignmentStatus"] = "Odd"

    push_decisions.send_decisions(now=DUE)

    assert Decision.objects.get().status == Status.REFUSED
    assert state(work) == ("submitted", False)


def test_account_that_fails_keeps_only_its_own_waiting(
    hand_in: Callable[..., Assignment], turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = hand_in(), hand_in()
    auto = hand_in(batch=make_batch(status="open", account=broken.account))
    for work in (broken, sound):
        decide(work, Kind.APPROVE)
    broken.account.access_key_id = "revoked"
    broken.account.save()

    def provider(*, access_key_id: str, **_: Any) -> Provider:
        if access_key_id == "revoked":
            raise ProviderRefused("The key was revoked.", code="AccessDenied")
        return turk.provider

    monkeypatch.setattr(registry, "_boto_provider", provider)

    sent, approved = push_decisions.send_decisions(now=DUE), push_decisions.approve_judged(now=DUE)

    assert (sent, approved) == (1, 0)
    assert [state(work)[0] for work in (broken, sound, auto)] == ["submitted", "approved", "submitted"]


def refuse_all_approvals(turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    def refuse(**_: Any) -> Any:
        raise Refused(code, "Not this one.")

    monkeypatch.setattr(turk, "_approve_assignment", refuse, raising=False)


def test_refused_approval_is_asked_for_ever_more_rarely_and_tells_why(
    hand_in: Callable[..., Assignment], turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(batch=make_batch(status="open"))
    refuse_all_approvals(turk, monkeypatch, "InvalidAssignmentState")
    asked = []

    for minute in range(300):
        before = turk.calls.count("approve_assignment")
        push_decisions.approve_judged(now=NOW + timedelta(minutes=minute))
        if turk.calls.count("approve_assignment") > before:
            asked.append(minute)

    assert asked == [0, 1, 2, 4, 8, 16, 32, 64, 124, 184, 244]
    assert Assignment.objects.get().problem == "Not this one."


def test_approval_that_money_is_missing_for_is_asked_for_every_minute(
    hand_in: Callable[..., Assignment], turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(batch=make_batch(status="open"), judged_at=NOW - timedelta(days=1))
    with monkeypatch.context() as patch:
        refuse_all_approvals(turk, patch, "InsufficientFunds")
        push_decisions.approve_judged(now=NOW)

    early = push_decisions.approve_judged(now=NOW + timedelta(seconds=59))
    due = push_decisions.approve_judged(now=NOW + timedelta(minutes=1))

    assert (early, due) == (0, 1)
    assert Assignment.objects.get().problem == ""


def test_approvals_go_on_behind_those_that_are_refused(
    hand_in: Callable[..., Assignment], turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(push_decisions, "SLICE", 1)
    batch = make_batch(status="open")
    odd, sound = hand_in(batch=batch), hand_in(batch=batch)
    turk.assignments[odd.external_id]["AssignmentStatus"] = "Odd"

    turns = [push_decisions.approve_judged(now=NOW) for _ in range(2)]

    assert turns == [0, 1]
    assert [state(work)[0] for work in (odd, sound)] == ["submitted", "approved"]


def test_approval_leaves_what_was_decided_on_since_its_turn_began(
    hand_in: Callable[..., Assignment], turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = make_batch(status="open")
    first, second = hand_in(batch=batch), hand_in(batch=batch)
    approve = turk.provider.approve_assignment

    def meanwhile(external_id: str, **values: Any) -> None:
        approve(external_id, **values)
        decide(second, Kind.REJECT)

    monkeypatch.setattr(turk.provider, "approve_assignment", meanwhile)

    approved = push_decisions.approve_judged(now=NOW)

    assert (approved, at_provider(turk, first), at_provider(turk, second)) == (1, "Approved", "Submitted")


@pytest.mark.parametrize("there", ["Submitted", "Rejected"])
@pytest.mark.parametrize("kind", [Kind.REJECT, Kind.KEEP_OUT])
def test_batch_is_marked_after_everything_else_of_a_decision(
    work: Assignment, kind: str, there: str, turk: StubbedTurk
) -> None:
    """The batch comes last because holders of work or items wait for it: another order could deadlock."""
    item = make_association(study=work.hit.batch.study).item
    Lease.objects.create(
        item=item, assignment=work, worker=work.worker, status=Lease.Status.ANSWERED, leased_at=NOW
    )
    decide(work, kind)
    turk.assignments[work.external_id]["AssignmentStatus"] = there

    with CaptureQueriesContext(connection) as captured:
        push_decisions.send_decisions(now=DUE)

    written = [query["sql"].split('"')[1] for query in captured if query["sql"].startswith("UPDATE")]
    assert written[-1] == "hits_batch"
    assert written.index("hits_item") < written.index("hits_batch")


def test_batch_is_marked_after_the_work_was_approved(
    hand_in: Callable[..., Assignment],
) -> None:
    hand_in(batch=make_batch(status="open"))

    with CaptureQueriesContext(connection) as captured:
        push_decisions.approve_judged(now=NOW)

    written = [query["sql"].split('"')[1] for query in captured if query["sql"].startswith("UPDATE")]
    assert written == ["hits_assignment", "hits_batch"]


def test_override_within_thirty_days(work: Assignment, turk: StubbedTurk) -> None:
    decide(work, Kind.REJECT)
    push_decisions.send_decisions(now=DUE)
    late = NOW + reviewing.OVERRIDE_WITHIN

    with pytest.raises(RuleBroken) as broken:
        decide(work, Kind.OVERRIDE, now=late + timedelta(seconds=1))
    decide(work, Kind.OVERRIDE, now=late)
    push_decisions.send_decisions(now=late + reviewing.UNDO_FOR)

    assert broken.value.code == "override_too_late"
    assert (at_provider(turk, work), state(work)) == ("Approved", ("approved", False))


def test_what_approved_itself_can_be_kept_out_without_asking_anybody(
    hand_in: Callable[..., Assignment], turk: StubbedTurk
) -> None:
    work = hand_in(status="approved", approved_at=NOW)
    decide(work, Kind.KEEP_OUT)

    sent = push_decisions.send_decisions(now=DUE)
    with pytest.raises(RuleBroken):
        decide(work, Kind.KEEP_OUT)

    assert (sent, turk.calls, state(work)) == (1, [], ("approved", True))


# A second person.


@pytest.fixture
def strict(hand_in: Callable[..., Assignment]) -> Batch:
    """Batch in Berlin where a person's second rejection of the day needs a second person."""
    study = make_study(rejections_a_day=1, time_zone="Europe/Berlin")
    return make_batch(study=study, status="open", review_by="hand")


def test_rejections_beyond_the_days_number_wait_for_a_second_person(
    hand_in: Callable[..., Assignment], strict: Batch, turk: StubbedTurk
) -> None:
    first, other = make_user(), make_user()
    works = [hand_in(batch=strict) for _ in range(3)]

    made = [decide(works[0], Kind.REJECT, by=first), decide(works[1], Kind.REJECT, by=first)]
    made.append(decide(works[2], Kind.REJECT, by=other))
    push_decisions.send_decisions(now=DUE)

    assert [row.status for row in made] == [Status.INTENDED, Status.WAITING, Status.INTENDED]
    assert [state(work)[0] for work in works] == ["rejected", "submitted", "rejected"]


def test_rejections_of_another_study_and_undone_ones_do_not_count(
    hand_in: Callable[..., Assignment], strict: Batch
) -> None:
    by = make_user()
    decide(hand_in(), Kind.REJECT, by=by)
    reviewing.undo(decision=decide(hand_in(batch=strict), Kind.REJECT, by=by), by=by, now=NOW)

    assert decide(hand_in(batch=strict), Kind.REJECT, by=by).status == Status.INTENDED


def wait_for_second(hand_in: Callable[..., Assignment], *, by: User) -> Decision:
    batch = make_batch(study=make_study(rejections_a_day=0), status="open", review_by="hand")
    return decide(hand_in(batch=batch), Kind.REJECT, by=by)


@pytest.mark.parametrize(
    ("agree", "status", "here"),
    [(True, Status.DONE, "rejected"), (False, Status.DECLINED, "submitted")],
)
def test_second_person_decides(
    hand_in: Callable[..., Assignment], agree: bool, status: str, here: str
) -> None:
    waiting = wait_for_second(hand_in, by=make_user())

    reviewing.second(decision=waiting, by=make_user(), agree=agree, now=NOW)
    push_decisions.send_decisions(now=DUE)

    assert Decision.objects.get().status == status
    assert state(waiting.assignment)[0] == here


@pytest.mark.parametrize("agree", [True, False])
def test_second_person_is_another_one(hand_in: Callable[..., Assignment], agree: bool) -> None:
    by = make_user()
    waiting = wait_for_second(hand_in, by=by)

    with pytest.raises(RuleBroken) as broken:
        reviewing.second(decision=waiting, by=by, agree=agree, now=NOW)
    with pytest.raises(IntegrityError), transaction.atomic():
        Decision.objects.update(second_by=by)

    assert broken.value.code == "same_person"
    assert Decision.objects.get().status == Status.WAITING


def test_second_person_comes_too_late(hand_in: Callable[..., Assignment]) -> None:
    waiting = wait_for_second(hand_in, by=make_user())
    Assignment.objects.update(status="approved", approved_at=NOW)

    with pytest.raises(RuleBroken):
        reviewing.second(decision=waiting, by=make_user(), agree=True, now=NOW)
    before = Decision.objects.get().status
    push_decisions.send_decisions(now=NOW)

    assert before == Status.WAITING
    assert Decision.objects.get().status == Status.UNDONE


def test_second_word_counts_once(hand_in: Callable[..., Assignment]) -> None:
    waiting = wait_for_second(hand_in, by=make_user())
    reviewing.second(decision=waiting, by=make_user(), agree=False, now=NOW)

    with pytest.raises(RuleBroken) as broken:
        reviewing.second(decision=Decision.objects.get(), by=make_user(), agree=True, now=NOW)

    assert broken.value.code == "not_waiting"
    assert Decision.objects.get().status == Status.DECLINED


@pytest.mark.parametrize(
    ("zone", "midnight"),
    [
        ("Europe/Berlin", datetime(2026, 11, 21, 23, 0, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 11, 22, 5, 0, tzinfo=UTC)),
        ("Europe/Berlin", datetime(2026, 3, 28, 23, 0, tzinfo=UTC)),  # the day after has 23 hours
        ("Europe/Berlin", datetime(2026, 3, 29, 22, 0, tzinfo=UTC)),
        ("Europe/Berlin", datetime(2026, 10, 25, 23, 0, tzinfo=UTC)),  # the day before had 25
        ("Africa/Cairo", datetime(2026, 4, 23, 22, 0, tzinfo=UTC)),  # its day begins at one o'clock
    ],
)
def test_the_days_number_begins_anew_at_the_studys_midnight(
    hand_in: Callable[..., Assignment], zone: str, midnight: datetime
) -> None:
    study = make_study(rejections_a_day=1, time_zone=zone)
    batch, by = make_batch(study=study, status="open", review_by="hand"), make_user()
    second = timedelta(seconds=1)

    made = [
        decide(hand_in(batch=batch), Kind.REJECT, by=by, now=now).status
        for now in (midnight - 2 * second, midnight - second, midnight, midnight + second)
    ]

    assert made == [Status.INTENDED, Status.WAITING, Status.INTENDED, Status.WAITING]


@given(
    now=st.datetimes(datetime(2020, 1, 1), datetime(2036, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    zone=st.sampled_from(
        [
            "Africa/Cairo",
            "America/Havana",
            "America/Sao_Paulo",
            "Asia/Beirut",
            "Asia/Kathmandu",
            "Australia/Lord_Howe",
            "Europe/Berlin",
            "Pacific/Apia",
            "UTC",
        ]
    ),
)
@pytest.mark.pure
def test_days_of_a_zone_follow_each_other_without_a_gap(now: datetime, zone: str) -> None:
    start, end = day_around(now, zone=zone)

    assert start <= now < end
    assert timedelta(hours=22) < end - start < timedelta(hours=26)
    assert day_around(start, zone=zone) == day_around(end - timedelta(seconds=1), zone=zone) == (start, end)
    assert day_around(end, zone=zone)[0] == end


# What a decision means for the data.


@pytest.fixture
def solved(turk: StubbedTurk) -> list[Assignment]:
    """One association with three right answers, all of them judged, which is final."""
    association = make_association(size=5, chosen=2)
    item = association.item
    batch = make_batch(study=item.study, status="open", review_by="hand")
    hit = make_hit(batch=batch)
    turk.hits[hit.external_id] = {"HITId": hit.external_id, "RequesterAnnotation": "", "expired": False}
    works = [answer(turk, item, batch=batch) for _ in range(3)]
    finalize_associations(now=NOW)
    return works


def answer(turk: StubbedTurk, item: Item, *, batch: Batch, right: bool = True) -> Assignment:
    hit = make_hit(batch=batch)
    external_id, external_worker = turk.submit(hit.external_id, answer="x")
    worker = Worker.objects.known(account=batch.account, external_id=external_worker)
    work = make_assignment(hit=hit, worker=worker, external_id=external_id)
    leasing.lease_items(assignment=work, now=NOW)
    association = Association.objects.get(item=item)
    keys = [place.picture.key for place in association.places.all() if place.picture]
    picks = sorted(keys[:2] if right else keys[2:4])
    leasing.save_answer(assignment=work, answer={str(item.public_id): picks}, now=NOW)
    Assignment.objects.filter(pk=work.pk).update(status="submitted", submitted_at=NOW)
    judge_submitted(now=NOW)
    work.refresh_from_db()
    return work


def final() -> tuple[bool, int, int]:
    """Whether the association is final, how many answers count, and how many are wanted."""
    association = Association.objects.select_related("item").get()
    counted = scores_of(association.item, measure="jaccard")
    return association.final_at is not None, len(counted), association.item.wanted


def carry_out(work: Assignment, kind: str, *, now: datetime = NOW) -> None:
    decide(work, kind, now=now)
    push_decisions.send_decisions(now=now + reviewing.UNDO_FOR)
    finalize_associations(now=now + reviewing.UNDO_FOR)


@pytest.mark.parametrize("kind", [Kind.KEEP_OUT, Kind.REJECT])
def test_answer_out_of_the_data_is_asked_again_of_somebody_else(
    solved: list[Assignment], turk: StubbedTurk, kind: str
) -> None:
    before = final()
    decide(solved[0], kind)
    decided = final()
    push_decisions.send_decisions(now=DUE)
    finalize_associations(now=DUE)
    out = final()

    answer(turk, Item.objects.get(), batch=solved[0].hit.batch, right=False)
    finalize_associations(now=DUE)

    assert (before, decided) == ((True, 3, 0), (True, 3, 0))
    assert out == (False, 2, 1)
    assert final() == (True, 3, 0)
    assert not Association.objects.get().is_selected(threshold=80)


def test_answer_out_of_the_data_reopens_even_if_its_place_was_taken_at_once(
    solved: list[Assignment], turk: StubbedTurk
) -> None:
    decide(solved[0], Kind.REJECT)
    push_decisions.send_decisions(now=DUE)
    answer(turk, Item.objects.get(), batch=solved[0].hit.batch, right=False)
    Association.objects.filter(final_at=None).update(final_at=NOW)

    finalize_associations(now=DUE)

    assert final() == (True, 3, 0)
    assert not Association.objects.get().is_selected(threshold=80)


def test_override_puts_the_answer_back_if_nobody_else_was_asked(solved: list[Assignment]) -> None:
    carry_out(solved[0], Kind.REJECT)
    rejected = final()

    carry_out(solved[0], Kind.OVERRIDE, now=DUE)

    assert (rejected, final()) == ((False, 2, 1), (True, 3, 0))


def test_override_only_pays_if_somebody_else_has_the_place(
    solved: list[Assignment], turk: StubbedTurk
) -> None:
    carry_out(solved[0], Kind.REJECT)
    answer(turk, Item.objects.get(), batch=solved[0].hit.batch, right=False)

    carry_out(solved[0], Kind.OVERRIDE, now=DUE)

    assert state(solved[0]) == ("approved", False)
    assert solved[0].leases.get().status == Lease.Status.RELEASED
    assert final() == (True, 3, 0)
    assert not Association.objects.get().is_selected(threshold=80)


@pytest.mark.parametrize("kind", [Kind.KEEP_OUT, Kind.REJECT])
def test_worker_whose_answer_is_out_is_not_asked_the_same_again(solved: list[Assignment], kind: str) -> None:
    carry_out(solved[0], kind)
    again = make_assignment(hit=make_hit(batch=solved[0].hit.batch), worker=solved[0].worker)

    assert leasing.lease_items(assignment=again, now=DUE) == []


def test_kept_out_work_is_owed_nothing_more(solved: list[Assignment]) -> None:
    for work, kind in zip(solved, (Kind.APPROVE, Kind.KEEP_OUT, Kind.APPROVE), strict=True):
        decide(work, kind)
    push_decisions.send_decisions(now=DUE)

    owed = accrual.owe_bonuses(now=DUE)
    again = accrual.owe_bonuses(now=DUE)

    assert (owed, again) == (2, 0)
    assert {row.assignment_id for row in Bonus.objects.all()} == {solved[0].pk, solved[2].pk}
    assert not Assignment.objects.filter(owed_at=None).exists()


def test_bonus_owed_before_stays(solved: list[Assignment]) -> None:
    carry_out(solved[0], Kind.APPROVE)
    accrual.owe_bonuses(now=DUE)

    carry_out(solved[0], Kind.KEEP_OUT, now=DUE)

    assert Bonus.objects.get().assignment_id == solved[0].pk


def test_work_approved_before_it_was_judged_is_judged_and_then_owed(
    solved: list[Assignment], turk: StubbedTurk
) -> None:
    work = solved[0]
    work.scores.all().delete()
    Assignment.objects.filter(pk=work.pk).update(status="approved", judged_at=None)

    early = accrual.owe_bonuses(now=NOW)
    judged = judge_submitted(now=NOW)
    owed = accrual.owe_bonuses(now=NOW)

    assert (early, judged, owed) == (0, 1, 1)


# Approval by itself.


def test_approve_judged_leaves_batches_reviewed_by_hand_and_what_somebody_decides_on(
    hand_in: Callable[..., Assignment],
) -> None:
    by_hand = hand_in()
    auto = make_batch(status="open")
    deciding, free = hand_in(batch=auto), hand_in(batch=auto)
    decide(deciding, Kind.REJECT)

    approved = push_decisions.approve_judged(now=NOW)

    assert approved == 1
    assert [state(work)[0] for work in (by_hand, deciding, free)] == ["submitted", "submitted", "approved"]


def test_approve_judged_believes_a_rejection_at_the_provider(
    hand_in: Callable[..., Assignment], turk: StubbedTurk
) -> None:
    work = hand_in(batch=make_batch(status="open"))
    turk.reject(work.external_id)

    assert push_decisions.approve_judged(now=NOW) == 0
    assert state(work) == ("rejected", False)


def test_decide_all_says_what_became_of_each(hand_in: Callable[..., Assignment]) -> None:
    study = make_study(rejections_a_day=1)
    batch = make_batch(study=study, status="open", review_by="hand")
    works = [hand_in(batch=batch) for _ in range(2)] + [hand_in(batch=batch, status="approved")]

    outcomes = reviewing.decide_all(
        assignments=works, kind=Kind.REJECT, reason="Random", by=make_user(), now=NOW
    )

    assert outcomes == {"intended": 1, "waiting": 1, "decided_already": 1}


@pytest.mark.parametrize("text", ["", " \n ", "x" * 2001])
def test_add_note_refuses_an_empty_or_endless_one(work: Assignment, text: str) -> None:
    with pytest.raises(RuleBroken):
        reviewing.add_note(assignment=work, text=text, by=make_user(), now=NOW)

    assert not Note.objects.exists()
