"""Accepting, returning, submitting and expiring, at instants that the tests choose."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import DataError

from crowd.marketplace.models import HIT, Assignment, HITType
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services import hit_creation, hit_endings, reviewing, work
from tests.crowd.marketplace.rows import Facts, accept, available, facts, hand_in, post_hit, status_of
from tests.factories import NOW, invite, make_requester

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
DEADLINE = NOW + timedelta(seconds=600)


def submit(assignment: Assignment, *, minutes: int = 1, answer: str = "<answer/>") -> bool:
    return work.submit_assignment(assignment=assignment, answer=answer, now=NOW + minutes * MINUTE)


def test_hit_of_five_assignments_passes_every_state() -> None:
    hit = post_hit(max_assignments=5)
    rows = [facts(hit)]

    first, second, third = (accept(hit) for _ in range(3))
    rows.append(facts(hit))
    fourth, fifth = accept(hit), accept(hit)
    submit(first)
    submit(second)
    rows.append(facts(hit))
    work.return_assignment(assignment=third, now=NOW)
    rows.append(facts(hit))
    for assignment in (fourth, fifth, accept(hit)):
        submit(assignment)
    rows.append(facts(hit))
    reviewing.approve_assignment(assignment=first, feedback="", override=False, now=NOW)
    reviewing.reject_assignment(assignment=second, feedback="", now=NOW)
    rows.append(facts(hit))

    assert rows == [
        Facts(status="Assignable", available=5, pending=0, completed=0),
        Facts(status="Assignable", available=2, pending=3, completed=0),
        Facts(status="Unassignable", available=0, pending=3, completed=0),
        Facts(status="Assignable", available=1, pending=2, completed=0),
        Facts(status="Reviewable", available=0, pending=0, completed=0),
        Facts(status="Reviewable", available=0, pending=0, completed=2),
    ]


def test_hit_of_five_assignments_reads_zero_once_expired() -> None:
    hit = post_hit(max_assignments=5)

    hit_endings.expire_hit(hit=hit, now=NOW)

    assert facts(hit) == Facts(status="Reviewable", available=0, pending=0, completed=0)


def test_accept_twice_gives_the_same_assignment() -> None:
    hit = post_hit(max_assignments=3)
    worker, _ = invite()

    first, second = (accept(hit, worker=worker, now=NOW + n * MINUTE) for n in range(2))

    assert (first.pk, first.deadline_at) == (second.pk, DEADLINE)
    assert facts(hit) == Facts(status="Assignable", available=2, pending=1, completed=0)


def test_accept_is_refused_to_who_has_done_it() -> None:
    hit = post_hit(max_assignments=3)
    worker, _ = invite()
    done = hand_in(hit, worker=worker)

    for review in (None, reviewing.reject_assignment):
        if review:
            review(assignment=done, feedback="No.", now=NOW)
        with pytest.raises(work.NotAvailable, match="already done"):
            accept(hit, worker=worker)

    assert (hit.assignments.count(), facts(hit).pending) == (1, 0)


def full(hit: HIT) -> None:
    for _ in range(hit.max_assignments):
        accept(hit)


def expired(hit: HIT) -> None:
    hit_endings.expire_hit(hit=hit, now=NOW)


def past_its_time(hit: HIT) -> None:
    """Set the HIT's expiration to now, without settling it."""
    HIT.objects.filter(pk=hit.pk).update(expires_at=NOW)


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [(full, "taken every place"), (expired, "has expired"), (past_its_time, "has expired")],
)
def test_accept_without_a_place_is_refused(prepare: Callable[[HIT], None], reason: str) -> None:
    hit = post_hit(max_assignments=2)
    prepare(hit)
    before = facts(hit)

    with pytest.raises(work.NotAvailable, match=reason):
        accept(hit)

    assert facts(hit) == before


def test_return_frees_the_place_and_the_next_attempt_is_another_assignment() -> None:
    hit = post_hit()
    worker, _ = invite()
    first = accept(hit, worker=worker)

    returned = work.return_assignment(assignment=first, now=NOW)

    assert (returned, status_of(first)) == (True, "Returned")
    assert facts(hit) == Facts(status="Assignable", available=1, pending=0, completed=0)
    second = accept(hit, worker=worker)
    assert (first.attempt, second.attempt) == (1, 2)
    assert (first.external_id, first.pk) == (second.external_id, second.pk - 1)


def test_return_of_what_is_not_held_changes_nothing() -> None:
    hit = post_hit(max_assignments=2)
    done, given_back = hand_in(hit), accept(hit)
    work.return_assignment(assignment=given_back, now=NOW)

    again = [work.return_assignment(assignment=assignment, now=NOW) for assignment in (done, given_back)]

    assert (again, status_of(done)) == ([False, False], "Submitted")
    assert facts(hit) == Facts(status="Assignable", available=1, pending=0, completed=0)


def test_deadline_abandons_and_a_late_submit_is_refused() -> None:
    hit = post_hit()
    late = accept(hit)

    work.settle(now=DEADLINE - timedelta(seconds=1))
    assert status_of(late) == "Accepted"
    work.settle(now=DEADLINE)

    assert status_of(late) == "Abandoned"
    assert facts(hit) == Facts(status="Assignable", available=1, pending=0, completed=0)
    assert submit(late, minutes=11) is False
    assert (status_of(late), Assignment.objects.get().answer) == ("Abandoned", "")


def test_submit_at_the_deadline_is_late_even_before_anyone_settles() -> None:
    late = accept(post_hit())

    assert submit(late, minutes=10) is False
    assert (status_of(late), Assignment.objects.get().answer) == ("Accepted", "")


def test_return_at_the_deadline_is_too_late() -> None:
    late = accept(post_hit())

    assert work.return_assignment(assignment=late, now=DEADLINE) is False
    work.settle(now=DEADLINE)
    assert status_of(late) == "Abandoned"


def test_submit_twice_keeps_the_first_answer() -> None:
    hit = post_hit()
    assignment = accept(hit)

    answers = [submit(assignment, answer=answer) for answer in ("<first/>", "<second/>")]

    assert (answers, Assignment.objects.get().answer) == ([True, False], "<first/>")
    assert facts(hit) == Facts(status="Reviewable", available=0, pending=0, completed=0)


def test_submit_after_a_return_is_refused() -> None:
    assignment = accept(post_hit())
    work.return_assignment(assignment=assignment, now=NOW)

    assert submit(assignment) is False
    assert status_of(assignment) == "Returned"


def test_submit_notes_when_and_until_when_it_may_be_rejected() -> None:
    assignment = accept(post_hit(delay_s=3600))

    submit(assignment, minutes=2)

    assignment.refresh_from_db()
    assert assignment.submitted_at == NOW + 2 * MINUTE
    assert assignment.auto_approval_at == NOW + 62 * MINUTE
    assert (assignment.approved_at, assignment.rejected_at) == (None, None)


def test_expire_with_one_pending_lets_that_one_submit() -> None:
    hit = post_hit(max_assignments=3)
    pending = accept(hit)

    hit_endings.expire_hit(hit=hit, now=NOW + MINUTE)

    later = NOW + 2 * MINUTE
    assert facts(hit, now=later) == Facts(status="Unassignable", available=0, pending=1, completed=0)
    assert submit(pending, minutes=2) is True
    assert facts(hit, now=later) == Facts(status="Reviewable", available=0, pending=0, completed=0)


def test_expire_keeps_the_first_instant_and_frees_money_once() -> None:
    hit = post_hit(max_assignments=4, reward="1.00")

    for minutes in (1, 2):
        hit_endings.expire_hit(hit=hit, now=NOW + minutes * MINUTE)

    assert HIT.objects.get().expires_at == NOW + MINUTE
    assert available(hit.requester) == 100


def test_lifetime_passes_and_settle_frees_what_nobody_took() -> None:
    hit = post_hit(max_assignments=3, reward="1.00", lifetime=timedelta(minutes=5))
    hand_in(hit)
    accept(hit)

    work.settle(now=NOW + 5 * MINUTE)

    assert facts(hit, now=NOW + 5 * MINUTE) == Facts(
        status="Unassignable", available=0, pending=1, completed=0
    )
    assert available(hit.requester) == 98
    work.settle(now=DEADLINE)
    assert available(hit.requester) == 99


def test_settle_twice_is_settle_once() -> None:
    hit = post_hit(max_assignments=3, lifetime=timedelta(minutes=5), delay_s=60)
    hand_in(hit)
    accept(hit)
    work.settle(now=DEADLINE)
    before = (facts(hit, now=DEADLINE), available(hit.requester))

    work.settle(now=DEADLINE)

    assert (facts(hit, now=DEADLINE), available(hit.requester)) == before


def test_settle_after_a_long_stop_does_its_part_and_the_sweep_does_the_rest() -> None:
    requester = make_requester().requester
    for number in range(3):
        post_hit(requester=requester, title=f"Round {number}", lifetime=timedelta(minutes=number + 1))
    later = NOW + timedelta(hours=1)

    waits = work.settle(now=later, most=2)

    assert waits
    assert [bool(hit.closed_at) for hit in HIT.objects.order_by("pk")] == [True, True, False]
    work.settle_all(now=later)
    assert HIT.objects.filter(closed_at=None).count() == 0


def test_unlist_bare_types_leaves_those_with_an_open_hit() -> None:
    requester = make_requester().requester
    ended, opened = (post_hit(requester=requester, title=title) for title in ("Ended", "Open"))
    hit_endings.expire_hit(hit=ended, now=NOW)

    hit_creation.unlist_bare_types()

    assert [HITType.objects.get(pk=hit.hit_type_id).is_listed for hit in (ended, opened)] == [False, True]


def test_settle_of_a_row_that_fails_goes_on_with_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    requester = make_requester().requester
    first, second = (
        post_hit(requester=requester, title=title, lifetime=timedelta(minutes=1)) for title in ("One", "Two")
    )
    end = hit_endings.end_if_over

    def fail(hit: HIT, *, now: datetime) -> None:
        if hit.pk == first.pk:
            raise DataError("too long")
        end(hit, now=now)

    monkeypatch.setattr(hit_endings, "end_if_over", fail)

    work.settle(now=NOW + timedelta(hours=1))

    closed = [bool(HIT.objects.get(pk=hit.pk).closed_at) for hit in (first, second)]
    assert closed == [False, True]


def test_accepting_with_a_row_read_before_the_erasure_is_refused() -> None:
    hit = post_hit()
    worker, _ = invite()
    Worker.objects.filter(pk=worker.pk).update(erased_at=NOW)

    with pytest.raises(work.NotAvailable):
        accept(hit, worker=worker)

    assert Assignment.objects.count() == 0
