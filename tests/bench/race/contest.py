"""Two sides do the same job in turns, so that a slow minute of the machine hits both."""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.bench.race.clients import Times, Turn, Worker, drive, merged
from tests.bench.servers import Server, memory_mb

WORKERS = 64
WARMING = 24
TURN_S = 12.0  # no job begins later in a turn
GLANCE_S = 1.0


@dataclass(frozen=True, kw_only=True)
class Side:
    """One of the two: its running server, and what makes so many workers for a turn, already signed in."""

    server: Server
    workers: Callable[[int], Sequence[Worker]]
    loops: int = 1  # that each worker does


@dataclass(frozen=True, kw_only=True)
class Heat:
    """One job under one condition, such as so many open tasks."""

    name: str
    ours: Side
    theirs: Side


@dataclass(kw_only=True)
class Result:
    """What one side did in all its turns."""

    times: Times = field(default_factory=dict)
    rates: list[float] = field(default_factory=list)
    memory_mb: float = 0

    def add(self, turn: Turn, *, memory_mb: float) -> None:
        self.times = merged([self.times, turn.times])
        self.rates.append(turn.rate)
        self.memory_mb = max(self.memory_mb, memory_mb)


@dataclass(frozen=True, kw_only=True)
class Pair:
    ours: Result = field(default_factory=Result)
    theirs: Result = field(default_factory=Result)


def race(heats: Sequence[Heat], *, rounds: int, clients: int, until: float) -> Mapping[str, Pair]:
    """Take all turns. Before them each side does a little that does not count, so that both are warm.

    After the first round, none begins that would end later than `until`, by the clock of `time.monotonic`.
    """
    take_turn(heats[0].ours, Result(), workers=WARMING, clients=clients)
    take_turn(heats[0].theirs, Result(), workers=WARMING, clients=clients)
    results = {heat.name: Pair() for heat in heats}
    took = 0.0
    for number in range(rounds):
        began = time.monotonic()
        if number and began + took > until:
            sys.stderr.write("there is no time for more rounds\n")
            break
        for heat in heats:
            take_turn(heat.ours, results[heat.name].ours, workers=WORKERS, clients=clients)
            take_turn(heat.theirs, results[heat.name].theirs, workers=WORKERS, clients=clients)
        took = time.monotonic() - began
        sys.stderr.write(f"round {number + 1} of {rounds} took {took:.0f} s\n")
    return results


def take_turn(side: Side, result: Result, *, workers: int, clients: int) -> None:
    crowd = side.workers(workers)
    with watched(side.server) as peak:
        turn = drive(crowd, loops=side.loops, clients=clients, seconds=TURN_S)
    assert side.server.process.poll() is None, f"{side.server.name} has ended."
    result.add(turn, memory_mb=max(peak))


@contextmanager
def watched(server: Server) -> Iterator[list[float]]:
    """Look at the memory of the server again and again. The list that is yielded has all that was seen."""
    seen: list[float] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(GLANCE_S):
            seen.append(memory_mb(server))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()
        seen.append(memory_mb(server))
