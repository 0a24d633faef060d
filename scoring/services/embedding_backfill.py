"""Every picture of the pool is embedded for every rival in play before a worker asks."""

import structlog

from scoring.models import PendingQuery
from scoring.services.embedding import fill_pool
from scoring.services.rival_answers import FAILURES, answer_waiting
from scoring.services.rival_selection import rivals_with_vectors

log = structlog.get_logger()


def fill_pools() -> int:
    """Embed the pools, a few pictures at a time; urgent questions are answered in between."""
    filled = 0
    for rival in rivals_with_vectors():
        try:
            while some := fill_pool(rival):
                filled += some
                if PendingQuery.objects.filter(is_urgent=True).exists():
                    answer_waiting()
        except FAILURES as problem:
            log.warning("pool.not_filled", rival=rival.name, error=type(problem).__name__)
    return filled
