"""A rehearsal's own process: an environment, keys and a database that nothing else has.

They speak by files in a folder of the two. The child ends with whoever started it: its input is then closed.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from django.conf import settings

from hits.core.errors import CrowdError

# What the child takes over; none of it names a database, a key or an address of ours.
TAKEN_OVER = ("PATH", "HOME", "LANG", "VIRTUAL_ENV", "SYSTEMROOT")
IN_MEMORY = "sqlite://:memory:"
# What a report has alone if the play was refused, as a launch may be.
PROBLEM = "problem"
SPEC, PROGRESS, REPORT, WORDS = "spec.json", "progress.json", "report.json", "words.txt"
LOOKS_EACH_S = 0.1
ENDS_WITHIN_S = 5
LONGEST_WORDS = 400


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a play is: its run, and how many items are final in that, of how many."""

    run: int
    done: int
    goal: int


class ApartPlay:
    """A rehearsal that is being played in a process of its own."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._held = tempfile.TemporaryDirectory(prefix="rehearsal-")
        self._folder = Path(self._held.name)
        Path(self._folder, SPEC).write_text(json.dumps(spec))
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "play_rehearsal", str(self._folder)]
        with Path(self._folder, WORDS).open("wb") as words:
            self._process = subprocess.Popen(
                command,
                env=_environment(self._held.name),
                cwd=self._held.name,
                stdin=subprocess.PIPE,
                stdout=words,
                stderr=words,
            )

    @property
    def is_over(self) -> bool:
        return self._process.poll() is not None

    def progress(self) -> Progress | None:
        found = _read(Path(self._folder, PROGRESS))
        return Progress(**found) if found else None

    def report(self) -> dict[str, Any]:
        """Return the report of a play that is over. Raises CrowdError with its problem or its last words."""
        found = _read(Path(self._folder, REPORT))
        if self._process.returncode or found is None:
            words = Path(self._folder, WORDS).read_text(errors="replace").strip()
            last = words.splitlines()[-1] if words else "It said nothing."
            raise CrowdError(f"The rehearsal ended with {self._process.returncode}. {last[-LONGEST_WORDS:]}")
        if PROBLEM in found:
            raise CrowdError(found[PROBLEM])
        return found

    def end(self) -> None:
        """End the process if it still plays, and remove the folder."""
        if not self.is_over:
            self._process.kill()
        self._process.wait(timeout=ENDS_WITHIN_S)
        if self._process.stdin:
            self._process.stdin.close()
        self._held.cleanup()


def play_apart(
    spec: Mapping[str, Any], *, tell: Callable[[Progress], None] = lambda _: None
) -> dict[str, Any]:
    """Play in a process of its own and return the report. Raises CrowdError with what it said at its end."""
    play = ApartPlay(spec)
    try:
        while not play.is_over:
            time.sleep(LOOKS_EACH_S)
            if progress := play.progress():
                tell(progress)
        return play.report()
    finally:
        play.end()


# What the child calls.


def read_spec(folder: Path) -> dict[str, Any]:
    spec: dict[str, Any] = json.loads(Path(folder, SPEC).read_text())
    return spec


def tell_progress(folder: Path, progress: Progress) -> None:
    _write(Path(folder, PROGRESS), asdict(progress))


def tell_report(folder: Path, report: Mapping[str, Any]) -> None:
    _write(Path(folder, REPORT), report)


def end_with_parent() -> None:
    """End this process at once when the one that started it is gone."""
    Thread(target=_wait_for_end, name="parent", daemon=True).start()


def _wait_for_end() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


def _read(file: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(file.read_text())
    except FileNotFoundError:
        return None
    return found


def _write(file: Path, content: Mapping[str, Any]) -> None:
    """Write the whole file or none: who reads it meanwhile sees the one before."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(content))
    part.replace(file)


def _environment(folder: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in TAKEN_OVER if name in os.environ}
    own = {
        "CROWD_DATA_DIR": folder,
        "DATABASE_URL": IN_MEMORY,
        "MARKETPLACE_DATABASE_URL": IN_MEMORY,
        "CROWD_SENDERS": "1",
    }
    return {**kept, **own}
