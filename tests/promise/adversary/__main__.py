"""`python -m tests.promise.adversary --runs 200 --seconds 30 --form embedded --seed 1 --log FILE.jsonl`

A second start with the same log makes only the runs that it lacks. PostgreSQL and Redis are those that the
environment names.
"""

import argparse
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.promise.adversary.plans import HARMS
from tests.promise.adversary.report import read_log, summarize, write_run
from tests.promise.adversary.runs import play_run
from tests.promise.adversary.stage import Stage, staged


def main(arguments: Sequence[str]) -> int:
    options = read_options(arguments)
    # Ended by a signal, it leaves no process and no database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    done = {(run["form"], run["seed"]) for run in read_log(options.log) if "failure" not in run}
    seeds = [
        seed for seed in range(options.seed, options.seed + options.runs) if (options.form, seed) not in done
    ]
    if seeds:
        play_runs(seeds, options=options)
    runs = read_log(options.log)
    say(summarize(runs))
    return int(any(run["differences"] for run in runs))


def read_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.promise.adversary")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--form", choices=sorted(HARMS), default="embedded")
    parser.add_argument("--seed", type=int, default=1, help="of the first run; the next ones follow it")
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="where folders of runs with differences are copied to")
    parser.add_argument("--keep-all", action="store_true", help="and those of all others")
    return parser.parse_args(arguments)


def play_runs(seeds: Sequence[int], *, options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as scratch, staged(options.form, Path(scratch) / "stage") as stage:
        for seed in seeds:
            run = play_one(stage, seed=seed, options=options)
            write_run(options.log, run)
            say(f"{options.form} {seed}: {run['differences']} differences, {run['seconds']} s")
            if options.keep and (options.keep_all or run["differences"] or "failure" in run):
                keep_folder(stage.folder, options.keep / f"{options.form}-{seed}")


def play_one(stage: Stage, *, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Play one run. A run that could not be finished does not count, and is reported as a failure."""
    try:
        return play_run(stage=stage, seed=seed, seconds=options.seconds, form=options.form)
    except AssertionError as failure:
        stage.proxy.calm()
        told = {"seed": seed, "form": options.form, "failure": str(failure)[:2000]}
        return {**told, "differences": 0, "seconds": 0}


def keep_folder(folder: Path, kept: Path) -> None:
    shutil.copytree(folder, kept, ignore=shutil.ignore_patterns("*.pipe"), dirs_exist_ok=True)


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
