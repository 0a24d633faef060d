import json
from datetime import timedelta

import pytest
from django.conf import LazySettings

from hits.models import HIT, Assignment, Batch, Item, Lease
from hits.services import launching, reconciling, working
from tests.factories import NOW, make_association, make_batch, make_study, make_user, make_worker
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
Status = Assignment.Status


@pytest.fixture
def hit(turk: StubbedTurk, settings: LazySettings) -> HIT:
    """One HIT at the provider, for two workers, with one association to solve."""
    study = make_study()
    make_association(study=study, chosen=2)
    batch = make_batch(study=study, assignments_per_hit=2)
    launching.launch_batch(batch=batch, by=make_user(), now=NOW)
    launching.send_launching_batches(now=NOW)
    return HIT.objects.get()


def open_as(hit: HIT, *, assignment: str, worker: str) -> Assignment:
    opened = working.open_assignment(
        hit=hit,
        worker=make_worker(account=hit.batch.account, external_id=worker),
        external_id=assignment,
        accepted_at=NOW,
        deadline_at=NOW + timedelta(minutes=15),
        now=NOW,
    )
    working.lease_items(assignment=opened, now=NOW)
    return opened


def right_answer() -> dict[str, list[str]]:
    item = Item.objects.get()
    return {str(item.public_id): sorted(item.association.chosen_keys)}


def test_reconcile_makes_saved_work_submitted(hit: HIT, turk: StubbedTurk) -> None:
    assignment, worker = turk.submit(hit.external_id, answer="ignored: ours is saved here")
    opened = open_as(hit, assignment=assignment, worker=worker)
    working.save_answer(assignment=opened, answer=right_answer(), now=NOW)

    reconciling.reconcile(now=NOW)

    found = Assignment.objects.get()
    assert (found.status, found.answer) == (Status.SUBMITTED, right_answer())
    assert found.submitted_at == NOW + timedelta(minutes=1)


def test_reconcile_twice_changes_nothing_more(hit: HIT, turk: StubbedTurk) -> None:
    turk.submit(hit.external_id, answer="x")
    reconciling.reconcile(now=NOW)
    before = list(Assignment.objects.values())

    reconciling.reconcile(now=NOW + timedelta(minutes=1))

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


def test_reconcile_takes_back_what_the_clock_gave_up_too_early(hit: HIT, turk: StubbedTurk) -> None:
    assignment, worker = turk.submit(hit.external_id, answer="x")
    turk.assignments[assignment]["AssignmentStatus"] = "Submitted"
    opened = open_as(hit, assignment=assignment, worker=worker)
    working.save_answer(assignment=opened, answer=right_answer(), now=NOW)
    working.give_up(opened, now=NOW)
    given_up = (Assignment.objects.get().status, Item.objects.get().wanted)

    reconciling.reconcile(now=NOW)

    assert given_up == (Status.GONE, 3)
    assert (Assignment.objects.get().status, Item.objects.get().wanted) == (Status.SUBMITTED, 2)
    assert Lease.objects.get().status == Lease.Status.ANSWERED


def test_saved_work_is_kept_while_the_provider_cannot_be_read(hit: HIT, turk: StubbedTurk) -> None:
    """The clock alone never gives up what the provider may have."""
    assignment, worker = turk.submit(hit.external_id, answer="x")
    opened = open_as(hit, assignment=assignment, worker=worker)
    working.save_answer(assignment=opened, answer=right_answer(), now=NOW)
    turk.faults["get_hit"] = ["before"]

    reconciling.reconcile(now=NOW + timedelta(days=1))
    unread = Assignment.objects.get().status
    reconciling.reconcile(now=NOW + timedelta(days=1))

    assert (unread, Assignment.objects.get().status) == (Status.SAVED, Status.SUBMITTED)
    assert Item.objects.get().wanted == 2


def test_item_whose_answer_was_lost_is_wanted_again(hit: HIT, turk: StubbedTurk) -> None:
    assignment, worker = turk.submit(hit.external_id, answer="garbage")
    open_as(hit, assignment=assignment, worker=worker)

    reconciling.reconcile(now=NOW)

    assert (Item.objects.get().wanted, Lease.objects.get().status) == (3, Lease.Status.RELEASED)


def test_reconcile_closes_the_hit_and_completes_the_batch(hit: HIT, turk: StubbedTurk) -> None:
    turk.submit(hit.external_id, answer="x")
    reconciling.reconcile(now=NOW)
    halfway = HIT.objects.get().status
    turk.submit(hit.external_id, answer="x")

    reconciling.reconcile(now=NOW)

    assert (halfway, HIT.objects.get().status) == (HIT.Status.OPEN, HIT.Status.CLOSED)
    assert Batch.objects.get().status == Batch.Status.COMPLETE


def test_reconcile_goes_on_behind_a_hit_that_cannot_be_read(hit: HIT, turk: StubbedTurk) -> None:
    second = HIT.objects.create(
        batch=hit.batch, status=HIT.Status.OPEN, external_id=next(iter(turk.hits)) + "X", sent_at=NOW
    )
    turk.submit(hit.external_id, answer="x")
    turk.faults["get_hit"] = ["before"]

    reconciling.reconcile(now=NOW)
    skipped = Assignment.objects.count()
    reconciling.reconcile(now=NOW)

    assert (skipped, Assignment.objects.count()) == (0, 1)
    assert HIT.objects.get(pk=second.pk).status == HIT.Status.OPEN


def test_item_leased_to_abandoned_work_is_wanted_again(hit: HIT, turk: StubbedTurk) -> None:
    open_as(hit, assignment="GONE", worker="AGONE")

    reconciling.reconcile(now=NOW + timedelta(hours=1))

    assert (Item.objects.get().wanted, Assignment.objects.get().status) == (3, Status.GONE)
