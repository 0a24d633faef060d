"""A strength file of two million rows, and one of a tenth: python -m tests.bench.swow --json

Each is imported by a process of its own, whose memory is measured when it ends. The memory of an import does
not grow with the file; the database does, so the rate falls a little. Then instances are drawn from the list,
for three thousand concepts.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import struct_rusage
from typing import Any

from tests.bench.servers import ROOT, environment
from tests.qualifications.files import make_rows, write_strengths

ROWS = 2_000_000
PART = 10
DRAW = """
import json, time
from qualifications.queries.association_graph import associations_of, ready_list
from qualifications.services.instance_generation import generate_challenging, generate_instances, related_set
from random import Random
from tests.qualifications.files import word
swow = ready_list("{name}")
concepts = [word(number) for number in range(3000)]
count = min(1200, swow.cues_count // 4)
shared = dict(swow=swow, concepts=concepts)
acts = {{
    "instances_s": lambda: generate_instances(**shared, size=6, count=count, seed=1),
    "challenging_s": lambda: generate_challenging(**shared, size=5, count=10, seed=1),
    "related_set_s": lambda: related_set(**shared, size=10, rng=Random(1)),
    "associations_of_s": lambda: associations_of(swow=swow, word=word(7), limit=50),
}}
taken = {{"instances": count}}
for name, act in acts.items():
    began = time.perf_counter()
    act()
    taken[name] = round(time.perf_counter() - began, 4)
print(json.dumps(taken))
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description="How fast a list of associations comes in, and what it takes."
    )
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--use-environment", action="store_true", help="the databases that are configured")
    options = parser.parse_args()
    small = measure(options.rows // PART, use_environment=options.use_environment)
    large = measure(options.rows, use_environment=options.use_environment)
    found = {"small": small, "large": large, "memory_ratio": round(large["peak_mb"] / small["peak_mb"], 3)}
    if options.json:
        print(json.dumps(found))  # noqa: T201
    else:
        for name, value in found.items():
            print(f"{name:>14} {value}")  # noqa: T201


def measure(rows: int, *, use_environment: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        environ = dict(os.environ) if use_environment else environment(Path(folder), 8000)
        path = write_strengths(Path(folder) / "strength.csv", make_rows(rows, seed=rows))
        manage("migrate", "--verbosity=0", environ=environ)
        printed, usage = manage("import_swow", str(path), f"--name=bench-{rows}", "--json", environ=environ)
        drawing = DRAW.format(name=f"bench-{rows}")
        drawn, _ = manage("shell", "--no-imports", "--command", drawing, environ=environ)
        size_mb = path.stat().st_size / 2**20
    report = json.loads(printed)
    if (report["status"], report["rows"], report["bad_lines"]) != ("ready", rows, 0):
        sys.exit(f"Not every row came in: {report}")
    return {
        "rows": rows,
        "file_mb": round(size_mb, 1),
        "words": report["words"],
        "cues": report["cues"],
        "seconds": report["seconds"],
        "rows_a_second": round(rows / report["seconds"]),
        "rows_a_second_of_processor": round(rows / (usage.ru_utime + usage.ru_stime)),
        "peak_mb": round(usage.ru_maxrss / 1024, 1),
        **json.loads(drawn),
    }


def manage(*command: str, environ: dict[str, str]) -> tuple[str, struct_rusage]:
    """Run a command. Returns what it printed, and the resources that it used."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", *command], cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True
    )
    with process, process.stdout or sys.stdin as output:
        printed = output.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}.")
    return printed, usage


if __name__ == "__main__":
    main()
