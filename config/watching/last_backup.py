"""When the last backup was made with this data folder, as far as a file there tells."""

import time
from pathlib import Path

from django.conf import settings


def note() -> None:
    _sign().touch()


def seconds_ago() -> float | None:
    """Return the age of the last backup; None if none was made here, whatever is done elsewhere."""
    try:
        return max(0.0, time.time() - _sign().stat().st_mtime)
    except OSError:
        return None


def _sign() -> Path:
    return Path(settings.DATA_DIR) / "last-backup"
