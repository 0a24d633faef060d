"""A drill says whether a copy can be relied on, and changes nothing, on files and on a server."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.config.copies.test_copies import SILENT, refused
from tests.config.processes import FILES, manage, scratch_environ

PREPARE = """
from decimal import Decimal
from crowd.provisioning import provision
from tests.factories import make_picture, make_study
provision(requester="drilled", deposit=Decimal(10), workers=2)
make_study()
make_picture()
"""
LAST = """
from config.copies.copy_records import last_copy, last_drill
print(last_copy() is not None, last_drill() is not None)
"""
SPOILED = {
    "our ledger": ("default", "UPDATE hits_study SET budget = 1"),
    "our sealed columns": ("default", "UPDATE hits_account SET secret_access_key = 'c2VhbGVk'"),
    "marketplace's ledger": ("marketplace", "UPDATE marketplace_requester SET available = available - 0.01"),
    "marketplace's secrets": (
        "marketplace",
        "UPDATE marketplace_accesskey SET secret_sealed = 'c2VhbGVk'",
    ),
    "pictures": ("default", "UPDATE pictures_picture SET file = 'pictures/gone.webp'"),
    "database default": ("default", "UPDATE pictures_picture SET checked_by_id = 99"),
}


@pytest.fixture(scope="module")
def prepared(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drilled") / "data"
    shutil.copytree(made / "data", folder)
    manage("shell", "--command", PREPARE, environ=scratch_environ(folder))
    return folder


@pytest.fixture
def drilled(prepared: Path, tmp_path: Path) -> dict[str, str]:
    shutil.copytree(prepared, tmp_path / "data")
    return scratch_environ(tmp_path / "data", **SILENT)


def last(environ: dict[str, str]) -> str:
    return manage("shell", "--no-imports", "--command", LAST, environ=environ).splitlines()[-1]


@pytest.mark.pure
def test_a_drill_says_that_a_copy_can_be_relied_on(drilled: dict[str, str], tmp_path: Path) -> None:
    copy, there = str(tmp_path / "copy.tar"), scratch_environ(tmp_path / "there", **SILENT)
    before = last(drilled)
    manage("backup", copy, environ=drilled)
    copied = last(drilled)

    here = manage("restore", copy, "--drill", environ=drilled)
    elsewhere = manage("restore", copy, "--drill", environ=there)

    assert (before, copied, last(drilled)) == ("False False", "True False", "True True")
    for said, keys in ((here, "those of today"), (elsewhere, "those in the copy")):
        assert "This copy can be relied on." in said
        assert "FAIL" not in said
        assert f"keys                   {keys}" in said
        assert "age of default         0 minutes" in said
        assert "1 pictures with their digests" in said
    with closing(sqlite3.connect(tmp_path / "there" / FILES["default"])) as untouched:
        assert untouched.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    assert not list((tmp_path / "there").glob(".restore-*"))


@pytest.mark.pure
@pytest.mark.parametrize("name", list(SPOILED))
def test_a_drill_names_what_cannot_be_relied_on(drilled: dict[str, str], tmp_path: Path, name: str) -> None:
    alias, statement = SPOILED[name]
    with closing(sqlite3.connect(tmp_path / "data" / FILES[alias])) as database, database:
        assert database.execute(statement).rowcount > 0
    manage("backup", str(tmp_path / "copy.tar"), environ=drilled)

    said = refused("restore", str(tmp_path / "copy.tar"), "--drill", environ=drilled)

    assert "This copy cannot be relied on: 1 checks failed." in said
    assert last(drilled) == "True False"


@pytest.mark.needs_postgres
def test_a_drill_on_a_server_leaves_no_database_behind(on_server: dict[str, str], tmp_path: Path) -> None:
    copy = str(tmp_path / "copy.tar")

    said = manage("restore", copy, "--drill", environ=on_server)

    assert "This copy can be relied on." in said
    with psycopg.connect(on_server["DATABASE_URL"]) as server:
        (name,) = server.execute("SELECT name FROM hits_account").fetchone() or ("",)
        left = server.execute("SELECT datname FROM pg_database WHERE datname LIKE 'crowd_drill_%'").fetchall()
    assert (name, left) == ("Since", [])
