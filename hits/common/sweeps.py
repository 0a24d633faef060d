"""Sweeps: work that is found in rows. Rows are the queue, and any sweep may be run again at any moment.

A sweep is run when a table that its last run has read is written, at the instant that it names itself, and
now and then in case something was missed. So it needs no list of who may cause it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ImproperlyConfigured

from hits.common import changes, clock

DueAt = Callable[..., datetime | None]
SWEEPS: dict[str, "Sweep"] = {}


@dataclass(frozen=True, kw_only=True)
class Sweep:
    name: str
    run: Callable[[], None]
    # From one start to the next at the least; a quick run is sooner followed by one for what is new.
    rest_s: float
    # The earliest instant at which the clock alone makes something due.
    due_at: DueAt | None
    # Those of one queue may be run by a machine of its own.
    queue: str


@dataclass(frozen=True, kw_only=True)
class Done:
    """What a run tells whoever decides on the next one."""

    name: str
    tables: frozenset[str]
    # Seconds until the clock alone makes something due: whoever hears it may have another clock.
    due_in: float | None


def sweep(
    name: str,
    *,
    rest_s: float,
    due_at: DueAt | None = None,
    queue: str = "default",
) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Register a function without arguments, which stays what it is."""

    def register(run: Callable[[], None]) -> Callable[[], None]:
        if name in SWEEPS:
            raise ImproperlyConfigured(f"Two sweeps are called {name}.")
        SWEEPS[name] = Sweep(name=name, run=run, rest_s=rest_s, due_at=due_at, queue=queue)
        return run

    return register


def run(name: str) -> Done:
    """What it reads to find its next instant counts too: who changes that, changes the instant."""
    found = SWEEPS[name]
    with changes.reads() as tables:
        found.run()
        now = clock.now()
        due = found.due_at(now=now) if found.due_at else None
    due_in = (due - now).total_seconds() if due else None
    return Done(name=name, tables=frozenset(tables), due_in=due_in)
