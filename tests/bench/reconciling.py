"""A quiet batch with ever more finished HITs: processor time of a reconcile and of a survey.

Run it from the top folder: python -m tests.bench.reconciling
"""

import sys
import time
from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import Any

from tests.bench.in_process import launch, marketplace, product

FINISHED = (10, 1_000, 10_000)
ROUNDS = 31
MOST_RATIO = 1.5


@dataclass(frozen=True, kw_only=True)
class Cost:
    calls: int
    queries: int
    milliseconds: float


def main() -> int:
    costs = []
    with product(), marketplace() as (account, calls):
        launch(account, hits_wanted=2)
        for finished in FINISHED:
            finish(account, upto=finished)
            quiet = [quiet_run(calls) for _ in range(ROUNDS)]
            costs.append(
                Cost(**{**vars(quiet[-1]), "milliseconds": median(run.milliseconds for run in quiet)})
            )
            survey(calls)  # the first one notes what it sees
            sys.stdout.write(f"{finished:>6} finished: {costs[-1]}\n")
            sys.stdout.write(f"       and a survey of all: {survey(calls)}\n")
    ratio = costs[-1].milliseconds / costs[0].milliseconds
    sys.stdout.write(f"time at {FINISHED[-1]} is {ratio:.2f} times that at {FINISHED[0]}\n")
    same = {(cost.calls, cost.queries) for cost in costs}
    return 0 if len(same) == 1 and ratio <= MOST_RATIO else 1


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
        began = time.process_time()
        act()
        took = time.process_time() - began
    return Cost(calls=calls.total(), queries=len(queries), milliseconds=round(1000 * took, 1))


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
        HIT(batch=batch, status="closed", external_id=f"DONE{number}", sent_at=now, closed_at=now, seen="x")
        for number in range(batch.hits.count() - 2, upto)
    )
    market.HIT.objects.bulk_create(
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
    Assignment.objects.bulk_create(
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


if __name__ == "__main__":
    sys.exit(main())
