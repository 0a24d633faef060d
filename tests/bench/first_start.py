"""What a newcomer waits for: laying both databases, the demo's first page and its first result.

    python -m tests.bench.first_start --json            # this commit and the one before, in one run
    python -m tests.bench.first_start --json --only now

Processor seconds of `migrate` hold the interpreter's start, which is shown beside them.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from tests.bench.before import checkout
from tests.bench.servers import ROOT, environment, free_port

DATABASES = ("default", "marketplace")
PATIENCE_S = 900
# The demo's progress bars, whose first number counts the results of its play.
RESULT = re.compile(rb" ([1-9]\d*)/\d+")


def measure(tree: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="crowd-start-") as folder:
        environ = environment(Path(folder), free_port())
        laid = [
            _processor_s(_manage("migrate", "--verbosity=0", "--database", name), tree, environ)
            for name in DATABASES
        ]
        start = _processor_s([sys.executable, "-c", "import django; django.setup()"], tree, environ)
        return {
            "lay_cpu_s": round(sum(laid), 1),
            "of_it_start_up_cpu_s": round(2 * start, 1),
            **_play(tree),
        }


def _manage(*command: str) -> list[str]:
    return [sys.executable, "manage.py", *command]


def _processor_s(command: Sequence[str], tree: Path, environ: dict[str, str]) -> float:
    before = os.times()
    environ = {**environ, "DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONPATH": "."}
    subprocess.run(command, cwd=tree, env=environ, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _play(tree: Path) -> dict[str, float]:
    """Seconds from the command to the first page that answers, and to the first result of the play."""
    port, began = free_port(), time.monotonic()
    with _demo(tree, port) as said:
        page = result = 0.0
        while not (page and result):
            assert time.monotonic() < began + PATIENCE_S, "The demo has brought nothing."
            page = page or (_answers(port) and time.monotonic() - began) or 0.0
            said.seek(0)
            result = result or (RESULT.search(said.read()) and time.monotonic() - began) or 0.0
            time.sleep(0.1)
    return {"first_page_s": round(page, 1), "first_result_s": round(result, 1)}


@contextmanager
def _demo(tree: Path, port: int) -> Iterator[IO[bytes]]:
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            _manage("demo", "--port", str(port)), cwd=tree, stdout=said, stderr=said, start_new_session=True
        )
        try:
            yield said
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(timeout=60)


def _answers(port: int) -> bool:
    try:
        with build_opener(ProxyHandler({})).open(f"http://127.0.0.1:{port}/health/", timeout=5) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", choices=("now", "before"))
    options = parser.parse_args()
    figures = {}
    if options.only != "now":
        with checkout() as tree:
            figures["before"] = measure(tree)
    if options.only != "before":
        figures["now"] = measure(ROOT)
    print(json.dumps(figures, indent=None if options.json else 2))  # noqa: T201


if __name__ == "__main__":
    main()
