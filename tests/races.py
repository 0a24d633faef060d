"""Helpers that do several things at the same moment."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier
from time import monotonic, sleep
from typing import Any

from django.db import connection, connections

from hits.core.errors import RuleBroken

PATIENCE_S = 20


def all_at_once(*deeds: Callable[[], object]) -> list[Any]:
    """Call each deed in a thread of its own. Returns their results in order; a refusal is its code."""
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


def meet(first: Callable[[], object], second: Callable[[], object], *, at: int = 1) -> bool:
    """Run both at once, so that they meet at a lock; True if `second` had to wait.

    `second` begins once `first` has locked an item, and `first` goes on once `second` waits or is done. `at`:
    `second` begins once so many statements of `first` have locked items. Two that lock in different orders
    would wait for each other for ever: PostgreSQL ends one of the two by an error.
    """
    with ThreadPoolExecutor(1) as pool:
        others: list[Future[object]] = []
        waited, locks = False, 0

        def execute(run: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            nonlocal waited, locks
            done = run(sql, params, many, context)
            locks += _locks_items(sql)
            if not others and locks == at:
                others.append(pool.submit(_alone, second))
                _await(lambda: others[0].done() or _is_waited_for())
                waited = not others[0].done()
            return done

        with connection.execute_wrapper(execute):
            first()
        assert others, "the first one never locked an item"
        others[0].result()
    return waited


def _locks_items(sql: str) -> bool:
    return sql.startswith('UPDATE "hits_item"') or (
        '"hits_item"' in sql and " UPDATE" in sql and " FOR " in sql
    )


def _is_waited_for() -> bool:
    """Whether another transaction waits for a lock that this thread's transaction holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        )
        return cursor.fetchone() is not None


def _await(condition: Callable[[], bool]) -> None:
    until = monotonic() + PATIENCE_S
    while not condition():
        assert monotonic() < until, "they never met"
        sleep(0.02)


def _alone(deed: Callable[[], object]) -> object:
    try:
        return deed()
    finally:
        connections.close_all()
