"""Lines to paste into another terminal: each command finds the data and the addresses of this process."""

import os
import shlex
from collections.abc import Mapping
from importlib.util import find_spec

PLACES = ("CROWD_DATA_DIR", "CROWD_PUBLIC_URL", "CROWD_MARKETPLACE_URL", "CROWD_MARKETPLACE_FEES")
# They hold passwords and keys, so that only their names are printed.
SECRET = (
    "DATABASE_URL",
    "MARKETPLACE_DATABASE_URL",
    "CROWD_SECRET_KEY",
    "CROWD_FIELD_KEYS",
    "CROWD_PSEUDONYM_KEYS",
    "CROWD_TOKEN_KEYS",
    "CROWD_MARKETPLACE_KEYS",
)


def next_command(command: str, *, environ: Mapping[str, str] = os.environ) -> str:
    """The whole line that runs this command of manage.py with the same settings."""
    settings = "".join(f"{name}={shlex.quote(environ[name])} " for name in PLACES if name in environ)
    # Without the researchers' packages, a bare `uv run` would first install them.
    group = "" if find_spec("rest_framework") else "--only-group marketplace "
    return f"{settings}uv run {group}manage.py {command}"


def name_secrets(*, environ: Mapping[str, str] = os.environ) -> str:
    """A sentence about the settings that are too secret to be printed; empty if none is set."""
    names = [name for name in SECRET if name in environ]
    return f"Both need {' and '.join(names)} as set here." if names else ""
