import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

BLOCK = re.compile(r"^constraint-dependencies = \[\n.*?^\]\n", re.MULTILINE | re.DOTALL)


class Command(BaseCommand):
    help = "Resolves every dependency again with uv and writes the versions into pyproject.toml."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Resolve and write the pins.

        Git ignores the lock file, which names addresses; only versions are kept.
        """
        project: Path = settings.BASE_DIR / "pyproject.toml"
        text = project.read_text()
        project.write_text(BLOCK.sub(write_block([]), text))
        try:
            subprocess.run(["uv", "lock", "--upgrade"], cwd=settings.BASE_DIR, check=True)  # noqa: S607
        except (OSError, subprocess.CalledProcessError):
            project.write_text(text)
            raise
        pins = read_pins((settings.BASE_DIR / "uv.lock").read_text())
        project.write_text(BLOCK.sub(write_block(pins), text))
        self.stdout.write(f"{len(pins)} versions pinned. Run `uv sync` and the tests.")


def read_pins(lock: str) -> list[str]:
    """Every package that uv resolved, by exact version; the project itself is not one."""
    packages = tomllib.loads(lock)["package"]
    return sorted(
        f"{package['name']}=={package['version']}"
        for package in packages
        if "virtual" not in package.get("source", {})
    )


def write_block(pins: list[str]) -> str:
    lines = "".join(f'    "{pin}",\n' for pin in pins)
    return f"constraint-dependencies = [\n{lines}]\n"
