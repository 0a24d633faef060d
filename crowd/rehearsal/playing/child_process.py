"""A rehearsal's own process: an environment, keys and a database that nothing else has."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from hits.core.errors import CrowdError

# What the child takes over; none of it names a database, a key or an address of ours.
TAKEN_OVER = ("PATH", "HOME", "LANG", "VIRTUAL_ENV", "SYSTEMROOT")
IN_MEMORY = "sqlite://:memory:"


def play_apart(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Play in a process of its own and return the report. Raises CrowdError with what it said at its end."""
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as folder:
        file = Path(folder, "spec.json")
        file.write_text(json.dumps(spec))
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "play_rehearsal", str(file)]
        done = subprocess.run(
            command, env=_environment(folder), cwd=folder, stdout=subprocess.PIPE, text=True, check=False
        )
    if done.returncode:
        raise CrowdError(f"The rehearsal ended with {done.returncode}. Its last words stand above.")
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


def _environment(folder: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in TAKEN_OVER if name in os.environ}
    own = {
        "CROWD_DATA_DIR": folder,
        "DATABASE_URL": IN_MEMORY,
        "MARKETPLACE_DATABASE_URL": IN_MEMORY,
        "CROWD_SENDERS": "1",
    }
    return {**kept, **own}
