"""A copy of our database is restored: nothing goes out until it was compared and a person agrees."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.db import transaction

from crowd.marketplace import models as market
from crowd.marketplace.services import epochs as marketplace_epochs
from hits import tasks
from hits.core.errors import RuleBroken
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import accrual, after_restore, resending
from hits.providers.gateway.pacing import Line
from hits.providers.gateway.standstill import begin_epochs
from hits.providers.models.epochs import Epoch
from hits.work.models.assignments import Assignment
from tests.locks import begin_world
from tests.promise.agreement import disagreements, payment_disagreements
from tests.promise.test_schedules import a_world, play
from tests.promise.world import Clock, World

pytestmark = pytest.mark.django_db
HANDED_IN = [
    ("launch", 2, 2, 0, None),
    ("sweep", "hits.launch_batches", None),
    *(("work", person, hit, None) for hit in (0, 1) for person in (0, 1)),
]
APPROVED = [("background", 0, None), ("background", 0, None), ("turn", 7_300), ("background", 0, None)]
# An expected difference: people decide again on what the copy has forgotten, after it was paid.
ANEW = "was paid as no two people had decided"


def thank(world: World) -> None:
    """Owe a bonus on all approved work as one person, approve by two, and send and confirm it."""
    play(world, APPROVED)
    for work in Assignment.objects.filter(status=Assignment.Status.APPROVED):
        accrual.owe_extra(
            assignment=work,
            rule="thanks",
            amount=Decimal("0.05"),
            reason="Thank you.",
            why="All helped.",
            by=world.researcher,
            now=world.now(),
        )
    world.approve_bonuses()
    play(world, [("background", 0, None), ("turn", 60), ("background", 0, None)])


def put_back(world: World, *, after: Callable[[World], None], hours: int) -> None:
    """Restore our copy: everything of ours that came after it is gone; at the provider it stays."""
    copied_at = world.now()
    with transaction.atomic("default"):
        begin_world()
        after(world)
        transaction.set_rollback(True, "default")
    world.letters.clear()
    world.turn(hours * 3600)
    begin_epochs([world.account.pk], side=Epoch.Side.OURS, copied_at=copied_at, now=world.now())


def compare(world: World) -> Epoch:
    for _ in range(20):
        epoch = Epoch.objects.get()
        if epoch.compared_at:
            return epoch
        world.background(0)
        tasks.match_accounts()
        tasks.compare_epochs()
        world.turn(10)
    left = list(after_restore.unread_hits(epoch).values_list("status", "look_at", "problem"))
    raise AssertionError(f"The comparison never ended: {epoch.found} {epoch.problem} {left}")


@pytest.mark.parametrize("hours", [0, 12, 25, 800])
def test_what_a_copy_has_forgotten_is_paid_once(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    with a_world(clock, monkeypatch) as world:
        play(world, HANDED_IN)
        put_back(world, after=thank, hours=hours)
        paid = market.BonusPayment.objects.count()

        after_restore.confirm_epoch(epoch=compare(world), by=world.researcher, now=world.now())
        thank(world)

        assert market.BonusPayment.objects.count() == paid >= 4
        assert Bonus.objects.filter(status=Bonus.Status.CONFIRMED).count() == paid
        assert disagreements(world.account, now=world.now()) == []
        assert [words for words in payment_disagreements(world.account) if not words.endswith(ANEW)] == []


def test_nothing_goes_out_before_a_person_has_confirmed(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_world(clock, monkeypatch) as world:
        play(world, HANDED_IN)
        world.launch(hits=3, workers=1, pilot=0)
        put_back(world, after=lambda world: play(world, APPROVED), hours=1)
        before = market.HIT.objects.count(), market.BonusPayment.objects.count()

        with pytest.raises(RuleBroken, match="comparison is not over"):
            after_restore.confirm_epoch(epoch=Epoch.objects.get(), by=world.researcher, now=world.now())
        compare(world)
        thank(world)

        assert (market.HIT.objects.count(), market.BonusPayment.objects.count()) == before
        assert not Bonus.objects.exclude(status=Bonus.Status.APPROVED).exists()

        after_restore.confirm_epoch(epoch=Epoch.objects.get(), by=world.researcher, now=world.now())
        play(world, [("turn", 60), ("background", 0, None), ("turn", 60), ("background", 0, None)])

        assert market.BonusPayment.objects.count() == Bonus.objects.count() >= 4
        assert disagreements(world.account, now=world.now()) == []


def test_hits_that_a_copy_has_forgotten_are_counted_and_stopped(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_world(clock, monkeypatch) as world:
        put_back(world, after=lambda world: play(world, HANDED_IN), hours=1)

        found = compare(world).found

        assert {name: found[name] for name in ("strangers", "work of strangers")} == {
            "strangers": 2,
            "work of strangers": 4,
        }


def put_back_there(world: World, *, after: Callable[[World], None]) -> None:
    """Restore the marketplace's copy: everything there that came after it is gone; with us it stays."""
    copied_at = world.now()
    with transaction.atomic("marketplace"):
        after(world)
        transaction.set_rollback(True, "marketplace")
    world.letters.clear()
    world.turn(600)
    marketplace_epochs.begin_epoch(copied_at=copied_at, now=world.now())


def test_a_marketplace_that_forgot_is_noticed_and_told_and_paid_anew(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_world(clock, monkeypatch) as world:
        world.provider._line = Line(account_id=world.account.pk, rate=200, sleep=lambda _: None)
        play(world, HANDED_IN)
        put_back_there(world, after=thank)

        world.background(0)
        noticed = Epoch.objects.get().side
        found = compare(world).found
        before = market.BonusPayment.objects.count()
        after_restore.confirm_epoch(epoch=Epoch.objects.get(), by=world.researcher, now=world.now())
        play(world, [("background", 0, None), ("turn", 60), ("background", 0, None)])
        resending.send_lost_anew(account=world.account, by=world.researcher, now=world.now())

        forgotten = Bonus.objects.count()  # four, and what the table owes for right answers
        assert (noticed, found["payments: not_listed"], before) == (Epoch.Side.THEIRS, forgotten, 0)
        assert market.BonusPayment.objects.count() == forgotten >= 4
        assert disagreements(world.account, now=world.now()) == []
        assert payment_disagreements(world.account) == []
