import re
import subprocess
import tomllib
from pathlib import Path

from config.environment import KNOWN
from config.management.commands.refresh_pins import read_pins, write_block

ROOT = Path(__file__).parent.parent.parent
TOP_LEVEL = {
    "manage.py",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "justfile",
    "LICENSE",
    "crowd",
    "hits",
    "scoring",
    "qualifications",
    "config",
    "docs",
    "tests",
}
# Split, so that this file does not name what it looks for.
REGISTRY_HOSTS = re.compile(
    "|".join(["pypi" + r"\.org", "python" + "hosted", r"registry\.npm" + "js", r"deb\.deb" + "ian"])
)


def committed() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_registry_host() -> None:
    naming = [
        name for name in committed() if REGISTRY_HOSTS.search((ROOT / name).read_text(errors="replace"))
    ]

    assert naming == []


def test_top_level_is_the_fixed_one() -> None:
    found = {name.partition("/")[0] for name in committed()}

    assert {name for name in found if not name.startswith(".")} == TOP_LEVEL


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    pins = {pin.partition("==")[0] for pin in project["tool"]["uv"]["constraint-dependencies"]}
    groups = project["dependency-groups"].values()
    wanted = [name for group in groups for name in group if isinstance(name, str)]

    names = {re.split(r"[\[<>=]", name)[0] for name in wanted}

    assert project["project"]["dependencies"] == []
    assert names
    assert names - pins == set()


def test_read_pins_leaves_the_project_itself_out() -> None:
    lock = """
[[package]]
name = "django"
version = "5.2.1"
source = { registry = "somewhere" }

[[package]]
name = "crowd"
version = "0.1.0"
source = { virtual = "." }
"""

    assert read_pins(lock) == ["django==5.2.1"]
    assert write_block(["django==5.2.1"]) == 'constraint-dependencies = [\n    "django==5.2.1",\n]\n'


def test_every_setting_is_documented() -> None:
    documented = set(re.findall(r"`(CROWD_[A-Z_]+)`", (ROOT / "docs" / "settings.md").read_text()))

    assert documented == set(KNOWN)
