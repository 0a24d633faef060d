"""The checks by their number in the reference."""

from collections.abc import Callable
from dataclasses import dataclass

from crowd.marketplace.tools.conformance.bench import Bench

Run = Callable[[Bench], None]


@dataclass(frozen=True, kw_only=True)
class Check:
    number: int
    name: str
    run: Run


CHECKS: dict[int, Check] = {}


def check(number: int, name: str) -> Callable[[Run], Run]:
    """Register a check; `name` is the reference's own line."""

    def register(run: Run) -> Run:
        if number in CHECKS:
            raise ValueError(f"There are two checks with the number {number}.")
        CHECKS[number] = Check(number=number, name=name, run=run)
        return run

    return register
