from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F
from pytest_django import DjangoAssertNumQueries

from hits.batches.models import BatchEvent
from hits.batches.services import batch_lifecycle, budgets, hit_changes, launching, sending_hits
from hits.core.errors import ProviderRefused, RuleBroken
from hits.identity.models.users import User
from hits.providers.gateway import registry
from hits.studies.models import Batch, Study
from hits.work.models.hits import HIT, Change
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_hit,
    make_study,
    make_user,
    set_aside,
)
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
Status = Batch.Status
LATER = NOW + timedelta(hours=1)
DAY = timedelta(days=1)


@pytest.fixture
def user() -> User:
    return make_user()


def make_running(*, hits: int = 2, **changes: Any) -> Batch:
    """Launch a batch, and send as many of its HITs as may be sent."""
    study = changes.pop("study", None) or make_study(budget=Decimal(changes.pop("budget", 1000)))
    make_association(study=study)
    batch = make_batch(study=study, hits_wanted=hits, lifetime_s=DAY.total_seconds(), **changes)
    launching.launch_batch(batch=batch, by=make_user(), now=NOW)
    sending_hits.send_launching_batches(now=NOW, clock=lambda: NOW)
    return batch


def tell(now: datetime = NOW) -> int:
    return hit_changes.send_changes(now=now, clock=lambda: now)


def status_of(batch: Batch) -> str:
    return Batch.objects.values_list("status", flat=True).get(pk=batch.pk)


def changes_of(batch: Batch) -> list[tuple[str, str]]:
    changes = Change.objects.filter(hit__batch=batch).order_by("pk")
    return list(changes.values_list("kind", "status"))


def expired(turk: StubbedTurk) -> list[bool]:
    return [row["expired"] for row in turk.hits.values()]


def close(batch: Batch) -> None:
    batch.hits.filter(status=HIT.Status.OPEN).update(status=HIT.Status.CLOSED)


# Pausing and resuming.


def test_pause_expires_what_is_out_and_keeps_the_time_that_was_left(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=2)

    batch_lifecycle.pause_batch(batch=batch, by=user, now=LATER)
    told = tell(LATER)

    assert (status_of(batch), told, expired(turk)) == (Status.PAUSED, 2, [True, True])
    assert (
        list(batch.hits.values_list("expires_at", "time_left", "look_at"))
        == [(LATER, DAY - timedelta(hours=1), LATER)] * 2
    )


def test_resume_gives_the_time_back_that_the_pause_took(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=1)
    batch_lifecycle.pause_batch(batch=batch, by=user, now=LATER)
    tell(LATER)
    close(batch)

    batch_lifecycle.resume_batch(batch=batch, by=user, now=NOW + 30 * DAY)
    tell(NOW + 30 * DAY)

    hit = HIT.objects.get()
    assert (status_of(batch), hit.status, hit.time_left) == (Status.LAUNCHING, HIT.Status.OPEN, None)
    assert hit.expires_at == turk.hits[hit.external_id]["Expiration"] == NOW + 31 * DAY - timedelta(hours=1)
    assert expired(turk) == [False]


def test_a_pause_taken_back_at_once_is_never_told(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=1)

    batch_lifecycle.pause_batch(batch=batch, by=user, now=NOW)
    batch_lifecycle.resume_batch(batch=batch, by=user, now=NOW)
    tell()

    assert (changes_of(batch), expired(turk)) == ([], [False])


def test_pause_resume_and_pause_while_the_provider_is_away_end_in_a_pause(
    turk: StubbedTurk, user: User
) -> None:
    batch = make_running(hits=1)
    turk.faults["update_expiration_for_hit"] = ["before"] * 3
    for verb in (batch_lifecycle.pause_batch, batch_lifecycle.resume_batch, batch_lifecycle.pause_batch):
        verb(batch=batch, by=user, now=NOW)
        tell()

    for minute in range(3):
        tell(NOW + timedelta(minutes=minute))

    assert (status_of(batch), expired(turk)) == (Status.PAUSED, [True])
    assert not Change.objects.filter(status="intended").exists()


def test_a_pause_keeps_its_money(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=2)
    reserved = Study.objects.get().reserved
    batch_lifecycle.pause_batch(batch=batch, by=user, now=NOW)
    tell()
    close(batch)

    budgets.settle(batch=Batch.objects.get(), now=NOW)

    assert Study.objects.get().reserved == reserved


def test_pause_of_a_refusal_leaves_what_is_out_as_it_is(turk: StubbedTurk) -> None:
    turk.balance = Decimal("6.00")
    batch = make_running(hits=2, reward=Decimal("2.00"))

    tell()

    assert (status_of(batch), expired(turk), changes_of(batch)) == (Status.PAUSED_FUNDS, [False], [])


def test_pausing_twice_is_pausing_once(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=1)

    for _ in range(2):
        batch_lifecycle.pause_batch(batch=batch, by=user, now=NOW)
        tell()

    assert changes_of(batch) == [("expire", "done")]
    assert BatchEvent.objects.filter(kind="paused").count() == 1


@pytest.mark.parametrize(
    ("verb", "status"),
    [
        (batch_lifecycle.pause_batch, "draft"),
        (batch_lifecycle.pause_batch, "complete"),
        (batch_lifecycle.pause_batch, "paused_funds"),
        (batch_lifecycle.resume_batch, "draft"),
        (batch_lifecycle.resume_batch, "complete"),
        (batch_lifecycle.resume_batch, "draining"),
        (batch_lifecycle.drain_batch, "draft"),
        (batch_lifecycle.drain_batch, "complete"),
        (batch_lifecycle.cancel_batch, "complete"),
    ],
)
def test_a_verb_out_of_season_is_refused_and_changes_nothing(
    verb: Callable[..., None], status: str, user: User
) -> None:
    batch = make_batch(status=status)
    before = Batch.objects.values().get()

    with pytest.raises(RuleBroken) as broken:
        verb(batch=batch, by=user, now=NOW)

    assert broken.value.code == "wrong_state"
    assert Batch.objects.values().get() == before
    assert not BatchEvent.objects.exists()


# Ending.


def test_drain_withdraws_expires_and_completes(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=3, pilot_hits=1)

    batch_lifecycle.drain_batch(batch=batch, by=user, now=NOW)
    tell()
    draining = status_of(batch)
    close(batch)
    tell()

    assert (draining, status_of(batch)) == (Status.DRAINING, Status.COMPLETE)
    assert list(batch.hits.order_by("pk").values_list("status", flat=True)) == [
        "closed",
        "withdrawn",
        "withdrawn",
    ]
    assert expired(turk) == [True]


def test_drain_of_a_paused_batch_gives_no_time_back(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=1)
    batch_lifecycle.pause_batch(batch=batch, by=user, now=NOW)
    tell()

    batch_lifecycle.drain_batch(batch=batch, by=user, now=NOW)
    close(batch)
    tell()

    assert (status_of(batch), expired(turk)) == (Status.COMPLETE, [True])


def test_a_hit_that_comes_late_into_a_draining_batch_is_expired_too(turk: StubbedTurk, user: User) -> None:
    """A late HIT was adopted, or its sender was slow."""
    batch = make_running(hits=1)
    batch_lifecycle.drain_batch(batch=batch, by=user, now=NOW)
    tell()
    other = make_running(hits=1)
    other.hits.update(batch=batch)

    tell()

    assert expired(turk) == [True, True]


def test_cancel_of_a_draft_ends_it_at_once(user: User) -> None:
    batch = make_batch()

    batch_lifecycle.cancel_batch(batch=batch, by=user, now=NOW)

    assert (status_of(batch), batch.cancelled_at) == (Status.CANCELLED, NOW)


def test_cancel_of_a_running_batch_ends_it_when_its_hits_are_over(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=2)

    batch_lifecycle.cancel_batch(batch=batch, by=user, now=NOW)
    tell()
    halfway = status_of(batch)
    close(batch)
    tell()

    assert (halfway, status_of(batch)) == (Status.DRAINING, Status.CANCELLED)


def test_an_open_batch_is_complete_when_all_its_hits_are_over(turk: StubbedTurk) -> None:
    whole, pilot = make_running(hits=1), make_running(hits=2, pilot_hits=1)
    close(whole)
    close(pilot)

    completed = hit_changes.complete_batches(now=NOW)

    assert (completed, status_of(whole), status_of(pilot)) == (1, Status.COMPLETE, Status.OPEN)


# The pilot, and more HITs.


def test_release_pilot_of_a_paused_batch_waits_for_the_resume(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=2, pilot_hits=1)
    batch_lifecycle.pause_batch(batch=batch, by=user, now=NOW)

    batch_lifecycle.release_pilot(batch=batch, by=user, now=NOW)

    assert (status_of(batch), batch.pilot_released_at) == (Status.PAUSED, NOW)


def test_release_pilot_without_a_pilot_is_refused(turk: StubbedTurk, user: User) -> None:
    batch = make_running()

    with pytest.raises(RuleBroken) as broken:
        batch_lifecycle.release_pilot(batch=batch, by=user, now=NOW)

    assert (broken.value.code, status_of(batch)) == ("no_pilot", Status.OPEN)


@pytest.mark.parametrize("status", ["open", "complete"])
def test_add_hits_reserves_and_launches_again(turk: StubbedTurk, user: User, status: str) -> None:
    batch = make_running(hits=2)
    Batch.objects.update(status=status)
    each = Study.objects.get().reserved / 2

    batch_lifecycle.add_hits(batch=batch, count=3, by=user, now=NOW)
    sent = sending_hits.send_launching_batches(now=NOW)

    assert (sent, status_of(batch)) == (3, Status.OPEN)
    assert list(batch.hits.order_by("pk").values_list("number", flat=True)) == [1, 2, 3, 4, 5]
    assert Study.objects.get().reserved == 5 * each


def test_add_hits_with_the_last_number_seen_adds_once(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=2)

    for _ in range(2):
        batch_lifecycle.add_hits(batch=batch, count=3, by=user, now=NOW, after=2)

    assert (batch.hits.count(), set_aside().count()) == (5, 2)


def test_add_hits_beyond_the_budget_adds_nothing(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=1, reward=Decimal("5.00"), budget=20)

    with pytest.raises(RuleBroken) as broken:
        batch_lifecycle.add_hits(batch=batch, count=1, by=user, now=NOW)

    assert broken.value.code == "over_budget"
    assert (batch.hits.count(), set_aside().count(), status_of(batch)) == (1, 1, Status.OPEN)


@pytest.mark.parametrize("status", ["draft", "draining", "cancelled"])
def test_add_hits_to_a_batch_that_ends_is_refused(user: User, status: str) -> None:
    batch = make_batch(status=status)

    with pytest.raises(RuleBroken) as broken:
        batch_lifecycle.add_hits(batch=batch, count=1, by=user, now=NOW)

    assert (broken.value.code, batch.hits.count()) == ("wrong_state", 0)


# One HIT, or a selection.


def test_expire_hits_ends_one_and_leaves_the_other(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=2)
    first = batch.hits.order_by("pk")[0]

    about = batch_lifecycle.expire_hits(hits=HIT.objects.filter(pk=first.pk), by=user, now=NOW)
    tell()

    assert (about, expired(turk), status_of(batch)) == (1, [True, False], Status.OPEN)


def test_expire_hits_withdraws_what_was_not_sent(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=2, pilot_hits=1)

    about = batch_lifecycle.expire_hits(hits=batch.hits.all(), by=user, now=NOW)

    assert about == 2
    assert list(batch.hits.order_by("pk").values_list("status", flat=True)) == ["open", "withdrawn"]
    assert changes_of(batch) == [("expire", "intended")]


def test_extend_hits_twice_before_it_is_told_extends_once(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=1)

    about = [
        batch_lifecycle.extend_hits(hits=batch.hits.all(), seconds=3600, by=user, now=NOW) for _ in range(2)
    ]
    tell()

    assert (about, changes_of(batch)) == ([1, 0], [("extend", "done")])
    assert HIT.objects.get().expires_at == NOW + DAY + timedelta(hours=1)


def test_extend_hits_opens_again_what_is_over_and_reserves_its_free_places(
    turk: StubbedTurk, user: User
) -> None:
    batch = make_running(hits=2)
    half_full, full = batch.hits.order_by("pk")
    make_assignment(hit=half_full, status="approved", owed_at=NOW)
    for _ in range(3):
        make_assignment(hit=full, status="approved", owed_at=NOW)
    close(batch)
    tell()
    budgets.settle(batch=batch, now=NOW)
    before = Study.objects.get().reserved

    about = batch_lifecycle.extend_hits(hits=batch.hits.all(), seconds=3600, by=user, now=NOW + 2 * DAY)
    reserved = Study.objects.get().reserved
    budgets.settle(batch=batch, now=NOW)
    tell(NOW + 2 * DAY)

    assert (about, status_of(batch)) == (1, Status.OPEN)
    assert reserved - before == 2 * batch.prices.place(assignments_per_hit=3)
    assert Study.objects.get().reserved == reserved
    assert list(batch.hits.order_by("pk").values_list("status", flat=True)) == ["open", "closed"]
    half_full.refresh_from_db()
    assert half_full.expires_at == NOW + 2 * DAY + timedelta(hours=1)


def test_extend_hits_of_a_paused_batch_is_refused(turk: StubbedTurk, user: User) -> None:
    batch = make_running()
    batch_lifecycle.pause_batch(batch=batch, by=user, now=NOW)

    with pytest.raises(RuleBroken) as broken:
        batch_lifecycle.extend_hits(hits=batch.hits.all(), seconds=3600, by=user, now=NOW)

    assert (broken.value.code, changes_of(batch)) == ("wrong_state", [])


def test_expiring_takes_back_an_extension_that_was_not_told(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=1)
    batch_lifecycle.extend_hits(hits=batch.hits.all(), seconds=3600, by=user, now=NOW)

    batch_lifecycle.expire_hits(hits=batch.hits.all(), by=user, now=NOW)

    assert changes_of(batch) == [("expire", "intended")]


def test_an_extension_taken_back_before_a_closed_hit_opened_leaves_it_closed(
    turk: StubbedTurk, user: User
) -> None:
    batch = make_running(hits=1)
    close(batch)
    batch_lifecycle.extend_hits(hits=batch.hits.all(), seconds=3600, by=user, now=NOW)

    batch_lifecycle.expire_hits(hits=batch.hits.all(), by=user, now=NOW)
    tell()

    assert (changes_of(batch), HIT.objects.get().status) == ([("expire", "done")], HIT.Status.CLOSED)


def test_add_places_reserves_asks_once_and_opens_again(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=2)
    reserved = Study.objects.get().reserved
    close(batch)
    tell()

    about = [batch_lifecycle.add_places(hits=batch.hits.all(), places=2, by=user, now=NOW) for _ in range(2)]
    tell()

    assert (about, status_of(batch)) == ([2, 0], Status.OPEN)
    assert [row["MaxAssignments"] for row in turk.hits.values()] == [5, 5]
    assert list(batch.hits.values_list("max_assignments", "status")) == [(5, "open")] * 2
    assert Study.objects.get().reserved == reserved / 6 * 10


def test_places_that_another_copy_of_the_database_has_asked_for_are_not_asked_for_again(
    turk: StubbedTurk, user: User
) -> None:
    batch = make_running(hits=1)
    batch_lifecycle.add_places(hits=batch.hits.all(), places=2, by=user, now=NOW)
    tell()
    Change.objects.update(status="intended", asked_at=None, claimed_at=None, done_at=None)
    HIT.objects.update(max_assignments=3)
    turk.tokens.clear()

    hit_changes.send_changes(now=NOW + timedelta(hours=25))

    assert [row["MaxAssignments"] for row in turk.hits.values()] == [5]
    assert (HIT.objects.get().max_assignments, changes_of(batch)) == (5, [("add", "done")])


@pytest.mark.parametrize("fault", ["before", "after"])
def test_add_places_after_an_unclear_outcome_looks_before_it_asks_again(
    turk: StubbedTurk, user: User, fault: str
) -> None:
    batch = make_running(hits=1)
    turk.faults["create_additional_assignments_for_hit"] = [fault]
    batch_lifecycle.add_places(hits=batch.hits.all(), places=2, by=user, now=NOW)

    tell()
    tell()

    assert [row["MaxAssignments"] for row in turk.hits.values()] == [5]
    assert (HIT.objects.get().max_assignments, changes_of(batch)) == (5, [("add", "done")])


def test_add_places_that_the_provider_refuses_gives_the_money_back(
    turk: StubbedTurk, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = make_running(hits=1)
    reserved = Study.objects.get().reserved
    batch_lifecycle.add_places(hits=batch.hits.all(), places=2, by=user, now=NOW)

    def refuse(*_: object, **__: object) -> None:
        raise ProviderRefused("There is too little money.", code="InsufficientFunds")

    monkeypatch.setattr(turk.provider, "add_places", refuse)
    tell()
    budgets.settle(batch=batch, now=NOW)

    change = Change.objects.get()
    assert (change.status, change.problem) == (Change.Status.REFUSED, "There is too little money.")
    assert HIT.objects.get().max_assignments == 3
    assert Study.objects.get().reserved == reserved


@pytest.mark.parametrize(
    ("places", "now", "code"),
    [(7, NOW, "ten_places"), (1, NOW + 2 * DAY, "expired"), (0, NOW, "nothing_added")],
)
def test_add_places_that_cannot_be_is_refused_and_reserves_nothing(
    turk: StubbedTurk, user: User, places: int, now: datetime, code: str
) -> None:
    batch = make_running(hits=1)

    with pytest.raises(RuleBroken) as broken:
        batch_lifecycle.add_places(hits=batch.hits.all(), places=places, by=user, now=now)

    assert (broken.value.code, changes_of(batch)) == (code, [])
    assert set_aside().count() == 1


def test_add_places_beyond_the_budget_adds_none(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=1)
    Study.objects.update(budget=F("reserved"))

    with pytest.raises(RuleBroken) as broken:
        batch_lifecycle.add_places(hits=batch.hits.all(), places=5, by=user, now=NOW)

    assert (broken.value.code, changes_of(batch)) == ("over_budget", [])


# Telling the provider.


def test_changes_of_one_hit_are_told_in_order(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=1)
    turk.faults["update_expiration_for_hit"] = ["before"]
    batch_lifecycle.extend_hits(hits=batch.hits.all(), seconds=60, by=user, now=NOW)
    batch_lifecycle.add_places(hits=batch.hits.all(), places=1, by=user, now=NOW)

    first = tell()
    second = tell()

    assert (first, second) == (0, 2)
    assert turk.calls[-3:] == [
        "update_expiration_for_hit",
        "update_expiration_for_hit",
        "create_additional_assignments_for_hit",
    ]


def test_a_change_that_another_process_is_telling_is_left_to_it(turk: StubbedTurk, user: User) -> None:
    batch = make_running(hits=1)
    batch_lifecycle.expire_hits(hits=batch.hits.all(), by=user, now=NOW)
    Change.objects.update(claimed_at=NOW)

    soon, late = tell(NOW + timedelta(minutes=1)), tell(NOW + timedelta(minutes=4))

    assert (soon, late) == (0, 1)


def test_an_account_that_cannot_be_used_keeps_only_its_own_changes_waiting(
    turk: StubbedTurk, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, fine = make_running(hits=2), make_running(hits=2)
    batch_lifecycle.expire_hits(hits=HIT.objects.all(), by=user, now=NOW)

    def provider(*, account_id: int, **_: Any) -> Any:
        if account_id == broken.account_id:
            raise ProviderRefused("No such endpoint.", code="BadEndpoint")
        return turk.provider

    monkeypatch.setattr(registry, "_boto_provider", provider)

    assert tell() == 2
    assert changes_of(broken) == [("expire", "intended")] * 2
    assert changes_of(fine) == [("expire", "done")] * 2


def test_a_refused_expiry_of_a_draining_batch_is_asked_for_again_later(
    turk: StubbedTurk, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = make_running(hits=1)
    batch_lifecycle.drain_batch(batch=batch, by=user, now=NOW)

    def refuse(*_: object) -> None:
        raise ProviderRefused("Not now.", code="AccessDenied")

    with monkeypatch.context() as patch:
        patch.setattr(turk.provider, "expire_hit", refuse)
        tell()
        tell(NOW + timedelta(minutes=1))
    tell(NOW + timedelta(minutes=20))

    assert changes_of(batch) == [("expire", "refused"), ("expire", "done")]


def test_a_verb_on_many_hits_takes_as_many_queries_as_on_few(
    user: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    account = make_account()
    batch = make_batch(account=account, status="open", study=make_study(budget=Decimal(100_000)))
    for _ in range(40):
        make_hit(batch=batch, expires_at=NOW + DAY)

    with django_assert_max_num_queries(20):
        batch_lifecycle.add_places(hits=batch.hits.all(), places=1, by=user, now=NOW)
    with django_assert_max_num_queries(20):
        batch_lifecycle.extend_hits(hits=batch.hits.all(), seconds=60, by=user, now=NOW)
    with django_assert_max_num_queries(20):
        batch_lifecycle.expire_hits(hits=batch.hits.all(), by=user, now=NOW)

    assert Change.objects.filter(kind="add").count() == 40


@pytest.mark.parametrize("verb", ["add_hits", "add_places"])
def test_real_money_is_topped_up_only_by_who_may_spend_it(turk: StubbedTurk, user: User, verb: str) -> None:
    batch = make_running()
    batch.account.environment = "production"
    batch.account.save()
    before = list(set_aside().values())

    given: dict[str, Any] = {"by": user, "now": LATER}
    acts: dict[str, Callable[[], object]] = {
        "add_hits": lambda: batch_lifecycle.add_hits(batch=batch, count=1, **given),
        "add_places": lambda: batch_lifecycle.add_places(hits=batch.hits.all(), places=1, **given),
    }

    with pytest.raises(RuleBroken) as broken:
        acts[verb]()

    assert broken.value.code == "not_allowed"
    assert (list(set_aside().values()), batch.hits.count(), changes_of(batch)) == (before, 2, [])
    batch_lifecycle.add_hits(batch=batch, count=1, by=make_user(is_superuser=True), now=LATER)
    assert batch.hits.count() == 3
