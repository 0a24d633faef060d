"""A scratch database in the place of a real one, for the time of a drill."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management import CommandError
from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper

PREFIX = "crowd_drill_"
MAY_NOT = (
    "The database's user may not make databases ({error}). Let it (ALTER ROLE ... CREATEDB), or drill on "
    "another machine."
)


@contextmanager
def in_scratch(connection: BaseDatabaseWrapper, *, folder: Path) -> Iterator[None]:
    """Let the connection lead to an empty database, which is dropped whatever happens.

    This process has no other thread, and no other process is led there.
    """
    real = connection.settings_dict["NAME"]
    is_file = connection.vendor == "sqlite"
    name = str(folder / f"{connection.alias}-drill.sqlite3") if is_file else PREFIX + secrets.token_hex(6)
    if not is_file:
        try:
            _execute(connection, "CREATE DATABASE {}", name)
        except DatabaseError as error:
            raise CommandError(MAY_NOT.format(error=str(error).strip())) from error
    connection.close()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = real
        if not is_file:
            _execute(connection, "DROP DATABASE {} WITH (FORCE)", name)


def _execute(connection: BaseDatabaseWrapper, statement: str, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement.format(connection.ops.quote_name(name)))
