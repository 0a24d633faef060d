"""Observation of tables at the connection, so that no code declares or announces reads and writes.

Writes of a transaction are announced once it is committed. A statement that changed no row wrote nothing.
"""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

WRITE = re.compile(r'\s*(INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+"?(\w+)"?', re.IGNORECASE)
READ = re.compile(r'\b(?:FROM|JOIN)\s+"(\w+)"', re.IGNORECASE)
Tell = Callable[[set[str]], None]


class _Here(threading.local):
    """Tables that this thread reads, while they are recorded."""

    read: set[str] | None = None


_here = _Here()
_tell: Tell | None = None
_quiet: set[str] = set()


def keep_quiet(table: str) -> None:
    """Never announce writes of this table: no sweep depends on it, and each turn writes it."""
    _quiet.add(table)


def tell_by(tell: Tell | None) -> None:
    """Announce what this process writes through this function from now on. It must not raise."""
    global _tell  # noqa: PLW0603 - one way for the whole process, chosen where it is wired
    _tell = tell


@contextmanager
def reads() -> Iterator[set[str]]:
    """Record the tables that this thread reads in the block, whether or not there was a row."""
    before, _here.read = _here.read, set()
    try:
        yield _here.read
    finally:
        _here.read = before


def watch(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Observe a new connection (connection_created). One that is opened again is observed already."""
    if _look not in connection.execute_wrappers:
        connection.execute_wrappers.append(_look)


connection_created.connect(watch)


def _look(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
    result = execute(sql, params, many, context)
    if written := WRITE.match(sql):
        verb, table = written.groups()
        _note_read({table})
        # SQLite counts the rows of an INSERT that returns its key only when they are fetched.
        if _tell is not None and table not in _quiet and (verb[0] in "Ii" or context["cursor"].rowcount):
            _note_write(context["connection"], table)
    elif _here.read is not None:
        _note_read(READ.findall(sql))
    return result


def _note_read(tables: Any) -> None:
    if _here.read is not None:
        _here.read.update(tables)


def _note_write(connection: Any, table: str) -> None:
    """Note the table in the transaction's one hook. Rolled-back writes may be announced: no harm done."""
    hook = next((hook for _, hook, _ in connection.run_on_commit if isinstance(hook, Telling)), None)
    if hook is not None:
        hook.tables.add(table)
    elif connection.in_atomic_block:
        connection.run_on_commit.append((set(), Telling({table}), True))
    else:
        Telling({table})()


class Telling:
    def __init__(self, tables: set[str]) -> None:
        self.tables = tables
        self.__qualname__ = "Telling"  # Django logs the name of a hook that fails

    def __call__(self) -> None:
        if _tell is not None:
            _tell(self.tables)
