"""An index that is made while people work: PostgreSQL makes it beside them, SQLite has one writer anyway."""

from typing import Any

from django.db import NotSupportedError
from django.db.migrations import AddIndex


class AddIndexOnline(AddIndex):
    """AddIndex without a lock. Its migration says `atomic = False` and does nothing else."""

    atomic = False

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        connection = schema_editor.connection
        if connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        if connection.in_atomic_block:
            raise NotSupportedError("AddIndexOnline needs a migration with atomic = False.")
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(connection.alias, model):
            # What a killed attempt has left is not valid: it goes first.
            name = schema_editor.quote_name(self.index.name)
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            schema_editor.add_index(model, self.index, concurrently=True)

    def describe(self) -> str:
        return f"{super().describe()} while people work"
