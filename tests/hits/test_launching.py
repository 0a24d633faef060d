from datetime import timedelta
from decimal import Decimal

import pytest
from django.conf import LazySettings

from hits.errors import RuleBroken
from hits.models import HIT, Batch
from hits.services import launching
from tests.factories import NOW, make_association, make_batch, make_study, make_user
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db


def make_draft(*, hits: int = 3, reward: str = "0.03") -> Batch:
    study = make_study()
    make_association(study=study)
    return make_batch(study=study, hits_wanted=hits, reward=Decimal(reward))


def launch(batch: Batch) -> None:
    launching.launch_batch(batch=batch, by=make_user(), now=NOW)


def statuses(batch: Batch) -> list[str]:
    return list(batch.hits.order_by("pk").values_list("status", flat=True))


def test_launch_batch_writes_one_intent_for_each_hit() -> None:
    batch = make_draft(hits=3)

    launch(batch)

    assert statuses(batch) == ["intended"] * 3
    assert len(set(batch.hits.values_list("token", flat=True))) == 3
    assert Batch.objects.get().status == Batch.Status.LAUNCHING


def test_launch_batch_twice_is_refused_and_writes_nothing_more() -> None:
    batch = make_draft(hits=2)
    launch(batch)

    with pytest.raises(RuleBroken) as broken:
        launch(batch)

    assert broken.value.code == "already_launched"
    assert batch.hits.count() == 2


def test_launch_batch_of_a_study_that_wants_nothing_is_refused() -> None:
    batch = make_batch()

    with pytest.raises(RuleBroken) as broken:
        launch(batch)

    assert broken.value.code == "nothing_wanted"
    assert (batch.hits.count(), Batch.objects.get().status) == (0, Batch.Status.DRAFT)


def test_send_opens_every_hit_once(turk: StubbedTurk, settings: LazySettings) -> None:
    settings.PUBLIC_URL = "https://ours.example"
    batch = make_draft(hits=3)
    launch(batch)

    sent = launching.send_launching_batches(now=NOW)
    again = launching.send_launching_batches(now=NOW)

    assert (sent, again) == (3, 0)
    assert statuses(batch) == ["open"] * 3
    assert list(batch.hits.order_by("pk").values_list("external_id", flat=True)) == list(turk.hits)
    assert Batch.objects.get().status == Batch.Status.OPEN


@pytest.mark.parametrize("fault", ["before", "after"])
def test_send_resumes_after_an_unclear_outcome_without_a_second_hit(turk: StubbedTurk, fault: str) -> None:
    batch = make_draft(hits=3)
    launch(batch)
    turk.faults["create_hit"] = ["", fault]

    launching.send_launching_batches(now=NOW)
    halfway = statuses(batch)
    launching.send_launching_batches(now=NOW)

    assert halfway == ["open", "intended", "intended"]
    assert statuses(batch) == ["open"] * 3
    assert len(turk.hits) == 3


def test_send_looks_for_an_old_intent_before_it_asks_again(turk: StubbedTurk) -> None:
    """The provider has made the HIT, its answer was lost, and it has forgotten the token since."""
    batch = make_draft(hits=1)
    launch(batch)
    turk.faults["create_hit"] = ["after"]
    launching.send_launching_batches(now=NOW)
    turk.tokens.clear()

    launching.send_launching_batches(now=NOW + timedelta(days=2))

    assert statuses(batch) == ["open"]
    assert [batch.hits.get().external_id] == list(turk.hits)


def test_send_skips_what_another_sender_has_claimed(turk: StubbedTurk) -> None:
    batch = make_draft(hits=2)
    launch(batch)
    HIT.objects.update(claimed_at=NOW - timedelta(seconds=10))

    fresh = launching.send_launching_batches(now=NOW)
    stale = launching.send_launching_batches(now=NOW + timedelta(minutes=1))

    assert (fresh, stale) == (0, 2)


def test_send_pauses_when_the_money_is_out_and_resumes(turk: StubbedTurk) -> None:
    turk.balance = Decimal("10.00")
    batch = make_draft(hits=3, reward="2.00")
    launch(batch)

    launching.send_launching_batches(now=NOW)
    paused = Batch.objects.values("status", "problem").get()
    turk.balance = Decimal("100.00")
    launching.launch_batch(batch=Batch.objects.get(), by=make_user(), now=NOW + timedelta(hours=1))
    launching.send_launching_batches(now=NOW)

    assert paused == {"status": Batch.Status.PAUSED_FUNDS, "problem": "InsufficientFunds"}
    assert Batch.objects.get().launched_at == NOW
    assert statuses(batch) == ["open"] * 3
    assert len(turk.hits) == 3


def test_spec_carries_the_intent_in_the_annotation(settings: LazySettings) -> None:
    settings.PUBLIC_URL = "https://ours.example"
    batch = make_draft(hits=1)
    launch(batch)
    hit = batch.hits.get()

    spec = launching.spec_of(hit, batch=batch)

    assert spec.annotation == f"crowd:{hit.public_id}"
    assert spec.question_url == f"https://ours.example/q/{hit.public_id}/"
