import sys
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from threading import Lock
from typing import Any

import pytest
from django.conf import LazySettings

from hits.batches.models import BatchEvent
from hits.batches.services import batch_lifecycle, hit_changes, launching, sending_hits
from hits.core.errors import ProviderRefused, RuleBroken
from hits.providers.gateway import registry
from hits.providers.models.accounts import Account
from hits.studies.models import Batch, Study
from hits.work.models.hits import HIT
from tests.factories import (
    ALL_RIGHT,
    NOW,
    make_account,
    make_association,
    make_batch,
    make_study,
    make_user,
    set_aside,
)
from tests.people import make_permitted
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db


def make_draft(*, hits: int = 3, reward: str = "0.03", budget: str | None = "1000", **changes: Any) -> Batch:
    study = make_study(budget=budget and Decimal(budget))
    make_association(study=study)
    return make_batch(study=study, hits_wanted=hits, reward=Decimal(reward), **changes)


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


def test_launch_batch_writes_the_shards_of_a_task_under_one_number() -> None:
    batch = make_draft(hits=2, assignments_per_hit=20)

    launch(batch)

    written = batch.hits.order_by("pk").values_list("number", "max_assignments")
    assert list(written) == [(1, 9), (1, 9), (1, 2), (2, 9), (2, 9), (2, 2)]


def test_launch_batch_reserves_what_it_can_cost_at_most() -> None:
    batch = make_draft(hits=3, reward="1.00", budget="50")
    most = 9 * (Decimal(1) + batch.prices.most_bonus)

    launch(batch)

    entry = set_aside().get()
    assert (entry.study, entry.batch, entry.amount) == (batch.study, batch, most)
    assert Study.objects.get().reserved == Batch.objects.get().reserved == most


@pytest.mark.parametrize(("budget", "code"), [(None, "no_budget"), ("0.26", "over_budget")])
def test_launch_batch_that_does_not_fit_is_refused_and_writes_nothing(budget: str | None, code: str) -> None:
    batch = make_draft(hits=3, budget=budget)

    with pytest.raises(RuleBroken) as broken:
        launch(batch)

    assert broken.value.code == code
    assert (HIT.objects.count(), set_aside().count(), BatchEvent.objects.count()) == (0, 0, 0)
    assert (Batch.objects.get().status, Study.objects.get().reserved) == (
        Batch.Status.DRAFT,
        Decimal(0),
    )


def test_launch_batch_over_the_budget_says_what_is_needed_and_left() -> None:
    batch = make_draft(hits=1, reward="10.00", budget="20.00")
    batch.study.bonus_rules = []
    batch.study.save()

    with pytest.raises(RuleBroken) as broken:
        launch(batch)

    assert str(broken.value).startswith("This needs $30.00, and $20.00 of the $20.00 of the study")


def test_launch_batch_freezes_what_lies_in_other_rows() -> None:
    batch = make_draft(hits=1, requirements=[{"QualificationTypeId": "Q", "Comparator": "Exists"}])
    other = make_batch(study=batch.study)
    batch.exclude_batches.add(other)

    launch(batch)
    Study.objects.update(bonus_rules=[])
    Account.objects.update(fee_schedule="amazon")

    launched = Batch.objects.get(pk=batch.pk)
    assert launched.terms == {
        "bonus_rules": [ALL_RIGHT],
        "most_bonus": f"{launched.prices.most_bonus:.2f}",
        "fee_schedule": "none",
        "environment": "marketplace",
        "endpoint": "http://localhost:8000",
        "language": "en",
        "time_zone": "UTC",
        "exclude_batches": [str(other.public_id)],
        "requirements": [{"QualificationTypeId": "Q", "Comparator": "Exists"}],
        "requirements_in_words": ["Qualification Q: is held"],
        "cost": {
            "rewards": "0.09",
            "fees": "0.00",
            "bonuses": f"{3 * launched.prices.most_bonus:.2f}",
            "bonus_fees": "0.00",
            "total": f"{launched.reserved:.2f}",
        },
    }
    assert launched.cost.total == launched.reserved


@pytest.mark.parametrize(
    ("permitted", "confirmed", "code"), [(False, True, "not_allowed"), (True, False, "not_confirmed")]
)
def test_launch_for_real_money_takes_a_permission_and_a_confirmation(
    *, permitted: bool, confirmed: bool, code: str
) -> None:
    batch = make_draft(account=make_account(environment="production"))
    user = make_permitted("launch_production") if permitted else make_user()

    with pytest.raises(RuleBroken) as broken:
        launching.launch_batch(batch=batch, by=user, now=NOW, confirmed=confirmed)

    assert broken.value.code == code
    assert (HIT.objects.count(), Batch.objects.get().status) == (0, Batch.Status.DRAFT)


def test_launch_for_real_money_by_somebody_who_may_and_means_it() -> None:
    batch = make_draft(account=make_account(environment="production"))

    launching.launch_batch(batch=batch, by=make_user(is_superuser=True), now=NOW, confirmed=True)

    assert batch.status == Batch.Status.LAUNCHING


def test_send_opens_every_hit_once(turk: StubbedTurk, settings: LazySettings) -> None:
    settings.PUBLIC_URL = "https://ours.example"
    batch = make_draft(hits=3)
    launch(batch)

    sent = sending_hits.send_launching_batches(now=NOW)
    again = sending_hits.send_launching_batches(now=NOW)

    assert (sent, again) == (3, 0)
    assert statuses(batch) == ["open"] * 3
    assert list(batch.hits.order_by("pk").values_list("external_id", flat=True)) == list(turk.hits)
    assert Batch.objects.get().status == Batch.Status.OPEN


@pytest.mark.parametrize("fault", ["before", "after"])
def test_send_resumes_after_an_unclear_outcome_without_a_second_hit(turk: StubbedTurk, fault: str) -> None:
    batch = make_draft(hits=3)
    launch(batch)
    turk.faults["create_hit"] = ["", fault]

    sending_hits.send_launching_batches(now=NOW)
    halfway = statuses(batch)
    sending_hits.send_launching_batches(now=NOW)

    assert halfway == ["open", "intended", "intended"]
    assert statuses(batch) == ["open"] * 3
    assert len(turk.hits) == 3


def test_send_looks_for_an_old_intent_before_it_asks_again(turk: StubbedTurk) -> None:
    """The provider made the HIT, the answer was lost, and the provider has since forgotten the token."""
    batch = make_draft(hits=1)
    launch(batch)
    turk.faults["create_hit"] = ["after"]
    sending_hits.send_launching_batches(now=NOW)
    turk.tokens.clear()

    sending_hits.send_launching_batches(now=NOW + timedelta(days=2))

    assert statuses(batch) == ["open"]
    assert [batch.hits.get().external_id] == list(turk.hits)


@pytest.mark.parametrize("age", [timedelta(hours=12), timedelta(hours=25), timedelta(days=33)])
def test_what_another_copy_of_the_database_has_sent_is_not_made_again(
    turk: StubbedTurk, age: timedelta
) -> None:
    """The database's copy was taken before anything was sent, and is restored long after."""
    batch = make_draft(hits=5)
    launch(batch)
    HIT.objects.update(made_at=NOW)
    sending_hits.send_launching_batches(now=NOW)
    made = {*turk.hits}
    Batch.objects.update(status="launching")
    HIT.objects.update(status="intended", external_id="", sent_at=None, asked_at=None, claimed_at=None)
    if age > timedelta(hours=24):
        turk.tokens.clear()
    turk.calls.clear()

    sending_hits.send_launching_batches(now=NOW + age)

    assert {*turk.hits} == made == {*HIT.objects.values_list("external_id", flat=True)}
    assert turk.calls.count("list_hits") <= 1


def test_send_skips_what_another_sender_has_claimed(turk: StubbedTurk) -> None:
    batch = make_draft(hits=2)
    launch(batch)
    HIT.objects.update(claimed_at=NOW - timedelta(seconds=10))

    fresh = sending_hits.send_launching_batches(now=NOW)
    stale = sending_hits.send_launching_batches(now=NOW + timedelta(minutes=1))

    assert (fresh, stale) == (0, 2)


def test_intent_that_was_asked_about_meanwhile_stays_asked_for(turk: StubbedTurk) -> None:
    """Two senders read it before it was asked for; the first one's HIT was made, but its answer was lost."""
    batch = make_draft(hits=1)
    launch(batch)
    read_before = batch.hits.get()
    turk.faults["create_hit"] = ["after"]
    sending_hits.send_launching_batches(now=NOW)

    taken = sending_hits._take(read_before, now=NOW + timedelta(minutes=1))

    assert not taken
    assert HIT.objects.values_list("asked_at", "claimed_at").get() == (NOW, None)


def test_send_pauses_when_the_money_is_out_and_resumes(turk: StubbedTurk) -> None:
    turk.balance = Decimal("10.00")
    batch = make_draft(hits=3, reward="2.00")
    launch(batch)

    sending_hits.send_launching_batches(now=NOW)
    paused = Batch.objects.values("status", "problem").get()
    turk.balance = Decimal("100.00")
    batch_lifecycle.resume_batch(batch=Batch.objects.get(), by=make_user(), now=NOW + timedelta(hours=1))
    sending_hits.send_launching_batches(now=NOW)

    assert paused == {"status": Batch.Status.PAUSED_FUNDS, "problem": "InsufficientFunds"}
    assert Batch.objects.get().launched_at == NOW
    assert statuses(batch) == ["open"] * 3
    assert len(turk.hits) == 3


def test_send_records_what_the_provider_said(turk: StubbedTurk, settings: LazySettings) -> None:
    settings.SURVEY_S = 600
    batch = make_draft(hits=1)
    launch(batch)

    sending_hits.send_launching_batches(now=NOW, clock=lambda: NOW)

    hit = HIT.objects.get()
    assert hit.expires_at == NOW + timedelta(seconds=batch.lifetime_s)
    assert (hit.sent_at, hit.look_at) == (NOW, NOW + timedelta(seconds=600))
    assert Batch.objects.get().hit_type_id == turk.hits[hit.external_id]["HITTypeId"]


def test_send_keeps_the_rest_until_the_pilot_is_released(turk: StubbedTurk) -> None:
    batch = make_draft(hits=3, assignments_per_hit=10, pilot_hits=1)
    launch(batch)

    pilot = sending_hits.send_launching_batches(now=NOW)
    waiting = Batch.objects.get().status
    batch_lifecycle.release_pilot(batch=batch, by=make_user(), now=NOW)
    rest = sending_hits.send_launching_batches(now=NOW)

    assert (pilot, waiting, rest) == (2, Batch.Status.OPEN, 4)
    assert Batch.objects.get().status == Batch.Status.OPEN


def on_call(turk: StubbedTurk, number: int, act: Callable[[], object]) -> None:
    """Call `act` while the provider makes its HIT of that number."""
    create = turk._create_hit

    def make(**terms: Any) -> Any:
        if len(turk.hits) + 1 == number:
            act()
        return create(**terms)

    turk._create_hit = make  # type: ignore[method-assign]


def test_send_stops_within_one_hit_of_a_pause(turk: StubbedTurk) -> None:
    batch = make_draft(hits=5)
    launch(batch)
    on_call(turk, 2, lambda: batch_lifecycle.pause_batch(batch=batch, by=make_user(), now=NOW))

    sent = sending_hits.send_launching_batches(now=NOW)

    assert sent == 2
    assert statuses(batch) == ["open", "open", "intended", "intended", "intended"]
    assert Batch.objects.get().status == Batch.Status.PAUSED


def test_send_gives_back_what_was_never_asked_for_when_the_batch_drains(turk: StubbedTurk) -> None:
    batch = make_draft(hits=4)
    launch(batch)
    on_call(turk, 2, lambda: batch_lifecycle.drain_batch(batch=batch, by=make_user(), now=NOW))

    sending_hits.send_launching_batches(now=NOW)

    assert statuses(batch) == ["open", "open", "withdrawn", "withdrawn"]
    assert len(turk.hits) == 2


@pytest.mark.parametrize("fault", ["before", "after"])
def test_send_settles_an_unclear_intent_of_a_draining_batch(turk: StubbedTurk, fault: str) -> None:
    batch = make_draft(hits=2)
    launch(batch)
    turk.faults["create_hit"] = [fault]
    sending_hits.send_launching_batches(now=NOW)
    batch_lifecycle.drain_batch(batch=batch, by=make_user(), now=NOW)

    sending_hits.send_launching_batches(now=NOW)
    hit_changes.send_changes(now=NOW)

    assert statuses(batch) == ["open", "withdrawn"]
    assert [row["expired"] for row in turk.hits.values()] == [True]


def test_send_withdraws_an_unclear_intent_that_the_provider_refuses_and_does_not_have(
    turk: StubbedTurk,
) -> None:
    batch = make_draft(hits=1, reward="2.00")
    launch(batch)
    turk.faults["create_hit"] = ["before"]
    sending_hits.send_launching_batches(now=NOW)
    turk.balance = Decimal(0)
    batch_lifecycle.drain_batch(batch=batch, by=make_user(), now=NOW)

    sending_hits.send_launching_batches(now=NOW)

    assert statuses(batch) == ["withdrawn"]


def test_send_adopts_an_old_intent_of_a_draining_batch_without_asking_for_another(turk: StubbedTurk) -> None:
    batch = make_draft(hits=1)
    launch(batch)
    turk.faults["create_hit"] = ["after"]
    sending_hits.send_launching_batches(now=NOW)
    turk.tokens.clear()
    batch_lifecycle.drain_batch(batch=batch, by=make_user(), now=NOW)

    sending_hits.send_launching_batches(now=NOW + timedelta(days=2))

    assert (statuses(batch), len(turk.hits)) == (["open"], 1)


def test_a_refused_intent_was_never_asked_for_and_is_withdrawn_without_a_call(turk: StubbedTurk) -> None:
    turk.balance = Decimal(0)
    batch = make_draft(hits=2, reward="2.00")
    launch(batch)
    sending_hits.send_launching_batches(now=NOW)

    batch_lifecycle.drain_batch(batch=batch, by=make_user(), now=NOW)

    assert statuses(batch) == ["withdrawn", "withdrawn"]
    assert turk.calls == ["create_hit"]


def test_send_pauses_the_batch_of_an_account_that_cannot_be_used_and_sends_the_others(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, fine = make_draft(hits=1), make_draft(hits=1)
    launch(broken)
    launch(fine)

    def provider(*, account_id: int, **_: Any) -> Any:
        if account_id == broken.account_id:
            raise ProviderRefused("No such endpoint.", code="BadEndpoint")
        return turk.provider

    monkeypatch.setattr(registry, "_boto_provider", provider)

    sending_hits.send_launching_batches(now=NOW)

    broken.refresh_from_db()
    assert (broken.status, broken.problem) == (Batch.Status.PAUSED, "No such endpoint.")
    assert (statuses(broken), statuses(fine)) == (["intended"], ["open"])


@pytest.mark.parametrize("draining", [False, True])
def test_send_asks_an_account_that_does_not_answer_twice_in_a_run(turk: StubbedTurk, draining: bool) -> None:
    """Other accounts would wait for each time-out. A single one may be the batch's own fault."""
    account = make_account()
    batches = [make_draft(hits=1, account=account) for _ in range(3)]
    for batch in batches:
        launch(batch)
    if draining:
        HIT.objects.update(asked_at=NOW)
        Batch.objects.update(status=Batch.Status.DRAINING)
    turk.faults["create_hit"] = ["before"] * 3

    sending_hits.send_launching_batches(now=NOW)

    assert turk.calls == ["create_hit"] * 2


def test_send_gives_the_next_batch_its_turn(turk: StubbedTurk) -> None:
    """The clock jumps by half a turn with every reading."""
    first, second = make_draft(hits=3), make_draft(hits=3)
    launch(first)
    launch(second)
    readings = iter(range(1000))

    sending_hits.send_launching_batches(now=NOW, clock=lambda: NOW + next(readings) * sending_hits.TURN / 2)

    assert "open" in statuses(first)
    assert "open" in statuses(second)
    assert statuses(first) != ["open"] * 3


def test_hits_that_were_made_but_not_recorded_are_found_by_their_tokens(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sender dies between the provider's answers and its own commit."""
    batch = make_draft(hits=3)
    launch(batch)
    with monkeypatch.context() as dying:
        dying.setattr(sending_hits, "_record", lambda *_, **__: sys.exit(1))
        with pytest.raises(SystemExit):
            sending_hits.send_launching_batches(now=NOW)
    made = {*turk.hits}

    sending_hits.send_launching_batches(now=NOW + timedelta(minutes=1))

    assert made
    assert made <= {*turk.hits} == {*batch.hits.values_list("external_id", flat=True)}
    assert (statuses(batch), len(turk.hits)) == (["open"] * 3, 3)


def test_what_is_left_of_a_lot_after_a_failure_was_never_asked_for(turk: StubbedTurk) -> None:
    batch = make_draft(hits=4)
    launch(batch)
    on_call(turk, 2, lambda: turk.faults.update(create_hit=["before"]))

    sending_hits.send_launching_batches(now=NOW)

    asked = list(batch.hits.order_by("pk").values_list("status", "asked_at", "claimed_at"))
    assert asked[0][0] == "open"
    assert asked[-1] == ("intended", None, None)
    assert {claimed for status, _, claimed in asked if status == "intended"} == {None}


@pytest.mark.django_db(transaction=True)
def test_several_senders_make_every_hit_once(turk: StubbedTurk, settings: LazySettings) -> None:
    settings.SENDERS = 4
    one_at_a_time(turk)
    batch = make_draft(hits=25)
    launch(batch)

    sent = sending_hits.send_launching_batches(now=NOW)

    assert (sent, statuses(batch), len(turk.hits)) == (25, ["open"] * 25, 25)
    assert Batch.objects.get().status == Batch.Status.OPEN


@pytest.mark.django_db(transaction=True)
def test_several_senders_all_stop_when_the_money_is_out(turk: StubbedTurk, settings: LazySettings) -> None:
    settings.SENDERS = 4
    turk.balance = Decimal("30.00")
    one_at_a_time(turk)
    batch = make_draft(hits=30, reward="1.00")
    launch(batch)

    sent = sending_hits.send_launching_batches(now=NOW)

    assert (sent, len(turk.hits)) == (10, 10)
    assert sorted(set(statuses(batch))) == ["intended", "open"]
    assert Batch.objects.get().status == Batch.Status.PAUSED_FUNDS
    assert not HIT.objects.filter(status="intended").exclude(claimed_at=None, asked_at=None).exists()


def one_at_a_time(turk: StubbedTurk) -> None:
    """Let the stub answer one caller at a time."""
    lock, call = Lock(), turk._call

    def locked(operation: str, params: dict[str, Any]) -> Any:
        with lock:
            return call(operation, params)

    turk._call = locked  # type: ignore[method-assign]


def test_spec_carries_the_intent_in_the_annotation(settings: LazySettings) -> None:
    settings.PUBLIC_URL = "https://ours.example"
    batch = make_draft(hits=1)
    launch(batch)
    hit = batch.hits.get()

    spec = sending_hits.spec_of(hit, batch=batch)

    assert spec.annotation == f"crowd:{hit.public_id}"
    assert spec.question_url == f"https://ours.example/q/{hit.public_id}/"


def test_a_hit_tells_the_bonus_that_its_launch_reserved_for_good() -> None:
    batch = make_draft(hits=1)
    launch(batch)
    Study.objects.update(bonus_rules=[])
    launched = Batch.objects.get(pk=batch.pk)

    spec = sending_hits.spec_of(launched.hits.get(), batch=launched)

    assert spec.description == f"Pick them. · Bonus of up to ${launched.cost.bonuses / 3:.2f}"


def test_a_batch_launched_before_bonuses_were_told_keeps_its_hit_type() -> None:
    batch = make_draft(hits=1)
    launch(batch)
    launched = Batch.objects.get(pk=batch.pk)
    terms = {name: value for name, value in (launched.terms or {}).items() if name != "most_bonus"}
    launched.terms = terms

    assert sending_hits.spec_of(launched.hits.get(), batch=launched).description == "Pick them."
