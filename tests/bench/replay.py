"""A recording of 100,000 associations, and one of 10,000: the time, and the memory at its peak.

Run it from the top folder: python -m tests.bench.replay
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.servers import ROOT, environment, migrate
from tests.crowd.winogavil.replaying.recordings import write_many

FEW, MANY = 10_000, 100_000
MOST_S = 600
MOST_RATIO = 1.25
SEED = 7


@dataclass(frozen=True, kw_only=True)
class Cost:
    associations: int
    seconds: float
    peak_mb: float


def main() -> int:
    costs = [replay(number) for number in (FEW, MANY)]
    for cost in costs:
        sys.stdout.write(
            f"{cost.associations:>7,} associations: {cost.seconds:.1f} s, {cost.peak_mb:.0f} MB at the peak\n"
        )
    ratio = costs[-1].peak_mb / costs[0].peak_mb
    sys.stdout.write(f"memory at {MANY:,} is {ratio:.2f} times that at {FEW:,}\n")
    return 0 if costs[-1].seconds <= MOST_S and ratio <= MOST_RATIO else 1


def replay(number: int) -> Cost:
    """Cost of a replay in a process and a database of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch)
        migrate(data)
        folder = write_many(data / "recording", associations=number, seed=SEED)
        command = [sys.executable, "manage.py", "replay", "winogavil", str(folder), "--json"]
        process = subprocess.Popen(command, cwd=ROOT, env=environment(data, 8000), stdout=subprocess.PIPE)
        assert process.stdout
        printed = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"The replay ended with {process.returncode}.")
    report: dict[str, Any] = json.loads(printed)
    if report["associations"] != number:
        raise SystemExit(f"It should have replayed {number}: {report}")
    return Cost(associations=number, seconds=report["seconds"], peak_mb=used.ru_maxrss / 1024)


if __name__ == "__main__":
    sys.exit(main())
