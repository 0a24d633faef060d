"""What happens when several do something at the same moment."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connections

from hits.errors import RuleBroken

PATIENCE_S = 20


def all_at_once(*deeds: Callable[[], object]) -> list[Any]:
    """Each in a thread of its own. What they returned, in their order; a refusal is its code."""
    ready = Barrier(len(deeds))

    def outcome(deed: Callable[[], object]) -> object:
        try:
            ready.wait(timeout=PATIENCE_S)
            return deed()
        except RuleBroken as broken:
            return broken.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(outcome, deeds))
