"""Tests whose needs this machine lacks are skipped with a reason, never in silence."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

# Programs that make a clean Debian machine in a folder, and the packages that have them.
MACHINES = {"buildah": "buildah", "debootstrap": "debootstrap", "ip": "iproute2"}
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")


def chromium() -> str | None:
    """Path of the browser in CHROMIUM, or of Debian's: preferably without a window, twice as fast."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


def oidc_provider() -> Path | None:
    """Folder of the npm package, if it and node are there."""
    folder = Path(os.environ.get("OIDC_PROVIDER", "/nowhere")) / "node_modules" / "oidc-provider"
    return folder if shutil.which("node") and folder.exists() else None


def _is_postgres() -> bool:
    return "postgres" in os.environ.get("DATABASE_URL", "")


def _program(name: str) -> Callable[[], object]:
    return lambda: shutil.which(name)


# For each marker: whether what it needs is here, and what to say if not.
NEEDS: dict[str, tuple[Callable[[], object], str]] = {
    "needs_postgres": (_is_postgres, "no PostgreSQL (set DATABASE_URL and MARKETPLACE_DATABASE_URL)"),
    "needs_redis": (lambda: os.environ.get("REDIS_URL"), "no Redis (set REDIS_URL)"),
    "needs_chromium": (chromium, "no Chromium (install Debian's package chromium-headless-shell)"),
    "needs_uv": (_program("uv"), "no uv (install it with pip)"),
    "needs_prometheus": (_program("promtool"), "no Prometheus (install Debian's package prometheus)"),
    "needs_tesseract": (_program("tesseract"), "no Tesseract (install Debian's package tesseract-ocr)"),
    "needs_machines": (
        lambda: all(map(shutil.which, MACHINES)),
        f"no clean machine (install Debian's packages {', '.join(MACHINES.values())})",
    ),
    "needs_oidc_provider": (
        oidc_provider,
        "no oidc-provider (npm install oidc-provider, and name the folder in OIDC_PROVIDER)",
    ),
}
# CI installs nothing from npm, and no tools that make machines.
NEVER_REQUIRED = ("needs_machines", "needs_oidc_provider")


def missing(item: pytest.Item) -> str | None:
    """Return why this test cannot run here, or None if it can."""
    return next((words for marker, words in _lacking(item)), None)


def _lacking(item: pytest.Item) -> Iterator[tuple[str, str]]:
    for marker, (is_here, words) in NEEDS.items():
        if item.get_closest_marker(marker) and not is_here():
            yield marker, words


def leave_out_what_is_missing(item: pytest.Item) -> None:
    """Skip the test if something is missing. REQUIRE_ALL makes it an error: CI promises to run all."""
    for marker, reason in _lacking(item):
        if os.environ.get("REQUIRE_ALL") and marker not in NEVER_REQUIRED:
            raise pytest.UsageError(f"REQUIRE_ALL is set, but {item.nodeid} cannot run: {reason}")
        item.add_marker(pytest.mark.skip(reason=reason))


def leave_out(reason: str) -> NoReturn:
    """Skip, or fail under REQUIRE_ALL, for a lack that only trying shows, such as an unreachable registry."""
    if os.environ.get("REQUIRE_ALL"):
        pytest.fail(f"REQUIRE_ALL is set, but: {reason}", pytrace=False)
    pytest.skip(reason)
