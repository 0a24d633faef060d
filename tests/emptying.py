"""Databases are reset after a test with real transactions to the rows they were created with.

Django's own way truncates every table and emits `post_migrate`, which takes seconds. Here only tables that
hold rows are emptied, and the first rows are restored only where a test has changed them.
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

# Records of applied migrations describe the tables, not the rows.
LEFT_ALONE = {"django_migrations"}
ATTEMPTS = 10


@dataclass(frozen=True, kw_only=True)
class Laid:
    """Columns and rows of a table in a database that has just been created."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


LaidTables = Mapping[str, Laid]


def read_laid(alias: str) -> dict[str, Laid]:
    connection = connections[alias]
    with connection.cursor() as cursor:
        return {table: _read_table(cursor, table) for table in _holding(cursor, _tables(connection, cursor))}


def empty_database(alias: str, laid: LaidTables) -> None:
    """Empty the database; retried, as the last query of a closed page can deadlock with this.

    Raises RuntimeError if it is not a database of tests.
    """
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
    """Names of the tables, asked each time: a test of migrations may have made others."""
    return sorted({*connection.introspection.table_names(cursor)} - LEFT_ALONE)


def _holding(cursor: CursorWrapper, tables: Sequence[str]) -> list[str]:
    """Find the tables that hold any row, by one query."""
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
    """Begin the transaction as a writer, so that writes elsewhere have ended before it."""
    with (
        connection.constraint_checks_disabled(),
        transaction.atomic(using=connection.alias),
        connection.cursor() as cursor,
    ):
        yield cursor


@contextmanager
def _on_postgresql(connection: BaseDatabaseWrapper) -> Iterator[CursorWrapper]:
    """Run no triggers, foreign keys' included, and lock the tables, so that no writer adds rows too late."""
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
    """Drop SQLite's triggers that refuse deletions, and make them again: SQLite cannot switch them off."""
    triggers = []
    if connection.vendor == "sqlite":
        cursor.execute("SELECT name, sql, tbl_name FROM sqlite_master WHERE type = 'trigger'")
        triggers = [(name, sql) for name, sql, table in cursor.fetchall() if table in tables]
    for name, _ in triggers:
        cursor.execute(f'DROP TRIGGER "{name}"')
    yield
    for _, sql in triggers:
        cursor.execute(sql)
