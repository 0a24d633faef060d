"""A launch of many HITs: how many are sent in a second, and the memory that it takes.

    python -m tests.bench.launching --json               # this commit and the one before, in one run
    python -m tests.bench.launching --json --only now --hits 1000

Once against a provider that answers at once, in the process, so that the product alone is measured: 1,000
HITs and 10,000, each with a process and a SQLite file of its own. And against our own marketplace over HTTP,
with the product's own sender: gunicorn and scratch databases on the PostgreSQL of POSTGRES_URL. There, with
the limits that an installation has by itself, and with none.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.before import checkout
from tests.bench.deployed import environment_of, lay, scratch_databases, serving
from tests.bench.launching.sender import WARM_UP
from tests.bench.servers import ROOT, cpu_s, environment, free_port, memory_mb, migrate

# The last commit that sent four HITs at once, at twenty calls a second at most.
BEFORE = "ddf92fe0"
SIZES = (1_000, 10_000)
MOST_RATIO = 1.1
NO_LIMIT = 30_000  # calls a second: no sender comes near

Figures = dict[str, Any]


def main() -> int:
    options = read_options()
    trees: dict[str, Path] = {"now": ROOT}
    with checkout(BEFORE) if options.only != "now" else nullcontext() as before:
        if before:
            trees = {"before": before, **trees}
        rounds = [
            {name: measure(tree, options) for name, tree in trees.items()} for _ in range(options.rounds)
        ]
    figures: Figures = {name: middle([one[name] for one in rounds]) for name in trees}
    few, many = [measure_stub(size) for size in SIZES] if not options.wire else (None, None)
    if few and many:
        figures["stub"] = [few, many]
        figures["peak_ratio"] = round(many["peak_kb"] / few["peak_kb"], 3)
    sys.stdout.write(json.dumps(figures, indent=None if options.json else 2) + "\n")
    return 0 if figures.get("peak_ratio", 0) <= MOST_RATIO else 1


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", choices=("now",))
    parser.add_argument("--wire", action="store_true", help="only the form against the marketplace")
    parser.add_argument("--hits", type=int, default=SIZES[-1])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument(
        "--by-default", type=int, default=1_000, help="HITs sent at the limits of an installation"
    )
    return parser.parse_args()


def measure(tree: Path, options: argparse.Namespace) -> Figures:
    """Send HITs to the marketplace of this checkout: by its own limits, then without limits."""
    figures = {"without_limits": send(tree, options.hits, limited=False)}
    if options.by_default:
        figures["by_default"] = send(tree, options.by_default, limited=True)
    return figures


def send(tree: Path, hits: int, *, limited: bool) -> Figures:
    with tempfile.TemporaryDirectory() as folder, scratch_databases() as databases:
        port = free_port()
        environ = environment_of(Path(folder), port, databases) | {"PYTHONPATH": str(tree)}
        if not limited:
            environ |= {"CROWD_MARKETPLACE_KEY_RATE": "0"}
        lay(tree, environ)
        with serving(environ, port, tree=tree) as server:
            first_mb, first_s = memory_mb(server), cpu_s(server)
            figures = run(tree, environ, hits, *([] if limited else ["--rate", str(NO_LIMIT)]))
            return figures | {
                "marketplace_cpu_ms": round(1000 * (cpu_s(server) - first_s) / (hits + WARM_UP), 2),
                "marketplace_grew_mb": round(memory_mb(server) - first_mb, 1),
            }


def run(tree: Path, environ: dict[str, str], hits: int, *options: str) -> Figures:
    sender = str(ROOT / "tests" / "bench" / "launching" / "sender.py")
    command = [sys.executable, "-P", sender, str(hits), *options]
    told = subprocess.run(command, cwd=tree, env=environ, check=True, stdout=subprocess.PIPE, text=True)
    figures: Figures = json.loads(told.stdout.splitlines()[-1])
    return figures


def measure_stub(size: int) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        migrate(Path(folder))
        return run(ROOT, environment(Path(folder), 8000) | {"PYTHONPATH": str(ROOT)}, size, "--stub")


def middle(rounds: list[dict[str, Figures]]) -> dict[str, Figures]:
    """The medians of all rounds."""
    return {
        form: {name: median(one[form][name] for one in rounds) for name in figures}
        for form, figures in rounds[0].items()
    }


if __name__ == "__main__":
    sys.exit(main())
