"""A copy of our database is restored, and the provider has gone on: nothing is done twice, and none is lost.

Everything in our own database after the copy is rolled back; at the provider it stays.
"""

import os
from typing import Any

import pytest
from django.db import transaction
from hypothesis import event, given
from hypothesis import strategies as st

from crowd.marketplace.models import BonusPayment
from hits.payments.models.runs import Halt
from hits.providers.models.accounts import Stranger
from hits.sync.services import reconciling
from tests.locks import begin_world
from tests.promise.agreement import disagreements
from tests.promise.often import in_ci, tried
from tests.promise.test_liars import people_do_their_part
from tests.promise.test_schedules import SENDS, a_world, launch, play, send, steps, work
from tests.promise.world import PEOPLE, Clock

pytestmark = pytest.mark.django_db
IN_CI = in_ci(60, by_hand=15)
LONG = int(os.environ.get("COPIES", "1000"))
HOURS = (0, 12, 25, 800)
BONUSES = (("approve_bonuses",), ("sweep", "hits.owe_bonuses", None), ("sweep", "hits.pay_bonuses", None))

number = st.integers(0, 7)
before = st.builds(
    lambda begun, rest: [*begun, *rest],
    st.tuples(launch, launch, send, work, work, work, st.tuples(st.just("background"), number, st.none())),
    st.lists(st.one_of(steps, work, st.sampled_from(BONUSES)), max_size=15),
)
after = st.lists(
    st.one_of(
        work,
        st.sampled_from(BONUSES),
        st.tuples(st.just("background"), number, st.none()),
        st.tuples(st.just("accept"), st.integers(0, PEOPLE - 1), number),
        st.tuples(st.just("submit"), number, st.just(False)),
        st.tuples(st.just("give_back"), number),
        st.tuples(st.just("turn"), st.sampled_from([30, 700, 7_300])),
        st.tuples(st.just("steer"), st.sampled_from(["add_places", "extend", "expire"]), number, st.none()),
        st.tuples(st.just("review"), st.sampled_from(["approve", "reject"]), number, st.none()),
    ),
    min_size=3,
    max_size=20,
)


def goes_on(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, first: list[Any], then: list[Any], hours: int
) -> None:
    with a_world(clock, monkeypatch) as world:
        play(world, first)
        with transaction.atomic("default"):
            begin_world()
            play(world, then)
            transaction.set_rollback(True, "default")
        world.letters.clear()
        paid = BonusPayment.objects.count()
        event(f"{min(paid, 3)} paid")
        world.heal()
        world.turn(hours * 3600)
        for _ in range(3):
            for name in (*SENDS, "hits.reconcile", "scoring.judge_submitted", "hits.owe_bonuses"):
                world.sweep(name)
            world.approve_bonuses()
            world.turn(1200)
        reconciling.reconcile_everything(now=world.now(), thorough=True)
        world.sweep("hits.pay_bonuses")
        people_do_their_part(world)

        known = {f"nobody knows {stranger.external_id}" for stranger in Stranger.objects.all()}
        found = disagreements(world.account, now=world.now())
        assert [words for words in found if words not in known] == []
        assert Halt.objects.count() == 0


def run(clock: Clock, monkeypatch: pytest.MonkeyPatch, *, most: int) -> None:
    def copy_holds(first: list[Any], then: list[Any], hours: int) -> None:
        goes_on(clock, monkeypatch, first, then, hours)

    tried(most, is_long=most != IN_CI)(given(before, after, st.sampled_from(HOURS))(copy_holds))()


@pytest.mark.pure  # long enough to be run once
def test_a_copy_that_is_put_back_agrees_with_the_provider(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(clock, monkeypatch, most=IN_CI)


@pytest.mark.long
def test_copies_that_are_put_back_again_and_again(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    run(clock, monkeypatch, most=LONG)
