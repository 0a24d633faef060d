"""Every picture of the pool, and every word of the vocabulary, is embedded before a worker asks."""

import time
from collections.abc import Callable

import structlog

from scoring.models import PendingQuery, RegisteredRival
from scoring.services.embedding import fill_pool, read_vocabulary
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
    return _between_answers(fill_pool, rival)


def read_vocabularies() -> int:
    """Embed the vocabulary for every rival in play, a few words at a time."""
    count = 0
    for rival in rivals_with_vectors():
        try:
            while some := _between_answers(read_vocabulary, rival):
                count += some
        except FAILURES as problem:
            log.warning("vocabulary.not_read", rival=rival.name, error=type(problem).__name__)
    return count


def _between_answers(embed_some: Callable[[RegisteredRival], int], rival: RegisteredRival) -> int:
    some = embed_some(rival)
    if some and PendingQuery.objects.filter(is_urgent=True).exists():
        answer_waiting()
    return some
