"""Append-only tables: the database itself refuses updates and deletions.

A model says so by `append_only = True`. After every migration missing triggers are made: on SQLite, altering
a table makes it again and loses them.
"""

from collections.abc import Collection
from typing import Any

from django.apps import AppConfig
from django.db import connections, router

SQLITE = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""
POSTGRESQL = """
CREATE OR REPLACE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '{table} is append-only' USING ERRCODE = 'integrity_constraint_violation'; END $$;
CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION {table}_refuse();
"""


KNOWN = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
}


def seal_tables(sender: AppConfig, using: str, **_: Any) -> None:
    """Make missing triggers of this app's append-only models, as a post_migrate handler."""
    tables = [model._meta.db_table for model in sender.get_models() if is_sealed(model, using)]
    if not tables:
        return
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(KNOWN[connection.vendor])
        known = {name for (name,) in cursor.fetchall()}
        existing = set(connection.introspection.table_names(cursor))
    with connection.schema_editor() as editor:
        for table in tables:
            if table in existing:
                seal(editor, table, known=known)


def is_sealed(model: Any, using: str) -> bool:
    return getattr(model, "append_only", False) and bool(router.allow_migrate_model(using, model))


def seal(schema_editor: Any, table: str, *, known: Collection[str] = ()) -> None:
    """Make the triggers of this table, except those that are known to exist."""
    if schema_editor.connection.vendor == "sqlite":
        for verb in ("update", "delete"):
            if f"{table}_no_{verb}" not in known:
                schema_editor.execute(SQLITE.format(table=table, verb=verb))
    elif f"{table}_append_only" not in known:
        schema_editor.execute(POSTGRESQL.format(table=table))
