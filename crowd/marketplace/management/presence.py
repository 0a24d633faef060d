"""Whether there is a marketplace where a command looks for one."""

from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError
from django.db import OperationalError, connections

from crowd.marketplace.database import ALIAS
from crowd.marketplace.models.parties import Requester

ELSEWHERE = (
    "Start “manage.py serve” or “manage.py marketplace” once; if it has another folder, name that here by "
    "CROWD_DATA_DIR, as it prints it."
)


def require_marketplace() -> None:
    """Raise CommandError if no marketplace is here. Looking makes no database file."""
    try:
        is_here = _has_file() and _has_tables()
    except OperationalError as error:
        raise CommandError(f"No marketplace answers: {error}") from error
    if not is_here:
        raise CommandError(f"No marketplace is in {settings.DATA_DIR}. {ELSEWHERE}")


def _has_file() -> bool:
    """Whether the database has its file, or needs none: SQLite makes one for whoever looks into it."""
    connection = connections[ALIAS]
    if connection.vendor != "sqlite" or connection.is_in_memory_db():  # type: ignore[attr-defined]
        return True
    return Path(connection.settings_dict["NAME"]).exists()


def _has_tables() -> bool:
    connection = connections[ALIAS]
    return Requester._meta.db_table in connection.introspection.table_names()
