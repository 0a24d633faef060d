"""Parts of a sweep that do not fail together, such as accounts, studies, projects or pieces of work."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import structlog

Part = TypeVar("Part")
log = structlog.get_logger()


def in_parts(parts: Iterable[Part], act: Callable[[Part], int]) -> int:
    """Act on every part and return the sum. Failures are raised once each part has had its turn."""
    done, failures = 0, []
    for part in parts:
        try:
            done += act(part)
        except Exception as failure:
            log.exception("sweep.part_failed", part=_name(part))
            failures.append(failure)
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise ExceptionGroup(f"{len(failures)} parts of a sweep failed.", failures)
    return done


def _name(part: object) -> str:
    """Return the row's class and key only: its own text may be a person's name."""
    row = part[0] if isinstance(part, tuple) else part
    return f"{type(row).__name__} {getattr(row, 'pk', '')}".strip()
