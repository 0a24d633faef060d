"""Every picture of the pool, and every word of the vocabulary, is embedded before a worker asks."""

import time
from collections.abc import Callable

import structlog

from scoring.models import PendingQuery, RegisteredRival
from scoring.services.embedding import fill_pool, read_vocabulary
from scoring.services.rival_answers import FAILURES, answer_waiting
from scoring.services.rival_selection import rivals_with_vectors

# Embeds the next few of something for a rival, and returns how many.
EmbedSome = Callable[[RegisteredRival], int]
log = structlog.get_logger()


def fill_pools() -> int:
    """Embed the pools, a few pictures at a time; urgent questions are answered in between."""
    return _for_each_rival(fill_pool, failed="pool.not_filled")


def read_vocabularies() -> int:
    """Embed the vocabulary for every rival in play, a few words at a time."""
    return _for_each_rival(read_vocabulary, failed="vocabulary.not_read")


def fill_for(
    rival: RegisteredRival, *, longest_s: float, timer: Callable[[], float] = time.monotonic
) -> bool:
    """Embed the pool for a model that need not be in play; whether it knows all of it now.

    Raises what keeps the model from being asked.
    """
    began = timer()
    while timer() - began < longest_s:
        if not _between_answers(fill_pool, rival):
            return True
    return False


def _for_each_rival(embed_some: EmbedSome, *, failed: str) -> int:
    """Embed until nothing is left; a rival that fails keeps no other waiting, and is logged under a name."""
    count = 0
    for rival in rivals_with_vectors():
        try:
            while some := _between_answers(embed_some, rival):
                count += some
        except FAILURES as problem:
            log.warning(failed, rival=rival.name, error=type(problem).__name__)
    return count


def _between_answers(embed_some: EmbedSome, rival: RegisteredRival) -> int:
    some = embed_some(rival)
    if some and PendingQuery.objects.filter(is_urgent=True).exists():
        answer_waiting()
    return some
