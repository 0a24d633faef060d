"""Databases of an earlier commit, with a demo's rows, are migrated to this one without losing a row."""

import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.bench.before import COMMIT, checkout
from tests.config.processes import FILES, ROOT, manage, scratch_environ
from tests.config.servers import VARIABLES, made_on_server
from tests.needs import leave_out

pytestmark = pytest.mark.long
DEMO = ("demo", "--no-serve", "--json", "--use-environment")
Rows = dict[str, Counter[str]]
Read = Callable[[str], Rows]
FEWEST_TABLES = {"default": 90, "marketplace": 25}
# A permission goes with its model, and with it the record of its holders.
MAY_GO = {"auth_permission", "auth_group_permissions"}
# The one model that is gone: only its content type was still in the database.
GONE = "('model', 'budgetentry')"


@pytest.fixture
def former() -> Iterator[Path]:
    known = subprocess.run(["git", "cat-file", "-e", COMMIT], cwd=ROOT, check=False)  # noqa: S607
    if known.returncode:
        leave_out(f"this clone does not go back to {COMMIT}")
    with checkout() as tree:
        yield tree


@pytest.fixture
def servers_databases() -> Iterator[dict[str, str]]:
    with made_on_server(*VARIABLES) as urls:
        yield urls


@pytest.mark.pure
def test_upgrade_on_sqlite_loses_no_row(former: Path, tmp_path: Path) -> None:
    def read(database: str) -> Rows:
        with sqlite3.connect(tmp_path / FILES[database]) as connection:
            ask = connection.execute
            names = ask("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
            return {name: _counted(ask(f'SELECT * FROM "{name}"')) for (name,) in names.fetchall()}  # noqa: S608

    upgrade(former, scratch_environ(tmp_path), read)


@pytest.mark.needs_postgres
@pytest.mark.needs_redis
def test_upgrade_on_postgresql_loses_no_row(
    former: Path, tmp_path: Path, servers_databases: dict[str, str]
) -> None:
    def read(database: str) -> Rows:
        with psycopg.connect(servers_databases[database]) as connection:
            ask: Any = connection.execute
            names = ask("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
            return {name: _counted(ask(f'SELECT * FROM "{name}"')) for (name,) in names}  # noqa: S608

    own = {VARIABLES[database]: url for database, url in servers_databases.items()}
    keys = {name: value for name, value in os.environ.items() if name.endswith(("_KEY", "_KEYS"))}
    upgrade(former, scratch_environ(tmp_path, **keys, **own, REDIS_URL=os.environ["REDIS_URL"]), read)


def upgrade(former: Path, environ: dict[str, str], read: Read) -> None:
    command = [sys.executable, "manage.py", *DEMO]
    played = subprocess.run(command, cwd=former, env=environ, capture_output=True, text=True, check=False)
    assert played.returncode == 0, played.stderr[-4000:]
    before = {database: read(database) for database in VARIABLES}

    for database in VARIABLES:
        manage("migrate", "--database", database, environ=environ)

    for database, tables in before.items():
        after = read(database)
        lost = {
            name: [row for row in rows - after.get(name, Counter()) if GONE not in row]
            for name, rows in tables.items()
        }
        assert len([name for name, rows in tables.items() if rows]) >= FEWEST_TABLES[database] // 2
        assert {name: rows for name, rows in lost.items() if rows and name not in MAY_GO} == {}


def _counted(answer: Any) -> Counter[str]:
    """Count the rows, each with its columns' names, because columns may come in another order afterwards."""
    names = [column[0] for column in answer.description]
    return Counter(str(sorted(zip(names, map(str, row), strict=True))) for row in answer.fetchall())
