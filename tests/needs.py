"""What a machine may lack, and what is said about it. Nothing is left out in silence."""

import os
import shutil
from typing import NoReturn

import pytest

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")


def chromium() -> str | None:
    """Whichever browser CHROMIUM names, or Debian's: without a window it needs half the time."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


def missing(item: pytest.Item) -> str | None:
    """Why this test cannot run here; None if it can."""
    if item.get_closest_marker("needs_postgres") and "postgres" not in os.environ.get("DATABASE_URL", ""):
        return "no PostgreSQL (set DATABASE_URL and MARKETPLACE_DATABASE_URL)"
    if item.get_closest_marker("needs_redis") and not os.environ.get("REDIS_URL"):
        return "no Redis (set REDIS_URL)"
    if item.get_closest_marker("needs_chromium") and not chromium():
        return "no Chromium (install Debian's package chromium-headless-shell)"
    if item.get_closest_marker("needs_uv") and not shutil.which("uv"):
        return "no uv (install it with pip)"
    return None


def leave_out_what_is_missing(item: pytest.Item) -> None:
    """REQUIRE_ALL makes a lack a failure: CI promises that everything was there."""
    if reason := missing(item):
        if os.environ.get("REQUIRE_ALL"):
            raise pytest.UsageError(f"REQUIRE_ALL is set, but {item.nodeid} cannot run: {reason}")
        item.add_marker(pytest.mark.skip(reason=reason))


def leave_out(reason: str) -> NoReturn:
    """For what only trying tells, such as whether a registry is reached."""
    if os.environ.get("REQUIRE_ALL"):
        pytest.fail(f"REQUIRE_ALL is set, but: {reason}", pytrace=False)
    pytest.skip(reason)
