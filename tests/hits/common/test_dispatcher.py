"""When sweeps run: on what was written, at their instant, after their rest, and never lost."""

import pytest

from hits.common.dispatcher import CHECK_S, LOST_S, Dispatcher
from hits.common.sweeps import Sweep, SweepReport

pytestmark = pytest.mark.pure
REST_S = 2.0


class World:
    """A dispatcher of two sweeps, with a clock that is turned by hand."""

    def __init__(self) -> None:
        self.now = 100.0
        self.started: list[str] = []
        sweeps = {
            name: Sweep(name=name, run=lambda: None, rest_s=REST_S, due_at=None, queue="default")
            for name in ("judge", "pay")
        }
        self.dispatcher = Dispatcher(
            sweeps,
            start=lambda sweep: self.started.append(sweep.name),
            monotonic=lambda: self.now,
        )

    def turn(self, seconds: float) -> list[str]:
        """Turn the clock, and list the sweeps that are started then."""
        self.now += seconds
        self.started.clear()
        self.dispatcher.start_due()
        return [*self.started]

    def done(self, name: str, *tables: str, due_in: float | None = None) -> None:
        self.dispatcher.hear_done(SweepReport(name=name, tables=frozenset(tables), due_in=due_in))


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def idle(world: World) -> World:
    """Both sweeps have run long ago, and have each read their own table and one that they share."""
    world.turn(0)
    world.done("judge", "work", "study")
    world.done("pay", "bonus", "study")
    world.turn(REST_S)
    return world


def test_a_new_dispatcher_starts_all(world: World) -> None:
    assert world.turn(0) == ["judge", "pay"]


def test_nothing_is_started_while_nothing_happens(idle: World) -> None:
    assert [idle.turn(10) for _ in range(20)] == [[]] * 20


def test_who_has_read_what_is_written_is_started_at_once(idle: World) -> None:
    idle.dispatcher.hear_written({"bonus", "elsewhere"})

    assert idle.turn(0) == ["pay"]


def test_what_nobody_has_read_wakes_nobody(idle: World) -> None:
    idle.dispatcher.hear_written({"elsewhere"})

    assert idle.turn(60) == []


def test_a_quick_sweep_rests_for_ten_of_its_runs(idle: World) -> None:
    idle.dispatcher.hear_written({"work"})
    first = idle.turn(0)
    idle.turn(0.05)
    idle.done("judge", "work")
    idle.dispatcher.hear_written({"work"})

    assert (first, idle.turn(0.4), idle.turn(0.1)) == (["judge"], [], ["judge"])


def test_a_slow_sweep_rests_from_one_start_to_the_next(idle: World) -> None:
    idle.dispatcher.hear_written({"work"})
    idle.turn(0)
    idle.turn(REST_S / 2)
    idle.done("judge", "work")
    idle.dispatcher.hear_written({"work"})

    assert (idle.turn(REST_S / 2 - 0.1), idle.turn(0.2)) == ([], ["judge"])


def test_what_is_written_while_it_runs_runs_it_again(idle: World) -> None:
    idle.dispatcher.hear_written({"work"})
    idle.turn(0)
    idle.dispatcher.hear_written({"new"})
    during = idle.turn(REST_S)
    idle.done("judge", "work", "new")

    assert (during, idle.turn(0)) == ([], ["judge"])


def test_what_is_written_while_it_runs_and_was_not_read_does_not(idle: World) -> None:
    idle.dispatcher.hear_written({"work"})
    idle.turn(0)
    idle.dispatcher.hear_written({"bonus"})
    idle.done("judge", "work")

    assert idle.turn(REST_S) == ["pay"]


def test_it_is_started_at_the_instant_that_it_named(idle: World) -> None:
    idle.dispatcher.hear_written({"work"})
    idle.turn(0)
    idle.done("judge", "work", due_in=50)

    assert (idle.turn(49.9), idle.turn(0.1)) == ([], ["judge"])


def test_an_instant_that_has_passed_waits_for_the_rest(idle: World) -> None:
    idle.dispatcher.hear_written({"work"})
    idle.turn(0)
    idle.done("judge", "work", due_in=-3600)

    assert (idle.turn(REST_S - 0.1), idle.turn(0.1)) == ([], ["judge"])


def test_a_run_that_says_nothing_is_started_again(idle: World) -> None:
    idle.dispatcher.hear_written({"work"})
    idle.turn(0)

    assert (idle.turn(LOST_S - 1), idle.turn(1)) == ([], ["judge"])


def test_everything_is_looked_at_now_and_then(idle: World) -> None:
    started = []
    for _ in range(13):
        for name in idle.turn(CHECK_S / 10):
            started.append(name)
            idle.done(name, "work")

    assert sorted(started) == ["judge", "pay"]


def test_a_death_starts_all_even_those_that_seem_to_run(idle: World) -> None:
    idle.dispatcher.hear_written({"work"})
    idle.turn(0)
    idle.dispatcher.wake_all()

    assert idle.turn(REST_S) == ["judge", "pay"]


def test_it_says_how_long_nothing_will_be_due(idle: World) -> None:
    idle.dispatcher.hear_written({"work"})
    idle.turn(0)
    idle.done("judge", "work", due_in=7)

    assert idle.dispatcher.start_due() == pytest.approx(7)


def test_a_run_that_nobody_knows_changes_nothing(idle: World) -> None:
    idle.done("of another release", "work", due_in=0)

    assert idle.turn(REST_S) == []


def test_the_pulse_tells_since_when_a_sweep_has_not_reported_or_fails(world: World) -> None:
    world.turn(0)
    world.now += 3
    world.dispatcher.hear_done(SweepReport(name="pay", tables=frozenset(), due_in=0, has_failed=True))
    world.turn(LOST_S)
    world.now += 1
    world.dispatcher.hear_done(SweepReport(name="pay", tables=frozenset(), due_in=0, has_failed=True))
    sick = world.dispatcher.pulse(at=1000.0)
    for name in ("judge", "pay"):
        world.done(name)

    well = world.dispatcher.pulse(at=1000.0)

    ago = LOST_S + 4
    assert (sick.unanswered, sick.failing) == ({"judge": 1000 - ago}, {"pay": 1000 - ago + 3})
    assert (well.done_at, well.unanswered, well.failing) == (1000, {}, {})
