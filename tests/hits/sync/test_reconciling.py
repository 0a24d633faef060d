from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import groupby
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from hits.batches.services import hit_changes
from hits.core.errors import ProviderRefused
from hits.providers.gateway import registry
from hits.studies.models import Batch
from hits.sync.services import reconciling
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.services import leasing, poll_schedule
from tests.factories import NOW, make_account, make_assignment, make_hit
from tests.hits.posted import (
    DEADLINE,
    look_again,
    open_as,
    post_batch,
    post_hit,
    save_as,
)
from tests.stubbed import Refused, StubbedTurk

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


# The end of a HIT, and of work that was not finished.


def test_reconcile_closes_the_hit_and_the_batch_is_complete(hit: HIT, turk: StubbedTurk) -> None:
    turk.submit(hit.external_id, answer="x")
    look_again()
    halfway = HIT.objects.get().status
    turk.submit(hit.external_id, answer="x")

    look_again(60)
    hit_changes.complete_batches(now=at(60))

    assert (halfway, HIT.objects.get().status) == (HIT.Status.OPEN, HIT.Status.CLOSED)
    assert (HIT.objects.get().closed_at, HIT.objects.get().look_at) == (at(60), None)
    assert Batch.objects.get().status == Batch.Status.COMPLETE


@pytest.mark.parametrize("fault", ["", "before", "after"])
def test_hit_that_is_over_is_taken_off_the_providers_news(hit: HIT, turk: StubbedTurk, fault: str) -> None:
    turk.faults["update_hit_review_status"] = [fault]
    for _ in range(2):
        turk.submit(hit.external_id, answer="x")

    reconciling.reconcile(now=NOW)

    assert HIT.objects.get().status == HIT.Status.CLOSED
    assert turk.hits[hit.external_id]["seen"] == (fault != "before")


def test_work_in_hand_when_the_hit_ends_has_been_given_back(hit: HIT, turk: StubbedTurk) -> None:
    opened = open_as(hit, assignment="GONE", worker="AGONE")
    turk.hits[hit.external_id]["expired"] = True

    reconciling.reconcile(now=NOW)

    opened.refresh_from_db()
    assert (opened.status, Item.objects.get().wanted) == (Status.GONE, 3)


def test_hit_that_the_provider_no_longer_has_is_closed_with_words(hit: HIT, turk: StubbedTurk) -> None:
    open_as(hit, assignment="GONE", worker="AGONE")
    turk.hits.clear()

    reconciling.reconcile(now=NOW)

    lost = HIT.objects.get()
    assert lost.status == HIT.Status.CLOSED
    assert lost.problem.startswith("The provider no longer has this HIT:")
    assert Assignment.objects.get().status == Status.GONE


def test_saved_work_is_kept_while_the_provider_cannot_be_read(hit: HIT, turk: StubbedTurk) -> None:
    """Time alone never gives up work that the provider may have."""
    assignment, worker = turk.submit(hit.external_id, answer="x")
    save_as(hit, assignment=assignment, worker=worker)
    turk.faults["get_hit"] = ["before"]

    reconciling.reconcile(now=NOW + timedelta(days=1))
    unread = Assignment.objects.get().status
    reconciling.reconcile(now=NOW + timedelta(days=1, minutes=1))

    assert (unread, Assignment.objects.get().status) == (Status.SAVED, Status.SUBMITTED)
    assert Item.objects.get().wanted == 2


def test_item_leased_to_abandoned_work_is_wanted_again_after_the_look_at_its_deadline(hit: HIT) -> None:
    reconciling.reconcile(now=NOW)
    open_as(hit, assignment="GONE", worker="AGONE")
    end = DEADLINE + leasing.GRACE

    reconciling.reconcile(now=end - timedelta(seconds=1))
    early = Assignment.objects.get().status
    reconciling.reconcile(now=end)

    assert (early, Assignment.objects.get().status) == (Status.OPENED, Status.GONE)
    assert Item.objects.get().wanted == 3


# When a look is due.


def test_look_that_is_not_due_asks_nothing(hit: HIT, turk: StubbedTurk) -> None:
    HIT.objects.update(look_at=at(1))

    reconciling.reconcile(now=NOW)

    assert turk.calls == []


def test_hit_without_a_moment_is_looked_at(hit: HIT, turk: StubbedTurk) -> None:
    HIT.objects.update(look_at=None)

    reconciling.reconcile(now=NOW)

    assert turk.calls == ["get_hit"]


def test_quiet_hit_costs_one_call_and_is_left_alone_for_a_day(hit: HIT, turk: StubbedTurk) -> None:
    turk.submit(hit.external_id, answer="x")
    look_again()
    turk.calls.clear()

    look_again(60)

    assert turk.calls == ["get_hit"]
    assert HIT.objects.get().look_at == at(60) + reconciling.QUIET
    assert HIT.objects.get().reconciled_at == at(60)


def test_hit_is_looked_at_when_its_time_to_start_ends(hit: HIT, turk: StubbedTurk) -> None:
    turk.hits[hit.external_id]["Expiration"] = at(600)
    HIT.objects.update(expires_at=at(600))

    reconciling.reconcile(now=NOW)

    assert HIT.objects.get().look_at == at(601)


def test_saved_work_is_looked_for_as_long_again_as_it_has_waited(hit: HIT) -> None:
    save_as(hit)
    seconds = []

    for _ in range(7):
        due: Any = HIT.objects.get().look_at
        seconds.append((due - NOW).total_seconds())
        reconciling.reconcile(now=due)

    assert seconds == [0, 3, 6, 12, 24, 48, 96]


def test_save_brings_the_look_forward(hit: HIT) -> None:
    reconciling.reconcile(now=NOW)

    save_as(hit)

    assert HIT.objects.get().look_at == NOW + leasing.HAND_OVER


def test_look_soon_puts_nothing_off(hit: HIT) -> None:
    brought = [
        poll_schedule.look_soon(hit_ids=[hit.pk], now=at(-5)),
        poll_schedule.look_soon(hit_ids=[hit.pk], now=NOW),
    ]

    assert (brought, HIT.objects.get().look_at) == ([1, 0], at(-5))


def during(turk: StubbedTurk, operation: str, act: Callable[[], object]) -> None:
    """Act between the provider's answer and its reading."""
    answer = getattr(turk, f"_{operation}")

    def answer_slowly(**params: Any) -> Any:
        answered = answer(**params)
        act()
        return answered

    setattr(turk, f"_{operation}", answer_slowly)


def test_news_that_come_during_the_look_are_looked_at_again(hit: HIT, turk: StubbedTurk) -> None:
    during(turk, "get_hit", lambda: poll_schedule.look_soon(hit_ids=[hit.pk], now=NOW))

    reconciling.reconcile(now=NOW)

    assert HIT.objects.get().look_at == NOW


def test_hit_that_was_extended_during_the_look_is_not_closed(hit: HIT, turk: StubbedTurk) -> None:
    turk.hits[hit.external_id]["expired"] = True
    during(turk, "get_hit", lambda: poll_schedule.look_soon(hit_ids=[hit.pk], now=NOW))

    reconciling.reconcile(now=NOW)

    assert (HIT.objects.get().status, HIT.objects.get().look_at) == (HIT.Status.OPEN, NOW)


def test_work_handed_in_between_counters_and_list_is_read_once_more(hit: HIT, turk: StubbedTurk) -> None:
    turk.submit(hit.external_id, answer="x")
    during(turk, "get_hit", lambda: turk.submit(hit.external_id, answer="x"))
    reconciling.reconcile(now=NOW)
    read = Assignment.objects.count()
    del turk._get_hit
    turk.calls.clear()

    look_again(60)

    assert (read, turk.calls[:2]) == (2, ["get_hit", "list_assignments_for_hit"])
    assert HIT.objects.get().status == HIT.Status.CLOSED


def test_more_time_and_more_places_there_are_more_here(hit: HIT, turk: StubbedTurk) -> None:
    turk.hits[hit.external_id] |= {"MaxAssignments": 5, "Expiration": at(1_000_000)}

    reconciling.reconcile(now=NOW)

    assert (HIT.objects.get().max_assignments, HIT.objects.get().expires_at) == (5, at(1_000_000))


def test_places_that_are_being_added_are_not_counted_twice(hit: HIT, turk: StubbedTurk) -> None:
    hit.changes.create(kind="add", places=3, made_at=NOW)
    turk.hits[hit.external_id]["MaxAssignments"] = 5

    reconciling.reconcile(now=NOW)

    assert HIT.objects.get().max_assignments == 2


# Broken rows and accounts hold up nothing else.


def test_reconcile_goes_on_behind_a_hit_that_cannot_be_read(turk: StubbedTurk) -> None:
    first, second = post_batch(hits_wanted=2).hits.order_by("pk")
    for hit in (first, second):
        turk.submit(hit.external_id, answer="x")
    turk.faults["get_hit"] = ["before"]

    reconciling.reconcile(now=NOW)
    skipped = [hit.assignments.count() for hit in (first, second)]
    reconciling.reconcile(now=at(59))
    waiting = first.assignments.count()
    reconciling.reconcile(now=at(60))

    assert (skipped, waiting, first.assignments.count()) == ([0, 1], 0, 1)


def test_account_that_does_not_answer_rests_after_two_hits(turk: StubbedTurk) -> None:
    post_batch(hits_wanted=5)
    turk.faults["get_hit"] = ["before"] * 5
    turk.calls.clear()

    reconciling.reconcile(now=NOW)
    asked = len(turk.calls)
    reconciling.reconcile(now=at(29))

    assert (asked, len(turk.calls)) == (2, 2)
    moments = HIT.objects.order_by("look_at").values_list("look_at", flat=True)
    assert list(moments) == [at(30)] * 3 + [at(60)] * 2


def test_account_that_refuses_every_look_rests_after_two_hits(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A revoked key would be refused for thousands of HITs, one after the other, in every run."""
    post_batch(hits_wanted=5)

    def refuse(**_: Any) -> Any:
        raise Refused("AccessDenied", "The key was revoked.")

    monkeypatch.setattr(turk, "_get_hit", refuse)
    turk.calls.clear()

    reconciling.reconcile(now=NOW)
    reconciling.reconcile(now=at(29))

    assert turk.calls == ["get_hit"] * 2


def test_items_given_back_at_the_end_of_a_hit_are_locked_in_one_order(hit: HIT, turk: StubbedTurk) -> None:
    """All work comes before all items: two runs that lock them in turns would wait for each other."""
    for number in range(2):
        open_as(hit, assignment=f"GONE{number}", worker=f"AGONE{number}")
    turk.hits[hit.external_id]["expired"] = True

    with CaptureQueriesContext(connection) as captured:
        reconciling.reconcile(now=NOW)

    written = [query["sql"].split('"')[1] for query in captured if query["sql"].startswith("UPDATE")]
    locked = [table for table in written if table in ("hits_assignment", "hits_item", "hits_batch")]
    assert [table for table, _ in groupby(locked)] == ["hits_assignment", "hits_item", "hits_batch"]


def test_account_that_cannot_be_used_keeps_nobody_elses_waiting(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = make_hit(), post_hit()
    turk.submit(sound.external_id, answer="x")

    def provider(*, account_id: int, **_: Any) -> Any:
        if account_id == broken.batch.account_id:
            raise ProviderRefused("No such key.", code="BadEndpoint")
        return turk.provider

    monkeypatch.setattr(registry, "_boto_provider", provider)
    make_assignment(hit=broken, status="submitted", auto_approves_at=NOW)

    reconciling.reconcile(now=NOW)

    assert sound.assignments.get().status == Status.SUBMITTED
    assert HIT.objects.get(pk=broken.pk).look_at == NOW


def test_slow_account_takes_only_its_turn(turk: StubbedTurk) -> None:
    post_batch(hits_wanted=8, account=make_account(send_rate=1))
    turk.calls.clear()

    done = [reconciling.reconcile(now=NOW) for _ in range(3)]

    assert (done, turk.calls) == ([5, 3, 0], ["get_hit"] * 8)


def test_hit_that_somebody_works_on_is_looked_at_first(turk: StubbedTurk) -> None:
    batch = post_batch(hits_wanted=8, account=make_account(send_rate=1))
    last = batch.hits.latest("pk")
    assignment, worker = turk.submit(last.external_id, answer="x")
    open_as(last, assignment=assignment, worker=worker)

    reconciling.reconcile(now=NOW)

    assert Assignment.objects.get().status == Status.SUBMITTED


# What it costs.


def cost_of_a_quiet_run(turk: StubbedTurk, *, finished: int) -> tuple[int, int]:
    """Calls and queries that reconciling takes for a batch with two open HITs, one of them due."""
    batch = post_batch(hits_wanted=2)
    HIT.objects.bulk_create(
        HIT(batch=batch, status="closed", external_id=f"DONE{batch.pk}X{number}", sent_at=NOW)
        for number in range(finished)
    )
    HIT.objects.filter(pk=batch.hits.earliest("pk").pk).update(look_at=at(9999))
    turk.calls.clear()
    with CaptureQueriesContext(connection) as queries:
        reconciling.reconcile(now=NOW)
    return len(turk.calls), len(queries)


def test_quiet_batch_costs_the_same_however_much_of_it_is_finished(turk: StubbedTurk) -> None:
    few = cost_of_a_quiet_run(turk, finished=10)
    many = cost_of_a_quiet_run(turk, finished=200)

    assert few == many
    assert few[0] == 1


@pytest.mark.needs_postgres
@pytest.mark.django_db(transaction=True)
def test_two_at_once_look_once(turk: StubbedTurk) -> None:
    post_batch(hits_wanted=6)
    turk.calls.clear()

    def run(_: int) -> int:
        try:
            return reconciling.reconcile(now=NOW)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as pool:
        looked = list(pool.map(run, range(3)))

    assert (sum(looked), turk.calls) == (6, ["get_hit"] * 6)
