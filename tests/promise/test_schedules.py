"""The promise: whatever dies, fails, is lost or comes twice, one reconcile later both sides agree."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import transaction
from hypothesis import event, given
from hypothesis import strategies as st

from crowd.marketplace.delivery import webhook
from crowd.marketplace.models import Fault
from crowd.winogavil.domain import SOLVE
from hits.providers.gateway import registry
from hits.sync.services import reconciling
from tests.locks import begin_world
from tests.promise.agreement import disagreements
from tests.promise.crashes import Life
from tests.promise.families import ASKS, finding_disagreements, found_by_families
from tests.promise.often import in_ci, tried
from tests.promise.world import PEOPLE, SWEEPS, Clock, World

pytestmark = pytest.mark.django_db
IN_CI = in_ci(100, by_hand=30)
LONG = int(os.environ.get("SCHEDULES", "2000"))
REVIEWS = ["approve", "keep_out", "reject", "override"]
SENDS = ("hits.launch_batches", "hits.send_changes", "hits.send_decisions", "hits.pay_bonuses")
OPERATIONS = [
    "",
    "CreateHIT",
    "GetHIT",
    "ListHITs",
    "ListAssignmentsForHIT",
    "UpdateExpirationForHIT",
    "CreateAdditionalAssignmentsForHIT",
    "ApproveAssignment",
    "RejectAssignment",
    "SendBonus",
    "ListBonusPayments",
]

number = st.integers(0, 7)
lives = st.one_of(
    st.none(),
    st.builds(lambda at: {"statements": at}, st.integers(0, 25)),
    st.builds(lambda at, after: {"calls": at, "after": after}, st.integers(0, 3), st.booleans()),
)
tasks = st.sampled_from(sorted(ASKS))
review = st.tuples(st.just("review"), st.sampled_from(REVIEWS), number, lives)
steps = st.one_of(
    st.tuples(st.just("launch"), st.integers(1, 3), st.integers(1, 3), st.integers(0, 1), lives, tasks),
    st.tuples(st.just("sweep"), st.sampled_from(sorted(SWEEPS)), lives),
    st.tuples(st.just("sweep"), st.sampled_from(SENDS), lives),
    st.tuples(st.just("sweep"), st.just("hits.launch_batches"), lives),
    st.tuples(st.just("background"), st.integers(0, len(SWEEPS) - 1), lives),
    st.tuples(st.just("background"), st.integers(0, len(SWEEPS) - 1), lives),
    st.tuples(st.just("accept"), st.integers(0, PEOPLE - 1), number),
    st.tuples(st.just("work"), st.integers(0, PEOPLE - 1), number, lives),
    st.tuples(st.just("work"), st.integers(0, PEOPLE - 1), number, st.none()),
    st.tuples(st.just("work"), st.integers(0, PEOPLE - 1), number, st.none()),
    st.tuples(st.just("open_page"), number, lives),
    st.tuples(st.just("save"), number, lives),
    st.tuples(st.just("submit"), number, st.booleans()),
    st.tuples(st.just("give_back"), number),
    st.tuples(
        st.just("fault"),
        st.sampled_from([kind.value for kind in Fault.Kind]),
        st.sampled_from(OPERATIONS),
        st.integers(1, 7),
    ),
    st.tuples(st.just("deliver"), st.sampled_from(["once", "twice", "reversed", "lost"]), lives),
    st.tuples(st.just("turn"), st.sampled_from([1, 30, 700, 7_300, 90_000])),
    st.tuples(
        st.just("steer"),
        st.sampled_from(
            ["pause", "resume", "release", "drain", "cancel", "add_hits", "expire", "extend", "add_places"]
        ),
        number,
        lives,
    ),
    review,
    st.tuples(st.just("compare"), number, st.booleans(), lives),
)
launch = st.tuples(st.just("launch"), st.integers(1, 3), st.integers(1, 3), st.integers(0, 1), lives, tasks)
send = st.tuples(st.just("sweep"), st.just("hits.launch_batches"), lives)
work = st.tuples(st.just("work"), st.integers(0, PEOPLE - 1), number, lives)


def whole(
    begun: tuple[Any, ...], rest: list[tuple[Any, ...]], reviews: list[tuple[Any, ...]]
) -> list[tuple[Any, ...]]:
    """A schedule whose answers are counted before reviews remove any, from all people of a HIT's places."""
    counted = [("crowd", 0), ("background", 0, None)] if reviews else []
    return [*begun, *rest, *counted, *reviews]


schedules = st.builds(
    whole,
    st.tuples(launch, send, work, work, st.tuples(st.just("background"), number, lives)),
    st.lists(steps, min_size=5, max_size=40),
    st.lists(review, max_size=2),
)


@contextmanager
def a_world(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Make a world for one schedule, and roll it back after it."""
    clock.ahead *= 0
    with transaction.atomic("default"), transaction.atomic("marketplace"):
        begin_world()
        world = World(clock=clock)
        with monkeypatch.context() as patch:
            patch.setattr(registry, "_boto_provider", lambda **_: world.provider)
            patch.setattr(
                webhook,
                "post_document",
                lambda _, *, body, headers: world.letters.append((body, headers)),
            )
            patch.setattr(webhook, "time", SimpleNamespace(time=lambda: clock.shown().timestamp()))
            yield world
        transaction.set_rollback(True, "default")
        transaction.set_rollback(True, "marketplace")


def play(world: World, schedule: list[tuple[Any, ...]]) -> None:
    for step, *given_values in schedule:
        act(world, step, given_values)


def act(world: World, step: str, values: list[Any]) -> None:
    if step == "launch":
        hits, workers, pilot, life, *task = values
        world.launch(
            hits=hits, workers=workers, pilot=pilot, life=_life(life), task=task[0] if task else SOLVE
        )
    elif step == "work":
        person, hit, life = values
        world.accept(person, hit)
        last = len(world.visits) - 1
        world.open_page(last)
        world.save(last, _life(life))
        world.submit(last)
    elif step == "crowd":
        for person in range(PEOPLE):
            act(world, "work", [person, values[0], None])
    elif step == "submit":
        world.submit(values[0], rubbish=values[1])
    elif step == "compare":
        world.compare(values[0], seen=values[1], life=_life(values[2]))
    elif step in ("sweep", "background", "open_page", "save", "deliver", "steer", "review"):
        *others, life = values
        method: Callable[..., None] = getattr(world, step)
        method(*others, _life(life))
    else:
        getattr(world, step)(*values)


def _life(given_life: dict[str, Any] | None) -> Life | None:
    return Life(**given_life) if given_life else None


def keeps_its_promise(clock: Clock, monkeypatch: pytest.MonkeyPatch, schedule: list[tuple[Any, ...]]) -> None:
    with a_world(clock, monkeypatch) as world:
        play(world, schedule)
        event(f"killed {min(world.killed, 3)} times")
        world.heal()
        for _ in range(3):
            for name in SENDS:
                world.sweep(name)
            world.turn(30)

        reconciling.reconcile_everything(now=world.now())

        assert disagreements(world.account, now=world.now()) == []
        world.settle()
        for finding in found_by_families():
            event(f"found: {finding}")
        assert finding_disagreements() == []


def run(clock: Clock, monkeypatch: pytest.MonkeyPatch, *, most: int) -> None:
    def schedule_holds(schedule: list[tuple[Any, ...]]) -> None:
        keeps_its_promise(clock, monkeypatch, schedule)

    tried(most, is_long=most != IN_CI)(given(schedules)(schedule_holds))()


@pytest.mark.pure  # long enough to be run once
def test_any_schedule_ends_in_agreement(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    run(clock, monkeypatch, most=IN_CI)


@pytest.mark.long
def test_many_schedules_end_in_agreement(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    run(clock, monkeypatch, most=LONG)
