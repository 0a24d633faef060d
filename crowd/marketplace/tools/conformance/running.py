"""The checks run one after another, each by itself, and their report."""

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from botocore.exceptions import BotoCoreError, ClientError

from crowd.marketplace.tools.conformance import checks
from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.control import ControlRefused
from crowd.marketplace.tools.conformance.outcomes import Failed, Skipped
from crowd.marketplace.tools.conformance.registry import CHECKS, Check

__all__ = ["checks"]  # importing them fills the registry

# Errors that an unexpected answer of the server can raise in a check.
SURPRISES = (BotoCoreError, ClientError, ControlRefused, OSError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    number: int
    name: str
    outcome: Literal["passed", "failed", "skipped"]
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class Report:
    endpoint: str
    seconds: float
    outcomes: list[Outcome] = field(default_factory=list)

    def count(self, outcome: str) -> int:
        return sum(one.outcome == outcome for one in self.outcomes)

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "passed": self.count("passed"),
            "failed": self.count("failed"),
            "skipped": self.count("skipped"),
            "endpoint": self.endpoint,
            "seconds": self.seconds,
            "checks": [asdict(outcome) for outcome in self.outcomes],
        }


def run_checks(bench: Bench, *, only: Collection[int] = ()) -> Report:
    """Run checks in the order of their numbers, though none depends on another."""
    began = time.monotonic()
    wanted = [CHECKS[number] for number in sorted(CHECKS) if not only or number in only]
    outcomes = [_run(check, bench) for check in wanted]
    return Report(endpoint=bench.endpoint, seconds=round(time.monotonic() - began, 1), outcomes=outcomes)


def _run(check: Check, bench: Bench) -> Outcome:
    outcome: Literal["passed", "failed", "skipped"] = "passed"
    detail = ""
    try:
        with _left_as_found(bench):
            check.run(bench)
    except Skipped as skipped:
        outcome, detail = "skipped", str(skipped)
    except Failed as failed:
        outcome, detail = "failed", str(failed)
    except SURPRISES as surprise:
        outcome, detail = "failed", f"{type(surprise).__name__}: {surprise}"
    return Outcome(number=check.number, name=check.name, outcome=outcome, detail=detail)


@contextmanager
def _left_as_found(bench: Bench) -> Iterator[None]:
    """Restore the clock and the faults, which all checks share, so that each begins alike."""
    control = bench.controlled_by
    ahead = control.ask("clock")["ahead"] if control else 0
    try:
        yield
    finally:
        if control:
            control.ask("faults", action="clear")
            control.ask("clock", ahead=ahead)
