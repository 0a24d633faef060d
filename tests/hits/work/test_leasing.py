from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from hits.core.errors import RuleBroken
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services import leasing
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_hit,
    make_study,
    make_worker,
)

pytestmark = pytest.mark.django_db
DEADLINE = NOW + timedelta(minutes=15)


def make_slot(*, items: int = 1, per_assignment: int = 1, **account: str) -> HIT:
    study = make_study()
    for _ in range(items):
        make_association(study=study)
    batch = make_batch(
        study=study,
        status="open",
        items_per_assignment=per_assignment,
        account=make_account(**account),
        assignments_per_hit=2,
    )
    return make_hit(batch=batch)


def open_slot(hit: HIT, *, worker: Worker | None = None, minutes: int = 0) -> Assignment:
    """Open work accepted so many minutes later, under the one id that all acceptances of these tests have."""
    accepted_at = NOW + timedelta(minutes=minutes)
    return leasing.open_assignment(
        hit=hit,
        worker=worker or make_worker(account=hit.batch.account),
        external_id="A1",
        accepted_at=accepted_at,
        deadline_at=accepted_at + timedelta(minutes=15),
        now=accepted_at,
    )


def test_open_assignment_again_is_the_same_attempt() -> None:
    hit = make_slot()
    worker = make_worker(account=hit.batch.account)

    first = open_slot(hit, worker=worker)
    again = open_slot(hit, worker=worker)

    assert again == first
    assert Assignment.objects.count() == 1


def test_open_assignment_accepted_anew_is_a_new_attempt() -> None:
    hit = make_slot()
    worker = make_worker(account=hit.batch.account)

    first = open_slot(hit, worker=worker)
    second = open_slot(hit, worker=worker, minutes=5)

    assert (first.attempt, second.attempt) == (1, 2)


def test_assignment_id_reused_by_another_worker_stays_apart() -> None:
    hit = make_slot()

    first, second = open_slot(hit), open_slot(hit)

    assert first != second
    assert (first.external_id, second.external_id) == ("A1", "A1")


def test_open_assignment_without_a_ticket_stops_at_the_places_of_the_hit() -> None:
    hit = make_slot(ticket_key="")
    for _ in range(hit.max_assignments):
        make_assignment(hit=hit)

    with pytest.raises(RuleBroken) as broken:
        leasing.open_assignment(
            hit=hit,
            worker=make_worker(account=hit.batch.account),
            external_id="A9",
            accepted_at=None,
            deadline_at=DEADLINE,
            now=NOW,
        )

    assert broken.value.code == "no_place"
    assert Assignment.objects.count() == hit.max_assignments


def test_lease_items_serves_the_same_again_on_reload() -> None:
    hit = make_slot(items=3, per_assignment=2)
    assignment = open_slot(hit)

    first = leasing.lease_items(assignment=assignment, now=NOW)
    again = leasing.lease_items(assignment=assignment, now=NOW)

    assert first == again
    assert first == list(Item.objects.order_by("pk")[:2])
    assert list(Item.objects.order_by("pk").values_list("wanted", flat=True)) == [2, 2, 3]


def test_lease_items_never_serves_one_worker_an_item_twice() -> None:
    hit = make_slot(items=1)
    worker = make_worker(account=hit.batch.account)
    leasing.lease_items(assignment=open_slot(hit, worker=worker), now=NOW)

    other = open_slot(make_hit(batch=hit.batch), worker=worker, minutes=5)
    second = leasing.lease_items(assignment=other, now=NOW)

    assert second == []


def test_worker_who_accepts_the_hit_anew_is_served_the_item_again() -> None:
    hit = make_slot(items=1)
    worker = make_worker(account=hit.batch.account)
    first = open_slot(hit, worker=worker)
    served = leasing.lease_items(assignment=first, now=NOW)

    again = leasing.lease_items(assignment=open_slot(hit, worker=worker, minutes=5), now=NOW)

    assert again == served
    assert Assignment.objects.get(pk=first.pk).status == Assignment.Status.GONE
    assert Item.objects.get().wanted == 2


def test_lease_items_never_serves_ones_own() -> None:
    hit = make_slot(items=1)
    worker = make_worker(account=hit.batch.account)
    Item.objects.update(author=worker)

    own = leasing.lease_items(assignment=open_slot(hit, worker=worker), now=NOW)
    others = leasing.lease_items(assignment=open_slot(hit), now=NOW)

    assert (own, len(others)) == ([], 1)


def test_lease_items_stops_when_enough_answers_are_out() -> None:
    hit = make_slot(items=1)

    served = [leasing.lease_items(assignment=open_slot(hit), now=NOW) for _ in range(4)]

    assert [len(items) for items in served] == [1, 1, 1, 0]


def test_database_refuses_a_second_lease_and_ones_own() -> None:
    hit = make_slot(items=1)
    assignment = open_slot(hit)
    (item,) = leasing.lease_items(assignment=assignment, now=NOW)
    another = open_slot(hit)
    twice = {"item": item, "assignment": assignment, "worker": assignment.worker, "leased_at": NOW}
    own = {**twice, "assignment": another, "worker": another.worker, "author": another.worker}

    for values in (twice, own):
        with pytest.raises(IntegrityError), transaction.atomic():
            Lease.objects.create(**values)

    assert Lease.objects.count() == 1


def test_save_answer_twice_keeps_the_first() -> None:
    assignment = make_assignment()
    leasing.save_answer(assignment=assignment, answer={"a": ["1"]}, now=NOW)

    with pytest.raises(RuleBroken) as broken:
        leasing.save_answer(assignment=assignment, answer={"a": ["2"]}, now=NOW)

    assert broken.value.code == "already_saved"
    assert Assignment.objects.get().answer == {"a": ["1"]}


def test_save_answer_at_the_deadline_is_refused() -> None:
    assignment = make_assignment(deadline_at=DEADLINE)

    with pytest.raises(RuleBroken) as broken:
        leasing.save_answer(assignment=assignment, answer={"a": ["1"]}, now=DEADLINE)

    assert broken.value.code == "deadline"
    assert (Assignment.objects.get().status, Assignment.objects.get().answer) == ("opened", None)


def test_release_overdue_gives_items_back_and_keeps_history() -> None:
    hit = make_slot(items=1)
    assignment = open_slot(hit)
    leasing.lease_items(assignment=assignment, now=NOW)
    unread = leasing.release_overdue(now=DEADLINE + timedelta(days=1))
    HIT.objects.update(reconciled_at=DEADLINE + leasing.GRACE + timedelta(seconds=1))

    early = leasing.release_overdue(now=DEADLINE)
    late = leasing.release_overdue(now=DEADLINE + leasing.GRACE + timedelta(seconds=1))
    again = leasing.release_overdue(now=DEADLINE + timedelta(days=1))

    assert (unread, early, late, again) == (0, 0, 1, 0)
    assert Item.objects.get().wanted == 3
    assert Lease.objects.get().status == Lease.Status.RELEASED
    assert Assignment.objects.get().status == Assignment.Status.GONE


def test_overdue_work_is_given_up_at_the_instant_of_the_look() -> None:
    make_assignment(deadline_at=DEADLINE)
    HIT.objects.update(reconciled_at=DEADLINE + leasing.GRACE)

    given_up = leasing.release_overdue(now=DEADLINE + leasing.GRACE)

    assert given_up == 1


def test_overdue_work_of_a_closed_hit_needs_no_look() -> None:
    make_assignment(hit=make_hit(status="closed"), deadline_at=DEADLINE)

    assert leasing.release_overdue(now=DEADLINE + leasing.GRACE) == 1


def test_open_assignment_asks_for_a_look_after_its_deadline() -> None:
    hit = make_slot()
    HIT.objects.update(look_at=None)

    open_slot(hit)

    assert HIT.objects.get().look_at == DEADLINE + leasing.GRACE


def test_save_answer_that_is_refused_asks_for_no_look() -> None:
    assignment = make_assignment(status="submitted")
    HIT.objects.update(look_at=None)

    with pytest.raises(RuleBroken):
        leasing.save_answer(assignment=assignment, answer={"a": ["1"]}, now=NOW)

    assert (HIT.objects.get().look_at, Batch.objects.get().is_stale) == (None, False)


@pytest.mark.parametrize("deed", ["open", "save", "give_up", "keep_out"])
def test_batch_is_counted_anew_after(deed: str) -> None:
    assignment = open_slot(make_slot())
    Batch.objects.update(is_stale=False)
    deeds: dict[str, Callable[[], object]] = {
        "open": lambda: open_slot(assignment.hit, minutes=1),
        "save": lambda: leasing.save_answer(assignment=assignment, answer={"a": ["1"]}, now=NOW),
        "give_up": lambda: leasing.give_up(assignment, now=NOW),
        "keep_out": lambda: leasing.keep_out(assignment, now=NOW),
    }

    deeds[deed]()

    assert Batch.objects.get().is_stale


def test_keep_out_asks_somebody_else_once() -> None:
    hit = make_slot(items=1)
    assignment = open_slot(hit)
    leasing.lease_items(assignment=assignment, now=NOW)
    leasing.save_answer(assignment=assignment, answer={"a": ["1"]}, now=NOW)

    out = [leasing.keep_out(assignment, now=NOW) for _ in range(2)]

    assert out == [True, False]
    assert Assignment.objects.get().kept_out
    assert (Item.objects.get().wanted, Item.objects.get().recount) == (3, True)
    assert Lease.objects.get().status == Lease.Status.RELEASED


def test_give_up_twice_gives_back_once() -> None:
    hit = make_slot(items=1)
    assignment = open_slot(hit)
    leasing.lease_items(assignment=assignment, now=NOW)

    given_up = [leasing.give_up(assignment, now=NOW) for _ in range(2)]

    assert (given_up, Item.objects.get().wanted) == ([True, False], 3)
    assert not Item.objects.get().recount


def work_on(hit: HIT, *, minutes: int) -> Assignment:
    assignment = open_slot(hit, minutes=minutes)
    leasing.lease_items(assignment=assignment, now=NOW)
    return assignment


@pytest.mark.parametrize("deed", [leasing.give_up, leasing.keep_out])
def test_whose_place_was_filled_by_a_late_answer_is_not_replaced_once_more(
    deed: Callable[..., bool],
) -> None:
    hit = make_slot(items=1)
    late, *_, last = (work_on(hit, minutes=minutes) for minutes in range(3))
    leasing.give_up(late, now=NOW)
    replacement = work_on(hit, minutes=3)
    leasing.answer_leases(late, now=NOW)

    first = deed(replacement, now=NOW)

    item = Item.objects.get()
    assert (first, item.wanted, item.recount) == (True, 0, True)
    deed(last, now=NOW)
    assert Item.objects.get().wanted == 1


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
@pytest.mark.parametrize("task", ["winogavil.solve", "winogavil.solver_test"])
def test_what_a_worker_has_seen_is_looked_through_once_and_not_for_each_item(task: str) -> None:
    batch = make_batch(task=task, status="open")

    plan = leasing.items_open_to(batch=batch, worker_id=make_worker(account=batch.account).pk).explain()

    assert "SUBQUERY" in plan
    assert "CORRELATED" not in plan
