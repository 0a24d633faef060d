"""Sizes of the databases and of their largest tables, and the free disk: read from catalogs."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from hits.common.health.findings import Finding

LARGEST = 5
MB, GB = 1024**2, 1024**3
LEAST_FREE = GB
# The planner's estimate of the rows. What was written since the statistics began tells what grows.
POSTGRESQL = """
SELECT c.relname, pg_total_relation_size(c.oid), greatest(reltuples, 0)::bigint,
       coalesce(s.n_tup_ins - s.n_tup_del, 0)
FROM pg_class c LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid
WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
ORDER BY 2 DESC LIMIT 1000
"""
SQLITE_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


@dataclass(frozen=True, kw_only=True)
class TableSize:
    """A table with about how many rows; SQLite tells no bytes without reading all of the file."""

    name: str
    rows: int
    bytes: int = 0
    # Rows more than when the server began to count.
    grown: int = 0

    def __str__(self) -> str:
        size = f"{in_mb(self.bytes)}, " if self.bytes else ""
        return f"{self.name} {size}{self.rows:,} rows"


def in_mb(size: int) -> str:
    return f"{size / MB:,.0f} MB" if size < 10 * GB else f"{size / GB:,.1f} GB"


def database_bytes(connection: BaseDatabaseWrapper) -> int:
    if connection.vendor == "postgresql":
        return int(_first(connection, "SELECT pg_database_size(current_database())"))
    return int(_first(connection, "PRAGMA page_count")) * int(_first(connection, "PRAGMA page_size"))


def table_sizes(connection: BaseDatabaseWrapper) -> list[TableSize]:
    """Return the tables, the largest first."""
    if connection.vendor != "postgresql":
        return sorted(_sqlite_tables(connection), key=lambda table: -table.rows)
    return [
        TableSize(name=name, bytes=size, rows=rows, grown=grown)
        for name, size, rows, grown in _rows(connection, POSTGRESQL)
    ]


def _sqlite_tables(connection: BaseDatabaseWrapper) -> Iterator[TableSize]:
    """Yield each table with its highest row number, which is one step down its tree."""
    for (name,) in _rows(connection, SQLITE_TABLES):
        table = connection.ops.quote_name(name)
        yield TableSize(name=name, rows=int(_first(connection, f"SELECT max(rowid) FROM {table}") or 0))  # noqa: S608


def check_size(alias: str) -> Finding:
    connection = connections[alias]
    tables = table_sizes(connection)
    largest = "; ".join(map(str, tables[:LARGEST]))
    saw = f"{in_mb(database_bytes(connection))}. Largest: {largest}"
    growing = sorted((table for table in tables if table.grown > 0), key=lambda table: -table.grown)
    if growing:
        saw += f". Grows most: {', '.join(f'{one.name} (+{one.grown:,})' for one in growing[:3])}"
    return Finding(name=f"size of {alias}", ok=True, saw=saw)


def check_disk() -> Finding:
    """Check that the disk of the data folder has room: for a copy of the databases in the embedded form."""
    free = data_disk().free
    needed = LEAST_FREE
    if settings.EMBEDDED:
        needed = max(needed, sum(database_bytes(connections[alias]) for alias in settings.DATABASES))
    saw = f"{in_mb(free)} free beside {settings.DATA_DIR}"
    if free < needed:
        advice = f"Make room: at least {in_mb(needed)} should be free. A full disk stops all work."
        return Finding(name="disk", ok=False, saw=saw, advice=advice)
    return Finding(name="disk", ok=True, saw=saw)


def _rows(connection: BaseDatabaseWrapper, sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def _first(connection: BaseDatabaseWrapper, sql: str) -> Any:
    return _rows(connection, sql)[0][0]


def data_disk() -> Any:
    """The use of the disk of the data folder. Where nothing was written yet, the folder above it tells."""
    folder = Path(settings.DATA_DIR).absolute()
    there = next(one for one in (folder, *folder.parents) if one.exists())
    return shutil.disk_usage(there)
