"""Counts what a sweep reads from the database and what it changes while there is nothing to do."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from django.db import connections

CHANGING = ("INSERT", "UPDATE", "DELETE", "REPLACE")
STEERING = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET")


class Watch:
    """A wrapper of database calls that counts queries, and keeps the statements that changed a row."""

    def __init__(self) -> None:
        self.queries = 0
        self.writes: list[str] = []

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        found = execute(sql, params, many, context)
        verb = sql.lstrip().split(maxsplit=1)[0].upper()
        # SQLite counts the rows of an INSERT with RETURNING only once their keys have been read.
        if verb in CHANGING and (context["cursor"].rowcount or " RETURNING " in sql):
            self.writes.append(sql)
        self.queries += verb not in STEERING
        return found


def watch(sweep: Callable[[], object]) -> Watch:
    """Watch one run of the sweep, in every database."""
    watching = Watch()
    with ExitStack() as stack:
        for connection in connections.all():
            stack.enter_context(connection.execute_wrapper(watching))
        sweep()
    return watching
