"""A product with encrypted copies, and a bucket that they can be sent to."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.copies.test_copies import CHANGE, MAKE, SILENT
from tests.config.copies.test_copy_places import CREDENTIALS
from tests.config.processes import lay_databases, manage, scratch_environ
from tests.config.servers import VARIABLES, made_on_server
from tests.crowd.releases.loopback_bucket import LoopbackBucket, serving_bucket


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a product's data, and beside it a key, whose public half the product has."""
    folder = tmp_path_factory.mktemp("made")
    lay_databases(folder / "data")
    environ = scratch_environ(folder / "data")
    manage("shell", "--command", MAKE, environ=environ)
    printed = manage("make_backup_key", str(folder / "key.txt"), environ=environ)
    (folder / "public.txt").write_text(printed.strip().partition("=")[2])
    return folder


@pytest.fixture
def safe_bucket() -> Iterator[LoopbackBucket]:
    with serving_bucket("safe") as served:
        yield served


@pytest.fixture
def environ(made: Path, tmp_path: Path, safe_bucket: LoopbackBucket) -> dict[str, str]:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    settings = {
        "CROWD_BACKUP_RECIPIENTS": (made / "public.txt").read_text(),
        "CROWD_BACKUP_ENDPOINT_URL": safe_bucket.url,
    }
    return scratch_environ(tmp_path / "data", **SILENT, **CREDENTIALS, **settings)


@pytest.fixture
def on_server(tmp_path: Path) -> Iterator[dict[str, str]]:
    wired = {name: value for name, value in os.environ.items() if name.startswith("CROWD_")}
    with made_on_server(*VARIABLES) as urls:
        named = {VARIABLES[alias]: url for alias, url in urls.items()}
        environ = scratch_environ(
            tmp_path / "data", **{**wired, "CROWD_DATA_DIR": str(tmp_path / "data")}, **named
        )
        for alias in VARIABLES:
            manage("migrate", "--database", alias, "--verbosity", "0", environ=environ)
        manage("shell", "--command", MAKE, environ=environ)
        manage("backup", str(tmp_path / "copy.tar"), environ=environ)
        manage("shell", "--command", CHANGE, environ=environ)
        yield environ
