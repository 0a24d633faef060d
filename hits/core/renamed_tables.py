"""Names of constraints and indexes after a table got another name, for migrations.

PostgreSQL keeps the old names then, while a new database is laid with the new ones.
"""

from collections.abc import Mapping
from typing import Any

THERE = "select conname from pg_constraint where conrelid = to_regclass(%s)"


def rename_constraints(schema_editor: Any, *, table: str, names: Mapping[str, str]) -> None:
    """Rename those of these constraints that are there, and the indexes of those that have one."""
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(THERE, [table])
        there = {name for (name,) in cursor.fetchall()}
        for old in names.keys() & there:
            cursor.execute(f'alter table "{table}" rename constraint "{old}" to "{names[old]}"')


def rename_indexes(schema_editor: Any, *, names: Mapping[str, str]) -> None:
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        for old, new in names.items():
            cursor.execute(f'alter index if exists "{old}" rename to "{new}"')
