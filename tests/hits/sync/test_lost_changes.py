"""A change answered by a yes to another request: the next look shows it, and the change is sent again."""

from datetime import timedelta

import pytest

from hits.batches.services import batch_lifecycle, budgets, hit_changes
from hits.identity.models.users import User
from hits.sync.services import full_scan, reconciling
from hits.work.models.hits import HIT
from tests.factories import NOW, make_user
from tests.hits.posted import post_hit
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
ADD, END = "create_additional_assignments_for_hit", "update_expiration_for_hit"


@pytest.fixture
def hit(turk: StubbedTurk) -> HIT:
    hit = post_hit()
    reconciling.reconcile(now=NOW)
    turk.calls.clear()
    return hit


@pytest.fixture
def user() -> User:
    return make_user(is_superuser=True)


def tell_and_look() -> None:
    hit_changes.send_changes(now=NOW)
    reconciling.reconcile(now=NOW)


def places(turk: StubbedTurk) -> tuple[int, int]:
    return turk.hits[HIT.objects.get().external_id]["MaxAssignments"], HIT.objects.get().max_assignments


def ends(turk: StubbedTurk) -> tuple[object, object]:
    return turk.hits[HIT.objects.get().external_id]["Expiration"], HIT.objects.get().expires_at


def test_places_that_were_not_added_are_asked_for_again_once(hit: HIT, turk: StubbedTurk, user: User) -> None:
    turk.faults[ADD] = ["unheard"]
    batch_lifecycle.add_places(hits=HIT.objects.all(), places=3, by=user, now=NOW)

    tell_and_look()
    HIT.objects.update(look_at=None)
    reconciling.reconcile(now=NOW)

    assert places(turk) == (5, 5)
    assert turk.calls.count(ADD) == 2


def test_places_that_were_added_are_asked_for_once(hit: HIT, turk: StubbedTurk, user: User) -> None:
    batch_lifecycle.add_places(hits=HIT.objects.all(), places=3, by=user, now=NOW)

    tell_and_look()

    assert (places(turk), turk.calls) == ((5, 5), [ADD, "get_hit"])


def test_places_that_are_refused_the_second_time_are_not_counted_and_their_money_goes_back(
    hit: HIT, turk: StubbedTurk, user: User
) -> None:
    batch = hit.batch
    before = batch.reserved
    turk.faults[ADD] = ["unheard", "refused"]
    batch_lifecycle.add_places(hits=HIT.objects.all(), places=3, by=user, now=NOW)

    tell_and_look()
    budgets.settle(batch=batch, now=NOW)

    batch.refresh_from_db()
    assert (places(turk), batch.reserved) == ((2, 2), before)


def test_after_a_day_the_token_protects_no_more_and_the_providers_places_count(
    hit: HIT, turk: StubbedTurk, user: User
) -> None:
    turk.faults |= {ADD: ["unheard"], "get_hit": ["before"]}
    batch_lifecycle.add_places(hits=HIT.objects.all(), places=3, by=user, now=NOW)
    tell_and_look()

    full_scan.survey(now=NOW + DAY, force=True)
    reconciling.reconcile(now=NOW + DAY)

    assert (places(turk), turk.calls.count(ADD)) == ((2, 2), 1)


def test_a_hit_that_was_not_expired_is_expired_again(hit: HIT, turk: StubbedTurk, user: User) -> None:
    turk.faults[END] = ["unheard"]
    batch_lifecycle.expire_hits(hits=HIT.objects.all(), by=user, now=NOW)

    tell_and_look()

    assert turk.hits[hit.external_id]["expired"]
    assert HIT.objects.get().status == HIT.Status.CLOSED


def test_a_hit_that_was_not_lengthened_is_lengthened_again(hit: HIT, turk: StubbedTurk, user: User) -> None:
    turk.faults[END] = ["unheard"]
    batch_lifecycle.extend_hits(hits=HIT.objects.all(), seconds=7200, by=user, now=NOW)

    tell_and_look()

    theirs, ours = ends(turk)
    assert theirs == ours
    assert turk.calls.count(END) == 2


def test_a_survey_sees_that_an_untouched_hit_has_fewer_places_than_were_added(
    hit: HIT, turk: StubbedTurk, user: User
) -> None:
    """The look before it was answered wrongly as well."""
    HIT.objects.update(max_assignments=3)

    full_scan.survey(now=NOW, force=True)
    reconciling.reconcile(now=NOW)

    assert places(turk) == (2, 2)


def test_a_survey_takes_the_providers_word_for_the_places_of_what_is_over(
    hit: HIT, turk: StubbedTurk
) -> None:
    turk.hits[hit.external_id]["expired"] = True
    HIT.objects.update(status=HIT.Status.CLOSED, closed_at=NOW, look_at=None, max_assignments=3)

    full_scan.survey(now=NOW, force=True)

    assert places(turk) == (2, 2)
