"""Earnings and HITs by day, against rows counted by hand."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from crowd.marketplace.models import LedgerEntry
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.queries.daily_money import DAYS, earned_by_day, hits_by_day
from tests.crowd.marketplace.qualifying import make_worker
from tests.crowd.marketplace.rows import post_hit
from tests.factories import NOW

pytestmark = pytest.mark.django_db(databases=["default", "marketplace"])
Account = LedgerEntry.Account


def credit(worker: Worker, amount: str, *, at: datetime, account: str = Account.WORKERS) -> None:
    LedgerEntry.objects.create(
        worker=worker, account=account, amount=Decimal(amount), transfer=uuid4(), subject="a", created_at=at
    )


def earned(worker: Worker | None = None) -> dict[date, tuple[Decimal, int]]:
    days = earned_by_day(worker=worker, now=NOW)
    assert len(days) == DAYS
    return {one.day: (one.earned, one.workers) for one in days if one.earned}


def test_a_day_is_what_was_credited_between_two_midnights() -> None:
    ada, bob = make_worker(), make_worker()
    midnight = datetime(2026, 11, 20, tzinfo=UTC)
    credit(ada, "0.10", at=midnight - timedelta(seconds=1))
    credit(ada, "0.20", at=midnight)
    credit(ada, "0.40", at=midnight + timedelta(hours=23, minutes=59))
    credit(bob, "0.80", at=midnight + timedelta(hours=1))

    assert earned(ada) == {date(2026, 11, 19): (Decimal("0.10"), 1), date(2026, 11, 20): (Decimal("0.60"), 1)}
    assert earned() == {date(2026, 11, 19): (Decimal("0.10"), 1), date(2026, 11, 20): (Decimal("1.40"), 2)}


def test_payouts_and_other_accounts_are_no_earnings() -> None:
    ada = make_worker()
    credit(ada, "0.50", at=NOW)
    credit(ada, "-0.50", at=NOW)
    credit(ada, "0.50", at=NOW, account=Account.PAID)
    credit(ada, "-0.50", at=NOW, account=Account.HELD)

    assert earned(ada) == {NOW.date(): (Decimal("0.50"), 1)}


def test_only_the_last_days_are_counted() -> None:
    ada = make_worker()
    first = datetime(2026, 11, 21, tzinfo=UTC) - timedelta(days=DAYS - 1)
    credit(ada, "0.10", at=first - timedelta(seconds=1))
    credit(ada, "0.20", at=first)
    credit(ada, "0.40", at=NOW + timedelta(seconds=1))

    assert earned(ada) == {first.date(): (Decimal("0.20"), 1)}


def test_hits_are_counted_on_the_day_on_which_they_were_made() -> None:
    midnight = datetime(2026, 11, 20, tzinfo=UTC)
    for at in (midnight - timedelta(seconds=1), midnight, midnight + timedelta(hours=3)):
        post_hit(now=at)

    found = {day: count for day, count in hits_by_day(now=NOW) if count}

    assert found == {date(2026, 11, 19): 1, date(2026, 11, 20): 2}


@pytest.mark.skipif(
    connections["marketplace"].vendor != "sqlite", reason="An empty table is read whole there."
)
def test_days_are_found_by_an_index() -> None:
    ada = make_worker()
    with CaptureQueriesContext(connections["marketplace"]) as captured:
        earned_by_day(now=NOW)
        earned_by_day(now=NOW, worker=ada)
        hits_by_day(now=NOW)

    plans = []
    with connections["marketplace"].cursor() as cursor:
        for query in captured:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            plans.append(" ".join(row[3] for row in cursor.fetchall()))
    for plan, index in zip(plans, ("ledger_by_time", "ledger_of_worker_by_time", "hit_by_time"), strict=True):
        assert f"INDEX {index} " in plan
