"""After a test with real transactions its databases hold again what they held when they had just been laid.

Django's own way truncates every table and emits `post_migrate`, which takes seconds. Here only tables that
hold something are emptied, and what was laid comes back only where a test has changed it.
"""
# ruff: noqa: S608 - the names are those of our own tables

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import sleep
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db import OperationalError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

# Which migrations were applied is known of the tables, not of the rows.
LEFT_ALONE = {"django_migrations"}
ATTEMPTS = 10


@dataclass(frozen=True, kw_only=True)
class Laid:
    """What a table held when its database had just been laid."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


LaidTables = Mapping[str, Laid]


def read_laid(alias: str) -> dict[str, Laid]:
    connection = connections[alias]
    with connection.cursor() as cursor:
        return {table: _read_table(cursor, table) for table in _holding(cursor, _tables(connection, cursor))}


def empty_database(alias: str, laid: LaidTables) -> None:
    """A closed page leaves the server at work: its last query and this may want each other's tables."""
    connection = connections[alias]
    if "test" not in str(connection.settings_dict["NAME"]).rpartition("/")[2]:
        raise RuntimeError(f"{connection.settings_dict['NAME']} is not a database of tests.")
    for left in reversed(range(ATTEMPTS)):
        try:
            _empty(connection, laid)
            break
        except OperationalError:
            if not left:
                raise
            sleep(0.3)


def _empty(connection: BaseDatabaseWrapper, laid: LaidTables) -> None:
    with WITHOUT_CHECKS[connection.vendor](connection) as cursor:
        holding = _holding(cursor, _tables(connection, cursor))
        changed = [table for table, was in laid.items() if _rows(cursor, table, was.columns) != was.rows]
        strange = [table for table in holding if table not in laid]
        with _growing_tables_yield(connection, cursor, [*strange, *changed]):
            for table in (*strange, *changed):
                cursor.execute(f'DELETE FROM "{table}"')
        for table in changed:
            _write_table(cursor, table, laid[table])
    if changed:
        ContentType.objects.clear_cache()


def _tables(connection: BaseDatabaseWrapper, cursor: CursorWrapper) -> list[str]:
    """Asked each time: a test of migrations may have made other tables."""
    return sorted({*connection.introspection.table_names(cursor)} - LEFT_ALONE)


def _holding(cursor: CursorWrapper, tables: Sequence[str]) -> list[str]:
    """Those that hold any row, in one question."""
    asked = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in tables)
    cursor.execute(" UNION ALL ".join(asked))
    return [table for (table,) in cursor.fetchall()]


def _read_table(cursor: CursorWrapper, table: str) -> Laid:
    cursor.execute(f'SELECT * FROM "{table}" LIMIT 0')
    columns = tuple(column.name if hasattr(column, "name") else column[0] for column in cursor.description)
    return Laid(columns=columns, rows=_rows(cursor, table, columns))


def _rows(cursor: CursorWrapper, table: str, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    cursor.execute(f'SELECT {_quoted(columns)} FROM "{table}" ORDER BY 1')
    return list(cursor.fetchall())


def _write_table(cursor: CursorWrapper, table: str, laid: Laid) -> None:
    places = ", ".join(["%s"] * len(laid.columns))
    cursor.executemany(f'INSERT INTO "{table}" ({_quoted(laid.columns)}) VALUES ({places})', laid.rows)


def _quoted(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


@contextmanager
def _on_sqlite(connection: BaseDatabaseWrapper) -> Iterator[CursorWrapper]:
    """The transaction begins as a writer: what was under way elsewhere has ended."""
    with (
        connection.constraint_checks_disabled(),
        transaction.atomic(using=connection.alias),
        connection.cursor() as cursor,
    ):
        yield cursor


@contextmanager
def _on_postgresql(connection: BaseDatabaseWrapper) -> Iterator[CursorWrapper]:
    """No trigger runs, foreign keys' included; the lock waits for writers, whose rows would come too late."""
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        tables = _quoted(_tables(connection, cursor))
        cursor.execute(f"SET LOCAL session_replication_role = replica; LOCK TABLE {tables} IN EXCLUSIVE MODE")
        yield cursor


Emptier = Callable[[BaseDatabaseWrapper], Any]
WITHOUT_CHECKS: Mapping[str, Emptier] = {"sqlite": _on_sqlite, "postgresql": _on_postgresql}


@contextmanager
def _growing_tables_yield(
    connection: BaseDatabaseWrapper, cursor: CursorWrapper, tables: Sequence[str]
) -> Iterator[None]:
    """SQLite has no switch for the triggers that refuse deletions: they are dropped and made again."""
    triggers = []
    if connection.vendor == "sqlite":
        cursor.execute("SELECT name, sql, tbl_name FROM sqlite_master WHERE type = 'trigger'")
        triggers = [(name, sql) for name, sql, table in cursor.fetchall() if table in tables]
    for name, _ in triggers:
        cursor.execute(f'DROP TRIGGER "{name}"')
    yield
    for _, sql in triggers:
        cursor.execute(sql)
