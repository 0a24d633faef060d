"""The server of a demo: the product, started as a user would start it."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings

from config.logs import count_troubles
from config.processes import wait_until_healthy
from crowd.demo.acts import log_path
from hits.common.supervising import held_back, start_afresh

# Prefix of the folder of a demo with its own databases; the demo removes it at its end.
SCRATCH = "crowd-demo-"
END_S = 30


@contextmanager
def served(meanwhile: Callable[[], None] = lambda: None) -> Iterator[subprocess.Popen[bytes]]:
    """Serve the product, started as a user would start it. Its log outlives a demo that met an error."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve"]
    process: subprocess.Popen[bytes] | None = None
    is_well = False
    try:
        with log_path().open("ab") as log, held_back(signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=start_afresh)  # noqa: PLW1509
        _tell(f"The servers' log is {log_path()}")
        meanwhile()
        wait_until_healthy(process)
        yield process
        is_well = True
    except KeyboardInterrupt:
        is_well = True
        raise
    finally:
        if process:
            _end(process)
        keep_log(is_well=is_well)


def keep_log(*, is_well: bool) -> None:
    """Keep a log that explains an error: move it out of the scratch folder, and print its path."""
    log = log_path()
    troubles = count_troubles(log)
    if is_well and not troubles:
        return
    if settings.DATA_DIR.name.startswith(SCRATCH):
        log = log.replace(f"{settings.DATA_DIR}.log")
        log.chmod(0o600)  # the folder was its owner's alone
    _tell(f"{_errors(troubles)} on the way. The servers' log is kept: {log}")


def _errors(count: int) -> str:
    return "Something went wrong" if not count else "1 error" if count == 1 else f"{count} errors"


def _tell(words: str) -> None:
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop the server; the processes it started end with it."""
    process.terminate()
    try:
        process.wait(timeout=END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
