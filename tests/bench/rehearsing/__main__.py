"""A rehearsal of a large draft: its seconds, and how far its forecast is from a run that it has not seen.

    python -m tests.bench.rehearsing --json
    python -m tests.bench.rehearsing --items 200 --workers 40 --spec /tmp/folder  # only writes it

The run that was not seen is played alike under another seed, with other people. It tells how far chance alone
moves the figures, and nothing about how well the assumptions fit real workers.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

Report = dict[str, Any]
SEED, UNSEEN_SEED = 7, 4711


def main() -> int:
    options = read_options()
    with tempfile.TemporaryDirectory() as folder:
        own = {"DATABASE_URL": "sqlite://:memory:", "CROWD_DATA_DIR": folder}
        os.environ.update({**own, "MARKETPLACE_DATABASE_URL": "sqlite://:memory:"})
        lay()
        draft = make_draft(options.items)
        if options.spec:
            write(draft, options)
            return 0
        forecast, seconds = play(draft, options, seed=SEED, runs=options.runs)
        actual, _ = play(draft, options, seed=UNSEEN_SEED, runs=1)
    figures = {
        "items": options.items,
        "workers": options.workers,
        "seconds_each_run": round(seconds / options.runs, 1),
        "peak_mb_of_all_children": peak_mb(),
        "forecast": {name: forecast[name]["mean"] for name in ("hours", "cost", "workers")},
        "unseen": {name: actual[name]["mean"] for name in ("hours", "cost", "workers")},
        "errors": errors_of(forecast, actual),
        "nothing_lost": forecast["nothing_lost"] and actual["nothing_lost"],
    }
    sys.stdout.write(json.dumps(figures, indent=None if options.json else 2) + "\n")
    return 0 if figures["nothing_lost"] else 1


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--items", type=int, default=2_000)
    parser.add_argument("--workers", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--spec", type=Path, help="a folder into which only the rehearsal's file is written")
    return parser.parse_args()


def lay() -> None:
    import django  # noqa: PLC0415 - after the environment

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415 - as above

    call_command("migrate", verbosity=0)


def make_draft(items: int) -> Any:
    """A draft with a HIT for five items, of three places each."""
    from tests.factories import make_association, make_batch, make_study  # noqa: PLC0415 - as above

    study = make_study()
    for _ in range(items):
        make_association(study=study)
    return make_batch(study=study, hits_wanted=-(-items // 5), items_per_assignment=5, assignments_per_hit=3)


def spec_of_bench(draft: Any, options: argparse.Namespace, *, seed: int, runs: int) -> dict[str, Any]:
    from crowd.rehearsal.domain.assumptions import read_assumptions  # noqa: PLC0415 - as above
    from crowd.rehearsal.playing.specs import write_spec  # noqa: PLC0415 - as above
    from tests.factories import NOW  # noqa: PLC0415 - as above

    assumed = read_assumptions({"workers": options.workers, "runs": runs})
    return write_spec(draft, assumed=assumed, seed=seed, now=NOW)


def play(draft: Any, options: argparse.Namespace, *, seed: int, runs: int) -> tuple[Report, float]:
    from crowd.rehearsal.playing.child_process import play_apart  # noqa: PLC0415 - as above

    began = time.monotonic()
    report = play_apart(spec_of_bench(draft, options, seed=seed, runs=runs))
    return report, time.monotonic() - began


def write(draft: Any, options: argparse.Namespace) -> None:
    options.spec.mkdir(parents=True, exist_ok=True)
    Path(options.spec, "spec.json").write_text(json.dumps(spec_of_bench(draft, options, seed=SEED, runs=1)))


def errors_of(forecast: Report, actual: Report) -> dict[str, float | None]:
    from crowd.rehearsal.domain.spreads import error_of  # noqa: PLC0415 - as above

    return {
        name: error_of(forecast[name]["mean"], actual[name]["mean"]) for name in ("hours", "cost", "workers")
    }


def peak_mb() -> int:
    import resource  # noqa: PLC0415 - not on every system

    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024


if __name__ == "__main__":
    sys.exit(main())
