"""The sixth family that the documentation spells out can be installed and runs from a file to majorities."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

pytestmark = pytest.mark.pure
ROOT = Path(settings.BASE_DIR)
PAGE = ROOT / "docs" / "adding-a-family.md"
BLOCK = re.compile(r"^`([\w/]+\.\w+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The one line of registration would do the same; the package is found beside those of the tree.
SETTINGS = """\
import sys
from pathlib import Path

import crowd
from config.settings import *

crowd.__path__.append(str(Path(__file__).parent / "crowd"))
INSTALLED_APPS = [*INSTALLED_APPS, "crowd.cheer"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in BLOCK.findall(PAGE.read_text()):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for package in ("crowd/cheer", "crowd/cheer/migrations"):
        (tmp_path / package).mkdir(exist_ok=True)
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "with_cheer.py").write_text(SETTINGS)
    return tmp_path


def run(folder: Path, *command: str) -> str:
    environ = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "with_cheer",
        "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
        "CROWD_DATA_DIR": str(folder / "data"),
    }
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_page_has_a_whole_family(folder: Path) -> None:
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.stat().st_size}

    assert files >= {"crowd/cheer/domain.py", "crowd/cheer/family.py", "crowd/cheer/task.py"}
    lines = sum(len(path.read_text().splitlines()) for path in (folder / "crowd").rglob("*.*"))
    assert lines < 200


def test_family_of_the_page_runs_from_a_file_to_what_most_say(folder: Path) -> None:
    run(folder, "-m", "django", "makemigrations", "cheer")
    test = folder / "tests/crowd/cheer/test_cheer.py"

    told = run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(test))

    assert "2 passed" in told
