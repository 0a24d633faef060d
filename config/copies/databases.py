"""Copy of one database to one file, as it is at one instant while others write; and its restoration."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.db.backends.base.base import BaseDatabaseWrapper

from config.fresh_database import is_empty

SQLITE_PARTS = ("", "-wal", "-shm")
# Prefix of the schema that keeps what was in the database before a restore; no copy includes it.
ASIDE = "before_"


def file_name(connection: BaseDatabaseWrapper) -> str:
    return f"databases/{connection.alias}.{'sqlite3' if connection.vendor == 'sqlite' else 'dump'}"


def copy_database(connection: BaseDatabaseWrapper, target: Path) -> None:
    """Copy the database. Raises CommandError if it fails, and then no copy is worth keeping."""
    if connection.vendor == "sqlite":
        _copy_sqlite(connection, target)
    else:
        _run_tool(
            "pg_dump", connection, "--format=custom", f"--exclude-schema={ASIDE}*", "--file", str(target)
        )


@contextmanager
def replaced(connection: BaseDatabaseWrapper, copy: Path, *, stamp: str) -> Iterator[str]:
    """Replace the database by the copy; yield where the former one is now, since nothing is destroyed.

    If anything fails inside the context, everything is as it was before.
    """
    is_loss = not is_empty(connection)
    connection.close()
    replace = _replaced_sqlite if connection.vendor == "sqlite" else _replaced_postgresql
    with replace(connection, copy, stamp=stamp) as before:
        yield before if is_loss else ""


def _copy_sqlite(connection: BaseDatabaseWrapper, target: Path) -> None:
    """Copy all pages in one step, and so one snapshot; writers go on meanwhile."""
    connection.ensure_connection()
    with closing(sqlite3.connect(target)) as copy:
        connection.connection.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        (verdict,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise CommandError(
            f"The copy of {connection.alias} is damaged, and so the database may be: {verdict}"
        )


@contextmanager
def _replaced_sqlite(connection: BaseDatabaseWrapper, copy: Path, *, stamp: str) -> Iterator[str]:
    path = Path(str(connection.settings_dict["NAME"]))
    aside = path.with_name(f"{path.name}.before-{stamp}")
    path.parent.mkdir(parents=True, exist_ok=True)
    _move(path, aside)
    try:
        shutil.copyfile(copy, path)
        yield str(aside)
    except BaseException:
        connection.close()
        for part in SQLITE_PARTS:
            Path(f"{path}{part}").unlink(missing_ok=True)
        _move(aside, path)
        raise


def _move(path: Path, target: Path) -> None:
    """Move a database with its WAL files, which hold what was written last."""
    for part in SQLITE_PARTS:
        if (found := Path(f"{path}{part}")).exists():
            found.replace(f"{target}{part}")


@contextmanager
def _replaced_postgresql(connection: BaseDatabaseWrapper, copy: Path, *, stamp: str) -> Iterator[str]:
    aside = f"{ASIDE}{stamp.replace('-', '_')}"
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER SCHEMA public RENAME TO {aside}")
        cursor.execute("CREATE SCHEMA public")
    try:
        _run_tool("pg_restore", connection, "--exit-on-error", "--single-transaction", "--no-owner",
                  "--no-privileges", source=copy)  # fmt: skip
        yield f"schema {aside}"
    except BaseException:
        connection.close()
        with connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA public CASCADE")
            cursor.execute(f"ALTER SCHEMA {aside} RENAME TO public")
        raise


def _run_tool(
    tool: str, connection: BaseDatabaseWrapper, *arguments: str, source: Path | None = None
) -> None:
    """Run the server's own tool. The password is in the environment, which other users cannot read."""
    if shutil.which(tool) is None:
        raise CommandError(
            f"{tool} is not installed: install PostgreSQL's client programs, of the server's version."
        )
    settings: dict[str, Any] = connection.settings_dict
    connected: tuple[Sequence[str], dict[str, str] | None] = connection.client.settings_to_cmd_args_env(
        settings, ["--no-password", *arguments]
    )
    (_, *rest), environ = connected
    if source is not None:  # pg_restore takes its file by position, and its database by name
        rest = [*rest[:-1], "--dbname", str(settings["NAME"]), str(source)]
    done = subprocess.run(
        [tool, *rest], env={**os.environ, **(environ or {})}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CommandError(f"{tool} failed: {done.stderr.strip()[-1000:]}")
