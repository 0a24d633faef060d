"""The health check of a container, which loads no settings.

python -m config.tools.ask_health              # a process that serves pages
python -m config.tools.ask_health heartbeat    # one that touches the file of CROWD_HEARTBEAT
"""

import os
import sys
import time
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path

PATH = "/health/live/"
SECONDS = 4
OLDEST_S = 150  # beat rests for a minute at most


def main() -> int:
    problem = read_heartbeat() if sys.argv[1:] == ["heartbeat"] else ask()
    if problem:
        sys.stderr.write(f"{problem}\n")
    return int(bool(problem))


def ask() -> str:
    """Return what is wrong with the answer, if anything is."""
    port = int(os.environ.get("WEB_BIND", "0.0.0.0:8000").rpartition(":")[2])
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request("GET", PATH)
        status = connection.getresponse().status
    except (OSError, HTTPException) as error:
        return f"No answer: {error}"
    return "" if status == HTTPStatus.OK else f"{PATH} answers {status}."


def read_heartbeat() -> str:
    file = Path(os.environ.get("CROWD_HEARTBEAT", ""))
    try:
        age = time.time() - file.stat().st_mtime
    except OSError as error:
        return f"No sign of life: {error}"
    return f"The last sign of life is {age:.0f} seconds old." if age > OLDEST_S else ""


if __name__ == "__main__":
    sys.exit(main())
