"""A proxy that lies, at any moment and as often as it likes.

Once it is gone, and people have done their part, submissions, payments and decisions are the same on both
sides, to the cent.
"""

import os
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from hits.ledger.models.bonuses import Bonus
from hits.payments.services import resending
from hits.sync.services import reconciling
from tests.promise.agreement import disagreements, payment_disagreements
from tests.promise.liar import KINDS
from tests.promise.often import in_ci, tried
from tests.promise.test_schedules import OPERATIONS, SENDS, a_world, launch, play, send, steps, work
from tests.promise.world import Clock, World

pytestmark = pytest.mark.django_db
IN_CI = in_ci(60, by_hand=15)
LONG = int(os.environ.get("LIARS", "1000"))
# Time after which a decision without an answer is sent again.
HEARD = timedelta(minutes=15)

lies = st.tuples(st.just("lie"), st.sampled_from(KINDS), st.sampled_from(OPERATIONS), st.integers(1, 6))
schedules = st.builds(
    lambda begun, rest: [*begun, *rest],
    st.tuples(launch, send, work, lies, work, st.tuples(st.just("background"), st.integers(0, 7), st.none())),
    st.lists(st.one_of(steps, lies, lies, work), min_size=5, max_size=30),
)


def people_do_their_part(world: World) -> None:
    """Send again, as a person, each bonus that counts as sent and is not listed."""
    for bonus in Bonus.objects.filter(status=Bonus.Status.SENT):
        resending.send_anew(bonus=bonus, by=world.researcher, now=world.now())
    world.turn(30)
    for name in ("hits.confirm_bonuses", "hits.book_rewards"):
        world.sweep(name)


def ends_in_agreement(clock: Clock, monkeypatch: pytest.MonkeyPatch, schedule: list[tuple[Any, ...]]) -> None:
    with a_world(clock, monkeypatch) as world:
        play(world, schedule)
        event(f"{min(world.liar.told, 5)} lies")
        world.heal()
        world.turn(int(HEARD.total_seconds()))
        for _ in range(3):
            for name in SENDS:
                world.sweep(name)
            world.turn(30)
        reconciling.reconcile_everything(now=world.now(), thorough=True)
        people_do_their_part(world)

        assert disagreements(world.account, now=world.now()) == []
        assert payment_disagreements(world.account) == []


def run(clock: Clock, monkeypatch: pytest.MonkeyPatch, *, most: int) -> None:
    def schedule_holds(schedule: list[tuple[Any, ...]]) -> None:
        ends_in_agreement(clock, monkeypatch, schedule)

    tried(most, is_long=most != IN_CI)(given(schedules)(schedule_holds))()


@pytest.mark.pure  # long enough to be run once
def test_whatever_a_proxy_tells_both_sides_agree_in_the_end(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(clock, monkeypatch, most=IN_CI)


@pytest.mark.long
def test_whatever_a_proxy_tells_again_and_again(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    run(clock, monkeypatch, most=LONG)
