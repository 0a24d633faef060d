"""Fifty bonuses and two hundred HITs in every state, restored after some hours, and counted to the cent.

`pytest -m long tests/promise/test_restored_whole.py -s` prints what was found and what a person had to do.
"""

import json
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from crowd.marketplace import models as market
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Halt
from hits.payments.services import accrual, after_restore
from hits.providers.models.epochs import Epoch
from hits.sync.services import reconciling
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from tests.factories import approve
from tests.promise.agreement import disagreements, payment_disagreements
from tests.promise.crashes import Life
from tests.promise.test_epochs import ANEW, compare, put_back
from tests.promise.test_schedules import a_world, play
from tests.promise.world import Clock, World

pytestmark = [pytest.mark.django_db, pytest.mark.long, pytest.mark.pure]
Status = Bonus.Status
ROUND = [("background", 0, None), ("turn", 30)]
IN_THE_COPY = ("owed", "approved", "sending", "unknown", "sent", "confirmed")
# More attempts than one request makes, so that none of them succeeds.
EVERY_ATTEMPT = 5


def hand_in(world: World, numbers: range, *, finish: bool = True) -> None:
    for number in numbers:
        world.accept(number % 4, number)
        place = len(world.visits) - 1
        world.open_page(place)
        world.save(place)
        if finish:
            world.submit(place)


def make_two_hundred_hits(world: World) -> None:
    """HITs done, rejected, at work, saved, submitted, paused, expired, held back, unrecorded and unsent."""
    world.launch(hits=80, workers=1, pilot=0)
    play(world, ROUND)
    hand_in(world, range(60))
    play(world, [*ROUND, ("turn", 7_300), *ROUND, *ROUND])
    world.launch(hits=30, workers=2, pilot=0)
    play(world, ROUND)
    hand_in(world, range(80, 90))
    hand_in(world, range(90, 95), finish=False)
    for number in (95, 96, 97):
        world.accept(0, number)
    play(world, ROUND)
    for number in range(3):
        world.review("reject", 60 + number)
    world.launch(hits=30, workers=1, pilot=0)
    play(world, ROUND)
    world.steer("pause", 2)
    world.launch(hits=20, workers=1, pilot=0)
    play(world, ROUND)
    world.steer("expire", 3)
    play(world, ROUND)
    world.launch(hits=10, workers=1, pilot=3)
    play(world, ROUND)
    world.steer("add_places", 1)
    world.launch(hits=30, workers=1, pilot=0)
    for _ in range(4):  # each dies after one HIT was made and before it was written down
        world.sweep("hits.launch_batches", Life(calls=0, after=True))


def make_fifty_bonuses(world: World) -> None:
    work = list(Assignment.objects.filter(status=Assignment.Status.APPROVED).order_by("pk")[:50])
    owed = [thank(world, one, cents=number + 1) for number, one in enumerate(work)]
    pay(world, owed[:10])
    play(world, [("turn", 60), ("sweep", "hits.confirm_bonuses", None)])
    pay(world, owed[10:20])
    for number, bonus in enumerate(owed[20:25]):
        pay(world, [bonus], Life(calls=0, after=number % 2 == 0))
    for number, bonus in enumerate(owed[25:30]):
        world.fault("fail_after" if number % 2 else "fail_before", "SendBonus", EVERY_ATTEMPT)
        world.fault("fail_before", "ListBonusPayments", 2 * EVERY_ATTEMPT)
        pay(world, [bonus])
        market.Fault.objects.all().delete()
    approve(owed[30:40], now=world.now())


def thank(world: World, work: Assignment, *, cents: int) -> Bonus:
    return accrual.owe_extra(
        assignment=work,
        rule="thanks",
        amount=Decimal(cents) / 100,
        reason="Thank you.",
        why="All helped.",
        by=world.researcher,
        now=world.now(),
    )


def pay(world: World, bonuses: Sequence[Bonus], life: Life | None = None) -> None:
    approve(bonuses, now=world.now())
    world.sweep("hits.pay_bonuses", life)


def go_on(world: World) -> None:
    """Play a day: everything owed is paid, submissions are decided, more HITs are asked for and done."""
    world.turn(400)
    play(world, ROUND)
    world.approve_bonuses()
    hand_in(world, range(97, 105))
    world.steer("resume", 2)
    world.steer("extend", 1)
    play(world, [*ROUND, ("turn", 7_300), *ROUND, *ROUND, *ROUND])


def people_go_on(world: World) -> Counter[str]:
    """Do what people must do after the comparison. Returns their acts, counted."""
    after_restore.confirm_epoch(epoch=Epoch.objects.get(), by=world.researcher, now=world.now())
    acts = Counter({"accounts let go on": 1})
    for _ in range(4):
        play(world, [("turn", 400), *ROUND])
        owed = list(Bonus.objects.filter(status=Status.OWED))
        acts["runs prepared and approved again"] += bool(approve(owed, now=world.now()))
        acts["bonuses in them"] += len(owed)
    reconciling.reconcile_everything(now=world.now(), thorough=True)
    play(world, [("turn", 60), *ROUND])
    return acts


@pytest.mark.parametrize("hours", [0, 12, 25, 800])
def test_everything_in_every_state_is_put_back(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    monkeypatch.setattr("tests.promise.world.DEPOSIT", Decimal(500))
    with a_world(clock, monkeypatch) as world:
        make_two_hundred_hits(world)
        make_fifty_bonuses(world)
        bonuses = Counter(Bonus.objects.filter(rule="thanks").values_list("status", flat=True))
        told: dict[str, Any] = {
            "HITs": Counter(HIT.objects.values_list("status", flat=True)),
            "work": Counter(Assignment.objects.values_list("status", flat=True)),
            "bonuses": bonuses,
            "paid when the copy was taken": market.BonusPayment.objects.count(),
        }
        put_back(world, after=go_on, hours=hours)
        told["paid when it was put back"] = market.BonusPayment.objects.count()
        told["found"] = compare(world).found

        told["people"] = people_go_on(world)
        told["paid in the end"] = market.BonusPayment.objects.count()
        differences = disagreements(world.account, now=world.now())
        differences += [words for words in payment_disagreements(world.account) if not words.endswith(ANEW)]
        print(json.dumps({"hours": hours, **told, "differences": differences}))  # noqa: T201

        assert HIT.objects.count() == 200
        assert {name: bonuses[name] > 0 for name in bonuses} == dict.fromkeys(IN_THE_COPY, True)
        assert bonuses.total() == 50
        assert not Bonus.objects.exclude(status=Status.CONFIRMED).exists()
        assert Halt.objects.count() == 0
        assert differences == []
