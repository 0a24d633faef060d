"""`backup` and `restore` as an operator runs them: real commands, on files and on a server."""

import io
import json
import shutil
import socket
import sqlite3
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError

from config.copies.archive import check, opened
from config.copies.putting_back import problems
from tests.config.processes import FILES, ROOT, lay_databases, manage, scratch_environ

MAKE = """
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from hits.models import Account, User
from tests.factories import make_account
User.objects.create_superuser("then", password="a password")
make_account(name="Then")
default_storage.save("pictures/one.webp", ContentFile(b"a picture"))
"""
CHANGE = """
from django.core.files.storage import default_storage
from hits.models import Account
Account.objects.update(name="Since")
default_storage.delete("pictures/one.webp")
"""
LOOK = """
import json
from pathlib import Path
from django.conf import settings
from crowd.marketplace.models import Epoch as Theirs
from hits.models import Account, Epoch
account = Account.objects.get()
print(json.dumps({
    "name": account.name, "secret": account.secret_access_key,
    "epochs": [Epoch.objects.filter(confirmed_at=None).count(), Theirs.objects.count()],
    "copied": [bool(epoch.copied_at) for epoch in Epoch.objects.all()],
    "pictures": [path.name for path in Path(settings.MEDIA_ROOT).rglob("*.webp")],
}))
"""
THEN = {"name": "Then", "secret": "secret", "pictures": ["one.webp"]}
# A port that nobody serves: a demo may run on this machine while its tests do.
SILENT = {"CROWD_PUBLIC_URL": "http://127.0.0.1:9", "CROWD_MARKETPLACE_URL": "http://localhost:9"}
PUT_BACK = {**THEN, "epochs": [1, 1], "copied": [True]}


def look(environ: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(manage("shell", "--command", LOOK, environ=environ).splitlines()[-1])
    return found


def refused(*command: str, environ: dict[str, str]) -> str:
    """Run a command that must fail, and return its error output."""
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout
    return done.stderr


def name_on_files(folder: Path) -> str:
    with closing(sqlite3.connect(folder / FILES["default"])) as connection:
        (name,) = connection.execute("SELECT name FROM hits_account").fetchone()
    return str(name)


@pytest.fixture(scope="module")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a product's data, and beside it a copy from before the last change."""
    folder = tmp_path_factory.mktemp("laid")
    lay_databases(folder / "data")
    environ = scratch_environ(folder / "data")
    manage("shell", "--command", MAKE, environ=environ)
    manage("backup", str(folder / "copy.tar"), environ=environ)
    manage("shell", "--command", CHANGE, environ=environ)
    return folder


@pytest.fixture
def on_files(laid: Path, tmp_path: Path) -> dict[str, str]:
    """A product whose account was renamed since the copy, and whose picture is gone."""
    shutil.copytree(laid, tmp_path, dirs_exist_ok=True)
    return scratch_environ(tmp_path / "data", **SILENT)


@pytest.mark.pure
def test_restore_puts_rows_and_pictures_back_and_moves_aside_what_was_there(
    on_files: dict[str, str], tmp_path: Path
) -> None:
    copy, folder = tmp_path / "copy.tar", tmp_path / "data"

    assert "holds tables. Pass --replace" in refused("restore", str(copy), environ=on_files)
    assert name_on_files(folder) == "Since"
    said = manage("restore", str(copy), "--replace", environ=on_files)

    assert look(on_files) == PUT_BACK
    (aside,) = folder.glob("crowd.sqlite3.before-*[0-9]")
    aside.rename(folder / FILES["default"])
    assert name_on_files(folder) == "Since"
    assert str(aside) in said
    assert copy.stat().st_mode & 0o077 == 0


@pytest.mark.needs_postgres
def test_restore_does_so_on_a_server(on_server: dict[str, str], tmp_path: Path) -> None:
    copy = str(tmp_path / "copy.tar")

    assert "holds tables. Pass --replace" in refused("restore", copy, environ=on_server)
    said = manage("restore", copy, "--replace", environ=on_server)

    assert look(on_server) == PUT_BACK
    aside = said.partition("What was there is now schema ")[2].partition(".")[0]
    with psycopg.connect(on_server["DATABASE_URL"]) as connection:
        assert connection.execute(f"SELECT name FROM {aside}.hits_account").fetchone() == ("Since",)  # noqa: S608


@pytest.mark.needs_postgres
def test_restore_on_a_server_is_refused_or_undone_where_it_cannot_be_whole(
    on_server: dict[str, str], tmp_path: Path
) -> None:
    copy = tmp_path / "copy.tar"
    spoiled = rewritten(copy, tmp_path, name="databases/marketplace.dump", content=b"PGDMP")
    before = look(on_server)

    with psycopg.connect(on_server["DATABASE_URL"]):
        in_use = refused("restore", str(copy), "--replace", environ=on_server)
    in_the_middle = refused("restore", str(spoiled), "--replace", environ=on_server)

    assert "1 other connections to the database default are open. Stop every process" in in_use
    assert "pg_restore failed" in in_the_middle
    assert look(on_server) == before
    # And nothing that the two left behind hinders a whole restore.
    manage("restore", str(copy), "--replace", environ=on_server)
    manage("backup", str(tmp_path / "again.tar"), environ=on_server)
    manage("restore", str(tmp_path / "again.tar"), "--replace", environ=on_server)
    assert look(on_server)["name"] == "Then"


@pytest.mark.pure
def test_restore_on_a_new_machine_brings_the_keys(on_files: dict[str, str], tmp_path: Path) -> None:
    there = scratch_environ(tmp_path / "there", **SILENT)

    manage("restore", str(tmp_path / "copy.tar"), environ=there)

    assert look(there) == PUT_BACK


@pytest.mark.pure
def test_restore_without_the_keys_of_then_is_refused(on_files: dict[str, str], tmp_path: Path) -> None:
    manage("backup", str(tmp_path / "keyless.tar"), "--without-keys", environ=on_files)
    (tmp_path / "data" / "keys.json").unlink()

    said = refused("restore", str(tmp_path / "keyless.tar"), "--replace", environ=on_files)

    assert "was written with other keys: its CROWD_FIELD_KEYS" in said


@pytest.mark.pure
@pytest.mark.parametrize("only", ["default", "marketplace"])
def test_restore_of_one_side_leaves_the_other(on_files: dict[str, str], tmp_path: Path, only: str) -> None:
    manage("restore", str(tmp_path / "copy.tar"), "--replace", "--only", only, environ=on_files)

    found = look(on_files)
    expected = ("Then", [1, 0]) if only == "default" else ("Since", [0, 1])
    assert (found["name"], found["epochs"]) == expected


@pytest.mark.pure
def test_restore_is_refused_while_the_product_runs(on_files: dict[str, str], tmp_path: Path) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        environ = {**on_files, "CROWD_PUBLIC_URL": url}
        said = refused("restore", str(tmp_path / "copy.tar"), "--replace", environ=environ)

    assert f"Something answers at {url}. Stop every process" in said
    assert name_on_files(tmp_path / "data") == "Since"


def cut(path: Path, folder: Path) -> Path:
    other = folder / "cut.tar"
    other.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return other


def bent(path: Path, folder: Path) -> Path:
    """Flip one bit in the middle of the archive, which is in a database."""
    other = folder / "bent.tar"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    other.write_bytes(content)
    return other


def strange(path: Path, folder: Path) -> Path:
    return rewritten(path, folder, name="../../etc/cron.d/evil", content=b"x")


def of_a_later_format(path: Path, folder: Path) -> Path:
    return rewritten(path, folder, manifest=lambda known: known.update(format=3))


def no_copy(path: Path, folder: Path) -> Path:
    other = folder / "notes.txt"
    other.write_text("Not a copy.")
    return other


@pytest.mark.pure
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (cut, "is no whole copy"),
        (bent, "the file is damaged"),
        (strange, "does not belong into a copy"),
        (of_a_later_format, "this version reads 1 and 2"),
        (no_copy, "is no whole copy"),
    ],
)
def test_what_is_no_whole_copy_is_refused(
    laid: Path, tmp_path: Path, spoil: Callable[[Path, Path], Path], words: str
) -> None:
    spoiled = spoil(laid / "copy.tar", tmp_path)

    with pytest.raises(CommandError, match=words), opened(spoiled) as (tar, manifest):
        check(tar, manifest)


@pytest.mark.pure
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"migrations": ["hits.9999_of_later"]}, "made by another version, for it has hits.9999"),
        ({"vendor": "oracle"}, "is of oracle, and this installation runs on"),
    ],
)
def test_a_copy_of_another_version_or_form_is_refused(
    laid: Path, changes: dict[str, Any], words: str
) -> None:
    with opened(laid / "copy.tar") as (_, manifest):
        manifest.databases["default"] = replace(manifest.databases["default"], **changes)

    found = problems(manifest, aliases=["default"], replace=True, other_keys=True)

    assert words in " ".join(found)


@pytest.mark.pure
def test_a_copy_never_replaces_another_one(on_files: dict[str, str], tmp_path: Path) -> None:
    said = refused("backup", str(tmp_path / "copy.tar"), environ=on_files)

    assert "A copy never replaces another one" in said


@pytest.mark.pure
def test_copies_that_are_made_while_others_write_are_whole(on_files: dict[str, str], tmp_path: Path) -> None:
    """Two tables are written in one transaction each time: a copy has both rows or neither."""
    database = tmp_path / "data" / FILES["default"]
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript("CREATE TABLE one (n INTEGER, t TEXT); CREATE TABLE two (n INTEGER, t TEXT)")
    for number in range(3):
        with written_to(database):
            manage("backup", str(tmp_path / f"{number}.tar"), environ=on_files)

        found = tmp_path / f"{number}.sqlite3"
        with tarfile.open(tmp_path / f"{number}.tar") as tar:
            content = tar.extractfile("databases/default.sqlite3")
            assert content
            found.write_bytes(content.read())
        with closing(sqlite3.connect(found)) as copy:
            verdict = copy.execute("PRAGMA integrity_check").fetchall()
            counts = copy.execute("SELECT (SELECT count(*) FROM one), (SELECT count(*) FROM two)").fetchone()
        assert verdict == [("ok",)]
        assert counts[0] == counts[1] > 0


@contextmanager
def written_to(database: Path) -> Iterator[None]:
    done = threading.Event()

    def write() -> None:
        with closing(sqlite3.connect(database, timeout=20)) as connection:
            number = 0
            while not done.is_set():
                number += 1
                with connection:
                    for table in ("one", "two"):
                        connection.execute(f"INSERT INTO {table} VALUES (?, ?)", (number, "x" * 2000))  # noqa: S608

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        done.set()
        writer.join()


def rewritten(
    path: Path,
    folder: Path,
    *,
    name: str = "",
    content: bytes = b"",
    manifest: Callable[[dict[str, Any]], object] = dict,
) -> Path:
    """Write the archive again with another manifest, or with one more member that the manifest lists."""
    other = folder / "other.tar"
    with tarfile.open(path) as tar, tarfile.open(other, "w") as target:
        for member in tar:
            kept = tar.extractfile(member)
            assert kept
            data = kept.read()
            if member.name == "manifest.json":
                known = json.loads(data)
                manifest(known)
                if name:
                    known["files"][name] = sha256(content).hexdigest()
                    _add(target, name, content)
                data = json.dumps(known).encode()
            if member.name != name:
                _add(target, member.name, data)
    return other


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    about = tarfile.TarInfo(name)
    about.size = len(content)
    tar.addfile(about, io.BytesIO(content))
