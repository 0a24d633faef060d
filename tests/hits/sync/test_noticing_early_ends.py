"""A HIT that ends at the provider before its time, and not from here, is noticed and told once."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from hits.batches.models import BatchEvent
from hits.batches.services import batch_lifecycle, hit_changes
from hits.core.models.audit_events import AuditEvent
from hits.sync.services import full_scan, noticing_early_ends, reconciling
from hits.work.models.early_ends import EarlyEnd
from hits.work.models.hits import HIT
from tests.factories import NOW, make_user
from tests.hits.posted import look_again, open_as, post_batch, post_hit
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
ASKS_WHY = "list_review_policy_results_for_hit"
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def take_down(turk: StubbedTurk, *hits: HIT, at: datetime = NOW) -> None:
    """End HITs at the provider, as those do who run it."""
    for hit in hits:
        turk.hits[hit.external_id] |= {"expired": True, "Expiration": at}


def told() -> list[str]:
    return list(
        BatchEvent.objects.filter(kind=noticing_early_ends.ENDED_EARLY).values_list("words", flat=True)
    )


def test_a_hit_that_was_taken_down_shows_its_true_end_and_is_told_once(turk: StubbedTurk) -> None:
    hit = post_hit()
    due_at = HIT.objects.get().expires_at
    take_down(turk, hit, at=NOW + MINUTE)

    full_scan.survey(now=NOW + 2 * MINUTE)
    look_again(120)
    for _ in range(2):
        noticing_early_ends.note_early_ends(now=NOW + 3 * MINUTE)

    row = EarlyEnd.objects.in_force().get()
    hit.refresh_from_db()
    assert (hit.status, hit.expires_at) == (HIT.Status.CLOSED, NOW + MINUTE)
    assert (row.ended_at, row.due_at, row.free_places) == (NOW + MINUTE, due_at, 2)
    assert told() == [noticing_early_ends.words_of_early_ends(1)]
    assert AuditEvent.objects.get(kind="hit.ended_early").study == hit.batch.study


def test_hits_that_were_taken_down_together_are_told_together(turk: StubbedTurk) -> None:
    batch = post_batch(hits_wanted=3)
    take_down(turk, *batch.hits.all())
    look_again(1)

    noticing_early_ends.note_early_ends(now=NOW + timedelta(seconds=2))
    soon = told()
    noticing_early_ends.note_early_ends(now=NOW + MINUTE)

    assert (soon, told()) == ([], [noticing_early_ends.words_of_early_ends(3)])


def test_a_hit_whose_every_place_is_worked_on_is_noticed_too(turk: StubbedTurk) -> None:
    hit = post_hit()
    for number in (1, 2):
        open_as(hit, assignment=f"OPEN{number}", worker=f"AWORKS{number}")
    turk.hits[hit.external_id]["Expiration"] = NOW

    look_again(1)

    assert EarlyEnd.objects.get().free_places == 0


def test_a_hit_with_a_worker_in_it_is_noticed_before_that_worker_is_done(turk: StubbedTurk) -> None:
    hit = post_hit()
    open_as(hit, assignment="OPEN", worker="AWORKS")
    turk.hits[hit.external_id]["Expiration"] = NOW

    look_again(1)

    assert (EarlyEnd.objects.get().free_places, HIT.objects.get().status) == (1, HIT.Status.OPEN)


def test_a_hit_that_was_lengthened_again_is_no_trouble_any_more(turk: StubbedTurk) -> None:
    hit = post_hit()
    take_down(turk, hit)
    look_again(1)
    turk.hits[hit.external_id] |= {"expired": False, "Expiration": NOW + DAY}

    full_scan.survey(now=NOW + MINUTE, force=True)

    assert HIT.objects.get().status == HIT.Status.OPEN
    assert not EarlyEnd.objects.in_force().exists()


def test_a_hit_that_was_lengthened_from_here_and_taken_down_then_stays_down(turk: StubbedTurk) -> None:
    hit = post_hit()
    batch_lifecycle.extend_hits(
        hits=HIT.objects.all(), seconds=3600, by=make_user(is_superuser=True), now=NOW
    )
    hit_changes.send_changes(now=NOW)
    look_again(1)
    take_down(turk, hit, at=NOW + MINUTE)

    look_again(120)

    assert turk.hits[hit.external_id]["Expiration"] == NOW + MINUTE
    assert EarlyEnd.objects.in_force().count() == 1


@pytest.mark.parametrize("seconds", [-30, 0, 30])
def test_an_end_on_time_by_another_clock_is_not_early(turk: StubbedTurk, seconds: int) -> None:
    hit = post_hit()
    due_at = HIT.objects.get().expires_at
    assert due_at
    take_down(turk, hit, at=due_at + timedelta(seconds=seconds))

    HIT.objects.update(look_at=NOW)
    reconciling.reconcile(now=due_at + MINUTE)

    assert (HIT.objects.get().status, EarlyEnd.objects.count()) == (HIT.Status.CLOSED, 0)


def test_a_full_hit_is_not_early(turk: StubbedTurk) -> None:
    hit = post_hit()
    for _ in range(2):
        turk.submit(hit.external_id, answer="x")
    take_down(turk, hit)

    look_again(1)

    assert (HIT.objects.get().status, EarlyEnd.objects.count()) == (HIT.Status.CLOSED, 0)


@pytest.mark.parametrize("is_told", [True, False])
def test_an_end_from_here_is_not_early_whatever_the_providers_clock(turk: StubbedTurk, is_told: bool) -> None:
    hit = post_hit()
    batch_lifecycle.expire_hits(hits=HIT.objects.all(), by=make_user(is_superuser=True), now=NOW)
    if is_told:
        hit_changes.send_changes(now=NOW)
    take_down(turk, hit, at=NOW - 10 * MINUTE)

    look_again(1)

    assert (HIT.objects.get().status, EarlyEnd.objects.count()) == (HIT.Status.CLOSED, 0)


def test_what_the_operator_wrote_is_asked_once_and_told_in_the_history(turk: StubbedTurk) -> None:
    hit = post_hit()
    turk.end_reasons[hit.external_id] = "Its pictures\nshow people."
    take_down(turk, hit)

    look_again(1)
    look_again(2)
    noticing_early_ends.note_early_ends(now=NOW + MINUTE)

    assert EarlyEnd.objects.get().reason == "Its pictures show people."
    assert turk.calls.count(ASKS_WHY) == 1
    assert "The marketplace's operator writes: “Its pictures show people.” Ask them," in told()[0]


@pytest.mark.parametrize("fault", ["before", "refused", "unheard"])
def test_a_provider_that_knows_no_reasons_is_looked_at_all_the_same(turk: StubbedTurk, fault: str) -> None:
    hit = post_hit()
    turk.end_reasons[hit.external_id] = "Nobody hears it."
    turk.faults[ASKS_WHY] = [fault]
    take_down(turk, hit)

    look_again(1)

    assert (EarlyEnd.objects.get().reason, HIT.objects.get().status) == ("", HIT.Status.CLOSED)


def test_a_reason_is_asked_for_outside_of_transactions(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_down(turk, post_hit())
    asked: list[list[str]] = []
    about = turk._list_review_policy_results_for_hit

    def note_savepoints(**params: Any) -> Any:
        asked.append(list(connection.savepoint_ids))
        return about(**params)

    monkeypatch.setattr(turk, "_list_review_policy_results_for_hit", note_savepoints)

    look_again(1)

    assert asked == [list(connection.savepoint_ids)]


def test_a_long_reason_is_cut(turk: StubbedTurk) -> None:
    hit = post_hit()
    turk.end_reasons[hit.external_id] = "why " * 2000
    take_down(turk, hit)

    look_again(1)
    noticing_early_ends.note_early_ends(now=NOW + MINUTE)

    assert EarlyEnd.objects.get().reason == ("why " * 125)[:500]
    assert told()[0].endswith("send another.")


def test_nothing_is_due_where_nothing_was_found(turk: StubbedTurk) -> None:
    hit = post_hit()
    look_again(1)
    before = noticing_early_ends.next_note(now=NOW)
    take_down(turk, hit)
    look_again(2)

    assert before is None
    assert noticing_early_ends.next_note(now=NOW) == NOW + timedelta(seconds=2) + noticing_early_ends.TOGETHER
