"""A quiet batch with ever more finished HITs: how long a reconcile takes, and a survey of all.

    python -m tests.bench.reconciling --json
    python -m tests.bench.reconciling --json --finished 10 1000

The product and the marketplace are in one process, on scratch databases of the PostgreSQL of POSTGRES_URL,
or, with --sqlite, on files.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from tests.bench.deployed import scratch_databases
from tests.bench.in_process import launch, marketplace, product

FINISHED = (10, 1_000, 10_000, 100_000)
ROUNDS = 31
MOST_RATIO = 1.5
SLICE = 5_000


@dataclass(frozen=True, kw_only=True)
class Cost:
    calls: int
    queries: int
    cpu_ms: float
    seconds: float


def main() -> int:
    options = read_options()
    with nullcontext() if options.sqlite else scratch_databases() as databases, product(databases):
        rows = measure(options.finished)
    first, last = rows[0]["quiet"], rows[-1]["quiet"]
    ratio = last["cpu_ms"] / first["cpu_ms"]
    figures = {"rows": rows, "times_as_long": round(ratio, 2)}
    sys.stdout.write(json.dumps(figures, indent=None if options.json else 2) + "\n")
    same = {(row["quiet"]["calls"], row["quiet"]["queries"]) for row in rows}
    return 0 if len(same) == 1 and ratio <= MOST_RATIO else 1


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("--finished", type=int, nargs="+", default=FINISHED, help="finished HITs, rising")
    return parser.parse_args()


def measure(numbers: Sequence[int]) -> list[dict[str, Any]]:
    """Measure with each number of finished HITs: the medians of quiet runs, and one survey."""
    rows = []
    with marketplace() as (account, calls):
        launch(account, hits_wanted=2)
        for finished in numbers:
            finish(account, upto=finished)
            analyze()
            quiet = [quiet_run(calls) for _ in range(ROUNDS)]
            middle = {name: median(getattr(run, name) for run in quiet) for name in ("cpu_ms", "seconds")}
            survey(calls)  # the first one notes what it sees
            row = {"finished": finished, "quiet": {**asdict(quiet[-1]), **middle}}
            rows.append({**row, "survey": asdict(survey(calls))})
    return rows


def analyze() -> None:
    """Update the statistics, as PostgreSQL does by itself within a minute of so many new rows."""
    from django.db import connections  # noqa: PLC0415

    for connection in connections.all():
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def quiet_run(calls: Counter[str]) -> Cost:
    """Cost of a reconcile of two open HITs, where the look at one of them is due and shows nothing new."""
    from django.utils import timezone  # noqa: PLC0415

    from hits.sync.services import reconciling  # noqa: PLC0415
    from hits.work.models.hits import HIT  # noqa: PLC0415

    now = timezone.now()
    HIT.objects.filter(pk=HIT.objects.earliest("pk").pk).update(look_at=now)
    return measured(calls, lambda: reconciling.reconcile(now=now))


def survey(calls: Counter[str]) -> Cost:
    from django.utils import timezone  # noqa: PLC0415

    from hits.sync.services import full_scan  # noqa: PLC0415

    return measured(calls, lambda: full_scan.survey(now=timezone.now(), force=True))


def measured(calls: Counter[str], act: Any) -> Cost:
    from django.db import connections  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    calls.clear()
    with CaptureQueriesContext(connections["default"]) as queries:
        began, worked = time.perf_counter(), time.process_time()
        act()
        took, worked = time.perf_counter() - began, time.process_time() - worked
    return Cost(
        calls=calls.total(), queries=len(queries), cpu_ms=round(1000 * worked, 1), seconds=round(took, 3)
    )


def finish(account: Any, *, upto: int) -> None:
    """Create HITs that are closed and reviewed on both sides, each with one approved assignment here."""
    from django.utils import timezone  # noqa: PLC0415

    from crowd.marketplace import models as market  # noqa: PLC0415
    from hits.studies.models import Batch  # noqa: PLC0415
    from hits.work.models.assignments import Assignment  # noqa: PLC0415
    from hits.work.models.hits import HIT  # noqa: PLC0415
    from tests.factories import make_worker  # noqa: PLC0415

    now = timezone.now()
    batch = Batch.objects.get()
    worker = make_worker(account=account)
    model = market.HIT.objects.earliest("pk")
    here = HIT.objects.bulk_create(
        (
            HIT(
                batch=batch,
                status="closed",
                external_id=f"DONE{number}",
                sent_at=now,
                closed_at=now,
                seen="x",
            )
            for number in range(batch.hits.count() - 2, upto)
        ),
        batch_size=SLICE,
    )
    theirs = (
        market.HIT(
            requester=model.requester,
            hit_type=model.hit_type,
            external_id=hit.external_id,
            annotation=f"crowd:{hit.public_id}",
            question=model.question,
            frame_height=0,
            max_assignments=1,
            approved=1,
            fee=0,
            created_at=now,
            expires_at=now,
            closed_at=now,
            is_reviewing=True,
        )
        for hit in here
    )
    market.HIT.objects.bulk_create(theirs, batch_size=SLICE)
    assignments = (
        Assignment(
            account=account,
            hit=hit,
            worker=worker,
            external_id=f"WORK{hit.pk}",
            attempt=1,
            status="approved",
            deadline_at=now,
            opened_at=now,
            submitted_at=now,
        )
        for hit in here
    )
    Assignment.objects.bulk_create(assignments, batch_size=SLICE)


if __name__ == "__main__":
    sys.exit(main())
