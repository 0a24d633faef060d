"""The product beside other programs, in turns: python -m tests.bench.race --json

It needs uv, a package registry, and a PostgreSQL server at POSTGRES_URL (default: postgres@127.0.0.1). It
makes scratch databases there and drops them; each program is installed in an environment of its own. One that
cannot be installed or fails is left out, with the reason.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.bench.marketplace_load import CLIENTS
from tests.bench.race import otree, psiturk, turkle
from tests.bench.race.contest import race
from tests.bench.race.ours import Ours, set_up
from tests.bench.race.report import NOTES, Report

PEERS = {peer.NAME: peer for peer in (turkle, otree, psiturk)}
SIZES = "10,1000,100000"
ROUNDS = 3
SECONDS = 540.0
RESERVED_S = 100  # for each race that is still to come
# An installation that is refused, a program that fails, and an answer that is wrong or does not come.
FAILURES = (
    pytest.skip.Exception,
    pytest.fail.Exception,
    subprocess.SubprocessError,
    AssertionError,
    OSError,
)


def main() -> None:
    options = read_options()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended early, it still ends its servers
    ends_at = time.monotonic() + options.seconds
    reports: list[Report] = []
    left_out: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder, set_up(Path(folder)) as ours:
        for number, name in enumerate(options.only, start=1):
            until = ends_at - RESERVED_S * (len(options.only) - number)
            try:
                reports.append(run(name, ours, Path(folder) / name, options=options, until=until))
            except FAILURES as reason:
                left_out[name] = str(reason)
    sys.stdout.write(as_json(reports, left_out) if options.json else as_text(reports, left_out))


def run(name: str, ours: Ours, folder: Path, *, options: argparse.Namespace, until: float) -> Report:
    peer = PEERS[name]
    folder.mkdir()
    with peer.entered(ours, sizes=options.sizes, folder=folder) as heats:
        pairs = race(heats, rounds=options.rounds, clients=options.clients, until=until)
    return Report(name=name, version=version_of(name, folder), pairs=pairs, notes=peer.NOTES)


def version_of(name: str, folder: Path) -> str:
    """Return the version of the program that was installed in the environment of this folder."""
    program = f"import importlib.metadata; print(importlib.metadata.version({name!r}))"
    command = [str(folder / "environment" / "bin" / "python"), "-c", program]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sizes", type=numbers, default=numbers(SIZES), help=f"open tasks ({SIZES})")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="after that no further round begins")
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--only", type=names, default=list(PEERS), help=",".join(PEERS))
    return parser.parse_args()


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def names(text: str) -> list[str]:
    chosen = text.split(",")
    if unknown := set(chosen) - PEERS.keys():
        raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))} is none of {', '.join(PEERS)}")
    return chosen


def as_json(reports: list[Report], left_out: dict[str, str]) -> str:
    values = {report.name: report.values() for report in reports}
    ratios = {name: ratio for report in reports for name, ratio in report.ratios().items()}
    return json.dumps({"ratios": ratios, **values, "notes": NOTES, "left_out": left_out}) + "\n"


def as_text(reports: list[Report], left_out: dict[str, str]) -> str:
    missing = [f"{name} is left out: {reason}" for name, reason in left_out.items()]
    return "\n".join([*(report.table() for report in reports), *NOTES, *missing]) + "\n"


if __name__ == "__main__":
    main()
