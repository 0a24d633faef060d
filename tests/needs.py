"""Tests whose needs this machine lacks are skipped with a reason, never in silence."""

import os
import shutil
from typing import NoReturn

import pytest

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")


def chromium() -> str | None:
    """Path of the browser in CHROMIUM, or of Debian's: preferably without a window, twice as fast."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


def missing(item: pytest.Item) -> str | None:
    """Return why this test cannot run here, or None if it can."""
    if item.get_closest_marker("needs_postgres") and "postgres" not in os.environ.get("DATABASE_URL", ""):
        return "no PostgreSQL (set DATABASE_URL and MARKETPLACE_DATABASE_URL)"
    if item.get_closest_marker("needs_redis") and not os.environ.get("REDIS_URL"):
        return "no Redis (set REDIS_URL)"
    if item.get_closest_marker("needs_chromium") and not chromium():
        return "no Chromium (install Debian's package chromium-headless-shell)"
    if item.get_closest_marker("needs_uv") and not shutil.which("uv"):
        return "no uv (install it with pip)"
    if item.get_closest_marker("needs_tesseract") and not shutil.which("tesseract"):
        return "no Tesseract (install Debian's package tesseract-ocr)"
    return None


def leave_out_what_is_missing(item: pytest.Item) -> None:
    """Skip the test if something is missing. REQUIRE_ALL makes it an error: CI promises to run all."""
    if reason := missing(item):
        if os.environ.get("REQUIRE_ALL"):
            raise pytest.UsageError(f"REQUIRE_ALL is set, but {item.nodeid} cannot run: {reason}")
        item.add_marker(pytest.mark.skip(reason=reason))


def leave_out(reason: str) -> NoReturn:
    """Skip, or fail under REQUIRE_ALL, for a lack that only trying shows, such as an unreachable registry."""
    if os.environ.get("REQUIRE_ALL"):
        pytest.fail(f"REQUIRE_ALL is set, but: {reason}", pytrace=False)
    pytest.skip(reason)
