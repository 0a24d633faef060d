"""Size of each form of the product: packages, download, disk, and seconds to install from uv's cache.

Run it from the top folder: python -m tests.bench.installs --json
Environments are made in a scratch folder beside uv's cache, so that files are shared with it. A download is
the size of the wheels that uv.lock names for this Python and machine; disk is what `du` counts.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from packaging.tags import Tag, sys_tags
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).parent.parent.parent
OPTIONS: Mapping[str, list[str]] = {
    **{name: ["--only-group", name] for name in ("proxy", "marketplace", "web", "rival", "demo")},
    "everything": [],
}
MB = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description="What each group of dependencies weighs.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = {name: measure(some) for name, some in OPTIONS.items()}
    if options.json:
        print(json.dumps(found))  # noqa: T201
        return
    for name, values in found.items():
        print(f"{name:>12} {values}")  # noqa: T201


def measure(options: list[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        _uv("sync", "--quiet", "--python", sys.executable, *options, folder=folder)
        seconds = time.perf_counter() - began
        names = installed(Path(folder))
        wheels = wheel_sizes()
        return {
            "packages": len(names),
            "download_mb": round(sum(wheels[name] for name in names) / MB, 1),
            "disk_mb": round(_disk_bytes(folder) / MB, 1),
            "seconds": round(seconds, 1),
        }


def installed(environment: Path) -> list[str]:
    """Names of installed packages, spelled as the lock spells them."""
    folders = environment.glob("lib/python*/site-packages/*.dist-info")
    return [re.sub(r"[-_.]+", "-", one.stem.rpartition("-")[0]).lower() for one in folders]


def wheel_sizes() -> dict[str, int]:
    """Size of the wheel that suits this Python best, by package."""
    ranks = {tag: rank for rank, tag in enumerate(sys_tags())}
    packages = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    return {one["name"]: _best_size(one.get("wheels", []), ranks) for one in packages}


def _best_size(wheels: list[dict[str, Any]], ranks: Mapping[Tag, int]) -> int:
    ranked = [
        (ranks[tag], wheel["size"])
        for wheel in wheels
        for tag in parse_wheel_filename(unquote(wheel["url"].rpartition("/")[2]))[3]
        if tag in ranks
    ]
    return int(min(ranked)[1]) if ranked else 0


def _disk_bytes(folder: str) -> int:
    counted = subprocess.run(["du", "-s", "-B1", folder], capture_output=True, text=True, check=True)  # noqa: S607
    return int(counted.stdout.split()[0])


def _uv(*arguments: str, folder: str) -> None:
    environ = {**os.environ, "UV_PROJECT_ENVIRONMENT": folder}
    environ.pop("VIRTUAL_ENV", None)
    subprocess.run(["uv", *arguments], cwd=ROOT, env=environ, check=True)  # noqa: S607


if __name__ == "__main__":
    main()
