"""Django's command, but an empty database is created at once, and each database has only its own apps."""

from typing import Any

from django.apps import apps
from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.signals import post_migrate

from config.fresh_database import (
    OTHER_VERSION,
    OwnExecutor,
    OwnLoader,
    foreign_migrations,
    lay_if_empty,
    own_apps,
    unapplied,
)

# Options that ask for something else than "bring this database up to date".
SPECIAL = ("app_label", "migration_name", "fake", "fake_initial", "plan", "check_unapplied", "prune")


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        # The parent command knows its executor by this name alone.
        migrate.MigrationExecutor = OwnExecutor  # type: ignore[attr-defined]
        if any(options.get(name) for name in SPECIAL) or not self._is_up_to_date(options):
            super().handle(*args, **options)

    def _is_up_to_date(self, options: dict[str, Any]) -> bool:
        connection = connections[options["database"]]
        connection.prepare_database()
        laid = lay_if_empty(connection)
        if not laid:
            loader = OwnLoader(connection)
            if foreign_migrations(loader):
                raise CommandError(f"{connection.alias} was not migrated. {OTHER_VERSION}")
            if unapplied(loader):
                return False
        if options["verbosity"]:
            self.stdout.write(f"{connection.alias}: {'laid.' if laid else 'nothing to migrate.'}")
        self._repair(connection, options)
        return True

    def _repair(self, connection: BaseDatabaseWrapper, options: dict[str, Any]) -> None:
        """Send post_migrate as any migration does: missing permissions, roles and triggers come back."""
        for app in own_apps(connection):
            if app.models_module is not None:
                post_migrate.send(
                    sender=app, app_config=app, using=connection.alias, apps=apps, plan=[],
                    verbosity=0, interactive=options["interactive"], stdout=self.stdout,
                )  # fmt: skip
