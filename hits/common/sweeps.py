"""Sweeps: work that is found in rows. Rows are the queue, and any sweep may be run again at any moment.

A sweep is run when a table that its last run has read is written, at the instant that it names itself, and
now and then in case something was missed. So it needs no list of the code that may cause it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ImproperlyConfigured

from hits.common import changes, clock

DueAt = Callable[..., datetime | None]
SWEEPS: dict[str, "Sweep"] = {}
_CONDITIONS: list[Callable[[], bool]] = []


@dataclass(frozen=True, kw_only=True)
class Sweep:
    name: str
    run: Callable[[], None]
    # Least seconds from one start to the next; after a quick run, news may start it sooner.
    rest_s: float
    # The earliest instant at which the clock alone makes something due.
    due_at: DueAt | None
    # Sweeps of one queue may be run by a machine of its own.
    queue: str
    # It acts on the world outside, and so is not run while the system is halted.
    acts: bool = False


@dataclass(frozen=True, kw_only=True)
class SweepReport:
    """Report of one run to the dispatcher, which decides on the next one."""

    name: str
    tables: frozenset[str]
    # Seconds until the clock alone makes something due: not an instant, for clocks of processes may differ.
    due_in: float | None
    has_failed: bool = False


def sweep(
    name: str,
    *,
    rest_s: float,
    due_at: DueAt | None = None,
    queue: str = "default",
    acts: bool = False,
) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Register a function without arguments as a sweep; the function itself is not changed."""

    def register(run: Callable[[], None]) -> Callable[[], None]:
        if name in SWEEPS:
            raise ImproperlyConfigured(f"Two sweeps are called {name}.")
        SWEEPS[name] = Sweep(name=name, run=run, rest_s=rest_s, due_at=due_at, queue=queue, acts=acts)
        return run

    return register


def stand_still_while(condition: Callable[[], bool]) -> None:
    """Run no acting sweep while the condition holds. It reads rows, so their changes wake the sweeps."""
    if condition not in _CONDITIONS:
        _CONDITIONS.append(condition)


def run(name: str) -> SweepReport:
    """Run a sweep. Tables read to find its next instant count too: a change of those changes the instant."""
    found = SWEEPS[name]
    with changes.reads() as tables:
        due_in = None if found.acts and _stands_still() else _run(found)
    return SweepReport(name=name, tables=frozenset(tables), due_in=due_in)


def _stands_still() -> bool:
    return any(condition() for condition in _CONDITIONS)


def _run(found: Sweep) -> float | None:
    found.run()
    now = clock.now()
    due = found.due_at(now=now) if found.due_at else None
    return (due - now).total_seconds() if due else None
