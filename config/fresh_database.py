"""Empty databases are created from the models at once; only databases that hold tables are migrated.

Running five hundred migration operations on nothing takes Django half a minute for each database, because it
renders the models again after every one of them.
"""

from collections.abc import Iterable
from typing import Any

from django.apps import AppConfig, apps
from django.db import router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ModelState, ProjectState
from django.db.models import Model

# Any number will do: the process that creates the tables on a server holds this lock.
LOCK = 7_401_516
GROUP = "auth.Group"
OURS = ("crowd", "hits", "qualifications", "scoring")
OTHER_VERSION = (
    "Another version of this project made it. From before 0.1.0 nothing is carried over: take the data out "
    "with the version that made it (manage.py export), and start with an empty database. "
    "From a later version: install that one."
)


class OwnLoader(MigrationLoader):
    """A loader of the migrations of only those apps whose tables are in this database."""

    def load_disk(self) -> None:
        super().load_disk()
        if self.connection is None:
            return
        foreign = {label for label in self.migrated_apps if not is_own(label, alias=self.connection.alias)}
        self.migrated_apps -= foreign
        self.disk_migrations = {
            key: migration for key, migration in self.disk_migrations.items() if key[0] not in foreign
        }


class OwnExecutor(MigrationExecutor):
    def __init__(self, connection: BaseDatabaseWrapper, progress_callback: Any = None) -> None:
        super().__init__(connection, progress_callback)
        self.loader = OwnLoader(connection)


def own_apps(connection: BaseDatabaseWrapper) -> list[AppConfig]:
    return [config for config in apps.get_app_configs() if is_own(config.label, alias=connection.alias)]


def is_own(label: str, *, alias: str) -> bool:
    return bool(router.allow_migrate(alias, label))


def unapplied(loader: OwnLoader) -> list[tuple[str, str]]:
    """The migrations that this database lacks, by app and name."""
    return sorted(set(loader.graph.nodes) - set(loader.applied_migrations))


def foreign_migrations(loader: OwnLoader) -> list[tuple[str, str]]:
    """The migrations of our apps that this database has and this version lacks: another version made it."""
    unknown = set(loader.applied_migrations) - set(loader.disk_migrations)
    return sorted((app, name) for app, name in unknown if app in loader.migrated_apps and _is_ours(app))


def _is_ours(label: str) -> bool:
    return apps.get_app_config(label).name.partition(".")[0] in OURS


def is_empty(connection: BaseDatabaseWrapper) -> bool:
    return not connection.introspection.table_names()


def lay_if_empty(connection: BaseDatabaseWrapper) -> bool:
    """Make all tables and first rows in one transaction, and record every migration as applied.

    Of two processes that start at once, the second waits and finds the work done.
    """
    if not is_empty(connection):
        return False
    with connection.schema_editor(atomic=True) as editor:
        if connection.vendor == "postgresql":
            editor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        if not is_empty(connection):
            return False
        for model in _own_models(connection):
            editor.create_model(model)
        for statement in editor.deferred_sql:
            editor.execute(statement)
        editor.deferred_sql.clear()
        _record_all(connection, editor)
        _lay_first_rows(connection)
    return True


def _own_models(connection: BaseDatabaseWrapper) -> Iterable[type[Model]]:
    for config in own_apps(connection):
        for model in router.get_migratable_models(config, connection.alias):
            if model._meta.label == GROUP:
                yield _group_as_migrated()
            elif model._meta.can_migrate(connection):
                yield model


def _group_as_migrated() -> type[Model]:
    """Django's Group as migrations make it: the key of its permissions table is a bigint there."""
    state = ProjectState()
    for label in ("contenttypes.ContentType", "auth.Permission", GROUP):
        state.add_model(ModelState.from_model(apps.get_model(label)))
    return state.apps.get_model(GROUP)


def _record_all(connection: BaseDatabaseWrapper, editor: BaseDatabaseSchemaEditor) -> None:
    recorder = MigrationRecorder(connection)
    editor.create_model(recorder.Migration)
    nodes = sorted(OwnLoader(connection).graph.nodes)
    recorder.migration_qs.bulk_create([recorder.Migration(app=app, name=name) for app, name in nodes])


def _lay_first_rows(connection: BaseDatabaseWrapper) -> None:
    """Insert the first rows of apps whose AppConfig has a method for it."""
    for config in own_apps(connection):
        if hasattr(config, "lay_first_rows"):
            config.lay_first_rows(using=connection.alias)
