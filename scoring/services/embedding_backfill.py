"""Every picture of the pool is embedded for every rival in play before a worker asks."""

import time
from collections.abc import Callable

import structlog

from scoring.models import PendingQuery, RegisteredRival
from scoring.services.embedding import fill_pool
from scoring.services.rival_answers import FAILURES, answer_waiting
from scoring.services.rival_selection import rivals_with_vectors

log = structlog.get_logger()


def fill_pools() -> int:
    """Embed the pools, a few pictures at a time; urgent questions are answered in between."""
    filled = 0
    for rival in rivals_with_vectors():
        try:
            while some := _fill_some(rival):
                filled += some
        except FAILURES as problem:
            log.warning("pool.not_filled", rival=rival.name, error=type(problem).__name__)
    return filled


def fill_for(
    rival: RegisteredRival, *, longest_s: float, timer: Callable[[], float] = time.monotonic
) -> bool:
    """Embed the pool for a model that need not be in play; whether it knows all of it now.

    Raises what keeps the model from being asked.
    """
    began = timer()
    while timer() - began < longest_s:
        if not _fill_some(rival):
            return True
    return False


def _fill_some(rival: RegisteredRival) -> int:
    some = fill_pool(rival)
    if some and PendingQuery.objects.filter(is_urgent=True).exists():
        answer_waiting()
    return some
