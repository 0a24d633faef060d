"""A database created from the models equals one made by all migrations, to the last row."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.database_shapes import Shape, shape_of_file, shape_on_server
from tests.config.processes import FILES, manage, scratch_environ
from tests.config.servers import VARIABLES, made_on_server

# A first migration named explicitly makes the database non-empty, and so the rest is migrated.
FIRST = {"default": ("contenttypes", "0001"), "marketplace": ("marketplace", "0001")}
FEWEST = {"default": 90, "marketplace": 25}


def lay(database: str, environ: dict[str, str]) -> str:
    return manage("migrate", "--database", database, environ=environ)


def migrate(database: str, environ: dict[str, str]) -> str:
    manage("migrate", "--database", database, "--verbosity", "0", *FIRST[database], environ=environ)
    return manage("migrate", "--database", database, environ=environ)


def assert_same(laid: Shape, migrated: Shape) -> None:
    assert {name: rows ^ migrated[name] for name, rows in laid.items() if rows ^ migrated[name]} == {}
    assert laid.keys() == migrated.keys()


@pytest.fixture
def servers_databases() -> Iterator[dict[str, str]]:
    """Make two empty databases on the server that the environment names; they are dropped afterwards."""
    with made_on_server("laid", "migrated") as urls:
        yield urls


@pytest.mark.pure
@pytest.mark.parametrize("database", list(FILES))
def test_both_ways_are_the_same_on_sqlite(database: str, tmp_path: Path) -> None:
    folders = {way: tmp_path / way for way in ("laid", "migrated")}

    said = lay(database, scratch_environ(folders["laid"]))
    migrate(database, scratch_environ(folders["migrated"]))

    assert said.strip() == f"{database}: laid."
    laid, migrated = (
        shape_of_file(folder / FILES[database], database=database) for folder in folders.values()
    )
    assert len({table for kind, table, *_ in laid["schema"] if kind == "table"}) >= FEWEST[database]
    assert_same(laid, migrated)


@pytest.mark.needs_postgres
@pytest.mark.parametrize("database", list(FILES))
def test_both_ways_are_the_same_on_postgresql(
    database: str, tmp_path: Path, servers_databases: dict[str, str]
) -> None:
    keys = {name: value for name, value in os.environ.items() if name.endswith(("_KEY", "_KEYS"))}
    environs = {
        way: scratch_environ(tmp_path, **keys, **{VARIABLES[database]: url})
        for way, url in servers_databases.items()
    }

    lay(database, environs["laid"])
    migrate(database, environs["migrated"])

    laid, migrated = (shape_on_server(url, database=database) for url in servers_databases.values())
    assert len({table for table, *_ in laid["columns"]}) >= FEWEST[database]
    assert_same(laid, migrated)


@pytest.mark.pure
def test_each_database_is_asked_for_its_own_apps_only(tmp_path: Path) -> None:
    environ = scratch_environ(tmp_path)
    for database in FILES:
        migrate(database, environ) if database == "marketplace" else lay(database, environ)

    shapes = {database: shape_of_file(tmp_path / name, database=database) for database, name in FILES.items()}

    apps = {database: {app for app, _ in shape["migrations"]} for database, shape in shapes.items()}
    assert apps["marketplace"] == {"marketplace"}
    assert "marketplace" not in apps["default"]
    assert lay("marketplace", environ).strip() == "marketplace: nothing to migrate."


@pytest.mark.pure
def test_first_rows_are_never_laid_again_once_staff_have_changed_them(tmp_path: Path) -> None:
    environ = scratch_environ(tmp_path)
    lay("default", environ)
    code = "from crowd.whoops.models import Category as C; C.objects.exclude(name='Color').delete(); "
    manage("shell", "-c", code, environ=environ)

    lay("default", environ)

    shape = shape_of_file(tmp_path / FILES["default"], database="default")
    assert {name for name, _ in shape["categories"]} == {"Color"}


@pytest.mark.pure
def test_triggers_that_sqlite_lost_come_back(tmp_path: Path) -> None:
    environ = scratch_environ(tmp_path)
    lay("default", environ)
    before = shape_of_file(tmp_path / FILES["default"], database="default")
    triggers = sorted(name for kind, _, name, *_ in before["schema"] if kind == "trigger")
    drops = "; ".join(f"c.execute('DROP TRIGGER {name}')" for name in triggers)
    manage(
        "shell", "-c", f"from django.db import connection; c = connection.cursor(); {drops}", environ=environ
    )

    lay("default", environ)

    assert len(triggers) == 8
    assert all(re.search("_no_(update|delete)$", name) for name in triggers)
    assert_same(shape_of_file(tmp_path / FILES["default"], database="default"), before)


@pytest.mark.pure
@pytest.mark.parametrize("database", list(FILES))
def test_database_of_another_version_is_refused_and_left_as_it_is(database: str, tmp_path: Path) -> None:
    environ = scratch_environ(tmp_path)
    lay(database, environ)
    record = f"MigrationRecorder(connections['{database}']).record_applied('hits', '0002_what_was_before')"
    if database == "marketplace":
        record = record.replace("'hits'", "'marketplace'")
    code = "from django.db import connections; from django.db.migrations.recorder import MigrationRecorder; "
    manage("shell", "-c", code + record, environ=environ)
    before = shape_of_file(tmp_path / FILES[database], database=database)

    said = f"{database} was not migrated. Another version of this project made it."
    with pytest.raises(AssertionError, match=said):
        lay(database, environ)

    assert_same(shape_of_file(tmp_path / FILES[database], database=database), before)
