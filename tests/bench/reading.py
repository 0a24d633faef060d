"""1,001 assignments of one batch, submitted without a notice to us: are all read, and in how many calls?

Run it from the top folder: python -m tests.bench.reading
"""

import sys
import time
from collections import Counter
from typing import Any

from tests.bench.in_process import launch, marketplace, product

WORK = 1001
SHAPES: dict[str, dict[str, Any]] = {
    "one HIT": {"assignments_per_hit": WORK, "sharding": "whole"},
    "143 HITs": {"assignments_per_hit": 7, "hits_wanted": 143},
}


def main() -> int:
    whole = True
    with product():
        for name, terms in SHAPES.items():
            with marketplace() as (account, calls):
                launch(account, **terms)
                hand_in()
                for when in ("new", "known"):
                    calls.clear()
                    seconds, here = read(account)
                    whole &= here == WORK
                    sys.stdout.write(line(f"{name}, {when}", here, seconds, calls))
    return 0 if whole else 1


def line(name: str, here: int, seconds: float, calls: Counter[str]) -> str:
    counted = ", ".join(f"{count} {operation}" for operation, count in calls.items())
    return f"{name:<16} {here} of {WORK} here after {seconds:.1f} s of processor: {counted}\n"


def hand_in() -> None:
    """Submit assignments at the marketplace alone, by a worker for each place."""
    from datetime import timedelta  # noqa: PLC0415

    from django.utils import timezone  # noqa: PLC0415

    from crowd.marketplace.models import HIT, Assignment  # noqa: PLC0415
    from crowd.marketplace.models.parties import Worker  # noqa: PLC0415
    from crowd.marketplace.questions import write_answer  # noqa: PLC0415

    now = timezone.now()
    answer = write_answer([("answer", "nothing we could have sent")])
    for hit in HIT.objects.filter(submitted=0):
        people = [Worker.objects.create(name="Reader", created_at=now) for _ in range(hit.max_assignments)]
        Assignment.objects.bulk_create(
            Assignment(
                hit=hit,
                worker=worker,
                attempt=1,
                status="Submitted",
                accepted_at=now,
                deadline_at=now + timedelta(hours=1),
                submitted_at=now,
                auto_approval_at=now + timedelta(days=3),
                answer=answer,
            )
            for worker in people
        )
        HIT.objects.filter(pk=hit.pk).update(submitted=len(people), closed_at=now)


def read(account: Any) -> tuple[float, int]:
    """Read all HITs as if each were open here and due. Returns seconds and submitted assignments."""
    from django.utils import timezone  # noqa: PLC0415

    from hits.sync.services import reconciling  # noqa: PLC0415
    from hits.work.models.assignments import Assignment  # noqa: PLC0415
    from hits.work.models.hits import HIT  # noqa: PLC0415

    now = timezone.now()
    HIT.objects.filter(batch__account=account).update(status="open", look_at=now)
    began = time.process_time()
    while reconciling.reconcile(now=now):
        pass
    seconds = time.process_time() - began
    return seconds, Assignment.objects.filter(account=account, status="submitted").count()


if __name__ == "__main__":
    sys.exit(main())
