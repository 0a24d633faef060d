import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from hits.studies.models import Batch
from hits.sync.services import import_submissions, reconciling
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services import leasing
from tests.factories import NOW, make_assignment, make_worker
from tests.hits.posted import (
    look_again,
    open_as,
    post_batch,
    post_hit,
    right_answer,
    save_as,
)
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
Status = Assignment.Status


@pytest.fixture
def hit(turk: StubbedTurk) -> HIT:
    """One HIT at the provider, for two workers, with one association to solve."""
    hit = post_hit()
    turk.calls.clear()
    return hit


def at(seconds: float) -> Any:
    return NOW + timedelta(seconds=seconds)


# Submissions at the provider are imported.


def test_reconcile_makes_saved_work_submitted(hit: HIT, turk: StubbedTurk) -> None:
    assignment, worker = turk.submit(hit.external_id, answer="ignored: ours is saved here")
    save_as(hit, assignment=assignment, worker=worker)

    reconciling.reconcile(now=NOW)

    found = Assignment.objects.get()
    assert (found.status, found.answer) == (Status.SUBMITTED, right_answer())
    assert (found.submitted_at, found.worked_s) == (NOW + timedelta(minutes=1), 60)


def test_reconcile_twice_changes_nothing_more(hit: HIT, turk: StubbedTurk) -> None:
    turk.submit(hit.external_id, answer="x")
    look_again()
    before = list(Assignment.objects.values())

    look_again(60)

    assert list(Assignment.objects.values()) == before


def test_reconcile_recovers_an_answer_that_never_reached_us(hit: HIT, turk: StubbedTurk) -> None:
    assignment, worker = turk.submit(hit.external_id, answer=json.dumps(right_answer()))
    open_as(hit, assignment=assignment, worker=worker)

    reconciling.reconcile(now=NOW)

    found = Assignment.objects.get()
    assert (found.status, found.answer) == (Status.SUBMITTED, right_answer())


@pytest.mark.parametrize("forged", ["", "not json", "[]", "[" * 50_000, '{"a": 1}', '{"x": ["y", "z"]}'])
def test_reconcile_believes_no_answer_the_page_could_not_have_sent(
    hit: HIT, turk: StubbedTurk, forged: str
) -> None:
    assignment, worker = turk.submit(hit.external_id, answer=forged)
    open_as(hit, assignment=assignment, worker=worker)

    reconciling.reconcile(now=NOW)

    found = Assignment.objects.get()
    assert (found.status, found.answer) == (Status.SUBMITTED, None)


def test_reconcile_records_work_we_never_saw_opened(hit: HIT, turk: StubbedTurk) -> None:
    assignment, _ = turk.submit(hit.external_id, answer="x")

    reconciling.reconcile(now=NOW)

    found = Assignment.objects.get()
    assert (found.external_id, found.status, found.attempt) == (assignment, Status.SUBMITTED, 1)


def test_work_claimed_on_another_hits_page_is_recorded_where_it_was_done(turk: StubbedTurk) -> None:
    """Any worker without a ticket may open a page under any assignment's id."""
    first, second = post_batch(hits_wanted=2).hits.order_by("pk")
    assignment, worker = turk.submit(second.external_id, answer="x")
    claimed = open_as(first, assignment=assignment, worker=worker)

    reconciling.reconcile(now=NOW)

    claimed.refresh_from_db()
    assert claimed.status == Status.OPENED
    assert second.assignments.get().status == Status.SUBMITTED


def test_reconcile_takes_back_what_the_clock_gave_up_too_early(hit: HIT, turk: StubbedTurk) -> None:
    assignment, worker = turk.submit(hit.external_id, answer="x")
    leasing.give_up(save_as(hit, assignment=assignment, worker=worker), now=NOW)
    given_up = (Assignment.objects.get().status, Item.objects.get().wanted)

    reconciling.reconcile(now=NOW)

    assert given_up == (Status.GONE, 3)
    assert (Assignment.objects.get().status, Item.objects.get().wanted) == (Status.SUBMITTED, 2)
    assert Lease.objects.get().status == Lease.Status.ANSWERED


def test_item_whose_answer_was_lost_is_wanted_again(hit: HIT, turk: StubbedTurk) -> None:
    assignment, worker = turk.submit(hit.external_id, answer="garbage")
    open_as(hit, assignment=assignment, worker=worker)

    reconciling.reconcile(now=NOW)

    assert (Item.objects.get().wanted, Lease.objects.get().status) == (3, Lease.Status.RELEASED)


def test_1001_assignments_of_one_hit_are_all_read(turk: StubbedTurk) -> None:
    turk.balance *= 10
    hit = post_hit(assignments_per_hit=1001, sharding=Batch.Sharding.WHOLE)
    for _ in range(1001):
        turk.submit(hit.external_id, answer="x")
    turk.calls.clear()

    reconciling.reconcile(now=NOW)

    assert turk.calls == ["get_hit", *["list_assignments_for_hit"] * 11, "update_hit_review_status"]
    assert hit.assignments.filter(status=Status.SUBMITTED).count() == 1001
    assert HIT.objects.get().status == HIT.Status.CLOSED


def test_page_that_is_known_costs_one_query(turk: StubbedTurk) -> None:
    post_hit(assignments_per_hit=9)
    hit = HIT.objects.select_related("batch__account").get()
    for _ in range(8):
        turk.submit(hit.external_id, answer="x")
    reconciling.reconcile(now=NOW)

    with CaptureQueriesContext(connection) as queries:
        import_submissions.read_assignments(hit=hit, provider=turk.provider, now=NOW)

    assert len(queries) == 1


# Decisions at the provider are imported.


def test_reconcile_mirrors_what_was_decided_there(hit: HIT, turk: StubbedTurk) -> None:
    approved, _ = turk.submit(hit.external_id, answer="x")
    rejected, worker = turk.submit(hit.external_id, answer="x")
    save_as(hit, assignment=rejected, worker=worker)
    look_again()
    submitted = set(Assignment.objects.values_list("status", flat=True))
    HIT.objects.update(status=HIT.Status.OPEN)
    turk.assignments[approved] |= {"AssignmentStatus": "Approved", "ApprovalTime": at(90)}
    turk.assignments[rejected] |= {"AssignmentStatus": "Rejected", "RejectionTime": at(91)}

    look_again(100)

    assert submitted == {Status.SUBMITTED}
    ours = {row.external_id: row for row in Assignment.objects.all()}
    assert (ours[approved].status, ours[approved].approved_at) == (Status.APPROVED, at(90))
    assert (ours[rejected].status, ours[rejected].rejected_at) == (Status.REJECTED, at(91))
    assert (Item.objects.get().wanted, Lease.objects.get().status) == (3, Lease.Status.RELEASED)


def test_rejection_taken_back_there_is_taken_back_here(hit: HIT, turk: StubbedTurk) -> None:
    assignment, _ = turk.submit(hit.external_id, answer="x")
    turk.reject(assignment)
    look_again()
    rejected = Assignment.objects.get().status
    turk.assignments[assignment]["AssignmentStatus"] = "Approved"
    HIT.objects.update(seen="")

    look_again(100)

    assert (rejected, Assignment.objects.get().status) == (Status.REJECTED, Status.APPROVED)


def test_our_word_is_not_undone_by_an_older_page(hit: HIT, turk: StubbedTurk) -> None:
    assignment, _ = turk.submit(hit.external_id, answer="x")
    look_again()
    Assignment.objects.update(status=Status.APPROVED, approved_at=NOW)

    import_submissions.read_assignments(hit=hit, provider=turk.provider, now=NOW)

    assert turk.assignments[assignment]["AssignmentStatus"] == "Submitted"
    assert Assignment.objects.get().status == Status.APPROVED


def test_work_that_approved_itself_is_approved_here_even_of_a_closed_hit(hit: HIT, turk: StubbedTurk) -> None:
    for _ in range(2):
        assignment, _ = turk.submit(hit.external_id, answer="x")
        turk.assignments[assignment]["AutoApprovalTime"] = at(500)
    reconciling.reconcile(now=NOW)
    for work in turk.assignments.values():
        work["AssignmentStatus"] = "Approved"
    turk.calls.clear()

    reconciling.reconcile(now=at(499))
    early = set(Assignment.objects.values_list("status", flat=True))
    reconciling.reconcile(now=at(500))

    assert early == {Status.SUBMITTED}
    assert turk.calls == ["list_assignments_for_hit"]
    assert set(Assignment.objects.values_list("status", flat=True)) == {Status.APPROVED}


@pytest.mark.parametrize("fault", ["", "before"])
def test_provider_that_is_late_in_approving_is_asked_again_later(
    hit: HIT, turk: StubbedTurk, fault: str
) -> None:
    assignment, _ = turk.submit(hit.external_id, answer="x")
    turk.assignments[assignment]["AutoApprovalTime"] = at(500)
    reconciling.reconcile(now=NOW)
    turk.calls.clear()
    turk.faults["list_assignments_for_hit"] = [fault]

    for seconds in (500, 503, 1099, 1100):
        reconciling.reconcile(now=at(seconds))

    assert turk.calls == ["list_assignments_for_hit"] * 2
    assert Assignment.objects.get().status == Status.SUBMITTED


def test_late_approval_of_a_hit_that_is_gone_holds_up_no_other(turk: StubbedTurk) -> None:
    gone, other = post_hit(), post_hit()
    for hit in (gone, other):
        assignment, _ = turk.submit(hit.external_id, answer="x")
        turk.assignments[assignment]["AutoApprovalTime"] = at(500)
    reconciling.reconcile(now=NOW)
    HIT.objects.update(status=HIT.Status.CLOSED, closed_at=NOW, look_at=None)
    del turk.hits[gone.external_id]
    turk.calls.clear()

    for seconds in (500, 1100, 1700):
        reconciling.mirror_approved(now=at(seconds))

    # The one that is gone is asked about again tomorrow.
    assert turk.calls == ["list_assignments_for_hit"] * 4
    assert gone.assignments.get().auto_approves_at > at(20 * 3600)


# Each submission is imported once, and for the right worker.


def test_worker_of_the_list_is_the_worker_of_the_page(hit: HIT, turk: StubbedTurk) -> None:
    assignment, worker = turk.submit(hit.external_id, answer="x")
    other = make_worker(account=hit.batch.account)
    make_assignment(hit=hit, worker=other, external_id=assignment, accepted_at=NOW)

    reconciling.reconcile(now=NOW)

    found = Assignment.objects.get(status=Status.SUBMITTED)
    assert (found.worker.external_id, found.attempt) == (worker, 1)
    assert Assignment.objects.get(worker=other).status == Status.OPENED


@pytest.mark.needs_postgres
@pytest.mark.django_db(transaction=True)
def test_two_reconcilers_at_once_make_one_row_for_each_piece_of_work(turk: StubbedTurk) -> None:
    """The processes know nothing of each other: neither claims, and both read the whole list."""
    hit = post_hit(assignments_per_hit=9)
    for _ in range(9):
        turk.submit(hit.external_id, answer="x")
    found = list(turk.provider.list_assignments(hit.external_id))

    def record(_: int) -> list[int]:
        try:
            return [import_submissions.record_submission(hit=hit, found=work, now=NOW).pk for work in found]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(record, range(4)))

    assert rows[1:] == rows[:-1]
    assert Assignment.objects.filter(status=Status.SUBMITTED, attempt=1).count() == 9
