"""What must be right before anything is served: one sentence says what is wrong, and what to do."""

import sys
from pathlib import Path
from typing import NoReturn

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

from config.fresh_database import own_apps

MARKETPLACE = "marketplace"
VARIABLES = {"default": "DATABASE_URL", MARKETPLACE: "MARKETPLACE_DATABASE_URL"}
# With this code a process of gunicorn's is not started again and again: its master ends too.
CANNOT_START = 3


def stop(problem: str) -> NoReturn:
    """End this process, which cannot be started as it is set."""
    sys.stderr.write(f"Not started. {problem}\n")
    sys.exit(CANNOT_START)


def refuse_wrong_databases() -> None:
    """Raise ImproperlyConfigured if a server's database cannot be reached, or is not of this version yet.

    The embedded form makes its files itself. A database of a later version is served: while several machines
    are upgraded one after the other, those that wait still serve.
    """
    for alias in [MARKETPLACE] if settings.MARKETPLACE_ALONE else list(VARIABLES):
        connection = connections[alias]
        if connection.vendor == "sqlite":
            continue
        try:
            missing = missing_migrations(connection)
        except DatabaseError as error:
            why = " ".join(str(error).split())
            raise ImproperlyConfigured(
                f"The database of {VARIABLES[alias]} cannot be used: {why}. "
                "Check the address, and that the server runs and lets this machine in."
            ) from None
        finally:
            connection.close()
        if missing:
            raise ImproperlyConfigured(
                f"The database of {VARIABLES[alias]} is not ready for this version, which needs "
                f"{len(missing)} more migrations, such as {missing[0]}. "
                f"Run manage.py migrate --database {alias}, on one machine, and start again."
            )


def missing_migrations(connection: BaseDatabaseWrapper) -> list[str]:
    """Compare names alone: loading every migration would take longer than the rest of the start."""
    applied = set(MigrationRecorder(connection).applied_migrations())
    return sorted(
        f"{app.label}.{file.stem}"
        for app in own_apps(connection)
        for file in Path(app.path, "migrations").glob("[0-9]*.py")
        if (app.label, file.stem) not in applied
    )
