"""Tables that only grow: the database itself refuses updates and deletions. Migrations call this."""

from typing import Any

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


def seal(schema_editor: Any, table: str) -> None:
    """On SQLite, altering the table later drops its triggers: whoever does that seals it again."""
    if schema_editor.connection.vendor == "sqlite":
        for verb in ("update", "delete"):
            schema_editor.execute(SQLITE.format(table=table, verb=verb))
    else:
        schema_editor.execute(POSTGRESQL.format(table=table))
