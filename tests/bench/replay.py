"""A recording of 100,000 associations, and one of 10,000: the time, and the memory at its peak.

    python -m tests.bench.replay --json
    python -m tests.bench.replay --json --before      # the large one by the commit before as well

Each replay has a process and a SQLite file of its own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.bench.before import checkout
from tests.bench.deployed import lay
from tests.bench.servers import ROOT, environment
from tests.crowd.winogavil.replaying.recordings import write_many

FEW, MANY = 10_000, 100_000
MOST_S = 180
MOST_RATIO = 1.25
SEED = 7
# The last commit that made an instance of each place.
BEFORE = "ddf92fe0"


@dataclass(frozen=True, kw_only=True)
class Cost:
    associations: int
    seconds: float
    cpu_s: float
    peak_mb: float


def main() -> int:
    options = read_options()
    with checkout(BEFORE) if options.before else nullcontext() as before:
        figures = {"before": replay(options.associations, before)} if before else {}
    few = replay(FEW, ROOT)
    figures["now"] = replay(options.associations, ROOT)
    ratio = figures["now"].peak_mb / few.peak_mb
    costs = {name: asdict(cost) for name, cost in {"few": few, **figures}.items()}
    told = {**costs, "peak_ratio": round(ratio, 2)}
    sys.stdout.write(json.dumps(told, indent=None if options.json else 2) + "\n")
    return 0 if figures["now"].seconds <= MOST_S and ratio <= MOST_RATIO else 1


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--before", action="store_true")
    parser.add_argument("--associations", type=int, default=MANY)
    return parser.parse_args()


def replay(number: int, tree: Path) -> Cost:
    """Cost of a replay by this checkout, in a process and a database of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch)
        (data / "static").mkdir()
        environ = environment(data, 8000) | {"PYTHONPATH": str(tree)}
        lay(tree, environ)
        folder = write_many(data / "recording", associations=number, seed=SEED)
        command = [sys.executable, "manage.py", "replay", "winogavil", str(folder), "--json"]
        process = subprocess.Popen(command, cwd=tree, env=environ, stdout=subprocess.PIPE)
        assert process.stdout
        printed = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"The replay ended with {process.returncode}.")
    report: dict[str, Any] = json.loads(printed)
    if report["associations"] != number:
        raise SystemExit(f"It should have replayed {number}: {report}")
    return Cost(
        associations=number,
        seconds=report["seconds"],
        cpu_s=round(used.ru_utime + used.ru_stime, 1),
        peak_mb=round(used.ru_maxrss / 1024, 1),
    )


if __name__ == "__main__":
    sys.exit(main())
