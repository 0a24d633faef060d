"""The daily match of an account with ever more closed and matched HITs, and its cost.

Run it from the top folder: python -m tests.bench.matching
"""

import sys
import time
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from statistics import median
from typing import Any

from tests.bench.in_process import marketplace, product

FINISHED = (10, 1_000, 10_000)
ROUNDS = 5
ROTATION = 10  # so that the smallest account has as many to look at as the largest
MOST_RATIO = 3


@dataclass(frozen=True, kw_only=True)
class Cost:
    calls: int
    queries: int
    milliseconds: float


def main() -> int:
    costs = []
    with product(), marketplace() as (account, calls):
        from hits.payments.services import three_way_match  # noqa: PLC0415

        three_way_match.ROTATION = ROTATION
        for finished in FINISHED:
            finish(account, upto=finished)
            match(account, Counter())  # the first one carries the sums over
            runs = [match(account, calls) for _ in range(ROUNDS)]
            costs.append(Cost(**{**vars(runs[-1]), "milliseconds": median(run.milliseconds for run in runs)}))
            sys.stdout.write(f"{finished:>6} finished: {costs[-1]}\n")
    ratio = costs[-1].milliseconds / costs[0].milliseconds
    sys.stdout.write(f"time at {FINISHED[-1]} is {ratio:.2f} times that at {FINISHED[0]}\n")
    same = {(cost.calls, cost.queries) for cost in costs}
    return 0 if len(same) == 1 and ratio <= MOST_RATIO else 1


def match(account: Any, calls: Counter[str]) -> Cost:
    """Cost of one daily match, from start to end."""
    from django.db import connections  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from hits.payments.services import three_way_match  # noqa: PLC0415
    from hits.providers.gateway.registry import provider_for  # noqa: PLC0415

    calls.clear()
    provider = provider_for(account)
    with CaptureQueriesContext(connections["default"]) as queries:
        began = time.process_time()
        done = three_way_match.match_account(
            account=account, provider=provider, full=False, by=None, now=timezone.now()
        )
        took = time.process_time() - began
    if done.status != "done" or done.tries != 1 or account.differences.exists():
        raise SystemExit(f"It should have agreed: {done.status}, {done.problem}, {done.figures}")
    return Cost(calls=calls.total(), queries=len(queries), milliseconds=round(1000 * took, 1))


def finish(account: Any, *, upto: int) -> None:
    """Create HITs that both sides closed and booked long ago, with approved work and a confirmed bonus."""
    from django.utils import timezone  # noqa: PLC0415

    from hits.identity.models.workers import Worker  # noqa: PLC0415
    from hits.ledger.models.bonuses import Bonus  # noqa: PLC0415
    from hits.ledger.models.transfers import LedgerEntry  # noqa: PLC0415
    from hits.payments.models.matches import Deposit  # noqa: PLC0415
    from hits.studies.models import Batch  # noqa: PLC0415
    from hits.work.models.hits import HIT  # noqa: PLC0415
    from tests.factories import make_batch, make_user, make_worker  # noqa: PLC0415

    long_ago = timezone.now() - timedelta(days=30)
    batch = Batch.objects.first() or make_batch(account=account, status="complete")
    have = HIT.objects.count()
    hits = HIT.objects.bulk_create(
        HIT(
            batch=batch,
            status="closed",
            external_id=f"DONE{number}",
            max_assignments=1,
            sent_at=long_ago,
            closed_at=long_ago,
            expires_at=long_ago,
            matched_at=long_ago + timedelta(seconds=number),
        )
        for number in range(have, upto)
    )
    work = _work(hits, worker=Worker.objects.first() or make_worker(account=account), at=long_ago)
    preparer, approver = make_user(), make_user()
    bonuses = Bonus.objects.bulk_create(
        Bonus(
            assignment=row,
            rule="all right",
            amount=Decimal("0.01"),
            reason="All right.",
            status="confirmed",
            owed_at=long_ago,
            prepared_by=preparer,
            approved_by=approver,
            approved_at=long_ago,
            sent_at=long_ago,
            confirmed_at=long_ago,
        )
        for row in work
    )
    # Booked before the account's opening balance was counted, or together with a deposit that paid for it.
    spent = len(bonuses) * (batch.reward + Decimal("0.01"))
    if have:
        Deposit.objects.create(account=account, amount=spent, words="For these", by=preparer, at=long_ago)
    for kind, source, target, amount in (
        ("reward", "reserved", "confirmed", batch.reward),
        ("sent", "approved", "sent", "0.01"),
        ("confirmed", "sent", "confirmed", "0.01"),
    ):
        LedgerEntry.objects.bulk_create(
            LedgerEntry(
                study=batch.study,
                batch=batch,
                assignment=bonus.assignment,
                bonus=None if kind == "reward" else bonus,
                kind=kind,
                source=source,
                target=target,
                amount=amount,
                at=long_ago,
            )
            for bonus in bonuses
        )
    _list_there(bonuses, at=long_ago)


def _work(hits: list[Any], *, worker: Any, at: datetime) -> list[Any]:
    from hits.work.models.assignments import Assignment  # noqa: PLC0415

    return Assignment.objects.bulk_create(
        Assignment(
            account=worker.account,
            hit=hit,
            worker=worker,
            external_id=f"WORK{hit.pk}",
            attempt=1,
            status="approved",
            deadline_at=at,
            opened_at=at,
            submitted_at=at,
            booked_at=at,
        )
        for hit in hits
    )


def _list_there(bonuses: list[Any], *, at: datetime) -> None:
    """Create the marketplace's own rows of the same assignments and the same payments."""
    from crowd.marketplace import models as market  # noqa: PLC0415
    from crowd.marketplace.services import hit_creation  # noqa: PLC0415

    requester = market.Requester.objects.get()
    terms = hit_creation.Terms(
        title="t",
        description="d",
        keywords="",
        reward=Decimal("0.03"),
        assignment_duration_s=600,
        auto_approval_delay_s=0,
        requirements=[],
    )
    hit_type = hit_creation.find_or_make_type(requester=requester, terms=terms)
    worker, _ = market.Worker.objects.get_or_create(
        name="Bench", defaults={"external_id": bonuses[0].assignment.worker.external_id, "created_at": at}
    )
    hits = market.HIT.objects.bulk_create(
        market.HIT(
            requester=requester,
            hit_type=hit_type,
            external_id=bonus.assignment.hit.external_id,
            annotation="",
            question="",
            frame_height=0,
            max_assignments=1,
            approved=1,
            fee=0,
            created_at=at,
            expires_at=at,
            closed_at=at,
            is_reviewing=True,
        )
        for bonus in bonuses
    )
    work = market.Assignment.objects.bulk_create(
        market.Assignment(
            hit=hit,
            worker=worker,
            external_id=bonus.assignment.external_id,
            attempt=1,
            status="Approved",
            accepted_at=at,
            deadline_at=at,
            submitted_at=at,
            answer="",
        )
        for hit, bonus in zip(hits, bonuses, strict=True)
    )
    market.BonusPayment.objects.bulk_create(
        market.BonusPayment(
            assignment=row,
            worker=worker,
            amount=bonus.amount,
            reason=bonus.reason_with_reference,
            granted_at=at,
        )
        for row, bonus in zip(work, bonuses, strict=True)
    )


if __name__ == "__main__":
    sys.exit(main())
