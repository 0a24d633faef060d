"""Spending and balances by day, against days counted by hand: midnight, zones, and clocks that change."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from hits.admin.payments.money_charts import balance_table, spending_table
from hits.identity.roles import PAYMENTS_PREPARER, REVIEWER
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.matches import Match
from hits.payments.queries.money_by_day import DAYS, DaySpending, balances_by_day, spending_by_day
from hits.studies.models import Study
from tests.factories import NOW, make_account, make_batch, make_study
from tests.pages import text_of
from tests.people import make_member, sign_in

pytestmark = pytest.mark.django_db
Kind, Book = LedgerEntry.Kind, LedgerEntry.Book
MEMBERS = PAYMENTS_PREPARER


def spend(study: Study, amount: str, *, at: datetime, kind: str = Kind.REWARD) -> None:
    LedgerEntry.objects.create(
        study=study, kind=kind, source=Book.RESERVED, target=Book.SENT, amount=Decimal(amount), at=at
    )


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


def spent(*studies: Study, now: datetime = NOW) -> dict[date, Decimal]:
    user = make_member(MEMBERS, *studies)
    return {one.day: one.total for one in spending_by_day(user, now=now)["USD"] if one.total}


def test_each_part_of_a_day_is_summed_by_itself_and_days_without_spending_are_there() -> None:
    study = make_study()
    for kind, amount in (
        (Kind.REWARD, "1.00"),
        (Kind.REWARD, "0.50"),
        (Kind.REWARD_FEE, "0.30"),
        (Kind.SENT, "0.27"),
        (Kind.BONUS_FEE, "0.06"),
        (Kind.OWED, "9.00"),
        (Kind.CONFIRMED, "0.27"),
    ):
        spend(study, amount, at=NOW - timedelta(hours=1), kind=kind)

    days = spending_by_day(make_member(MEMBERS, study), now=NOW)["USD"]

    assert len(days) == DAYS
    assert days[-1] == DaySpending(
        day=date(2026, 11, 21), rewards=Decimal("1.50"), bonuses=Decimal("0.27"), fees=Decimal("0.36")
    )
    assert days[-1].total == Decimal("2.13")
    assert {one.total for one in days[:-1]} == {Decimal(0)}


def test_midnight_is_that_of_the_studys_own_zone() -> None:
    tokyo = make_study(time_zone="Asia/Tokyo")
    spend(tokyo, "1.00", at=utc(2026, 11, 19, 14, 59, 59))
    spend(tokyo, "2.00", at=utc(2026, 11, 19, 15, 0))

    assert spent(tokyo) == {date(2026, 11, 19): Decimal("1.00"), date(2026, 11, 20): Decimal("2.00")}


def test_the_day_on_which_clocks_go_back_has_25_hours() -> None:
    study = make_study(time_zone="America/New_York")
    spend(study, "1.00", at=utc(2026, 11, 1, 3, 59))
    spend(study, "2.00", at=utc(2026, 11, 1, 4, 0))
    spend(study, "4.00", at=utc(2026, 11, 2, 4, 59))
    spend(study, "8.00", at=utc(2026, 11, 2, 5, 0))

    assert spent(study) == {
        date(2026, 10, 31): Decimal("1.00"),
        date(2026, 11, 1): Decimal("6.00"),
        date(2026, 11, 2): Decimal("8.00"),
    }


def test_studies_of_several_zones_keep_each_its_own_days() -> None:
    west, east = make_study(time_zone="America/Los_Angeles"), make_study(time_zone="Pacific/Auckland")
    for study in (west, east):
        spend(study, "1.00", at=utc(2026, 11, 20, 2, 0))

    assert spent(west, east) == {date(2026, 11, 19): Decimal("1.00"), date(2026, 11, 20): Decimal("1.00")}


def test_only_the_last_days_are_shown() -> None:
    study = make_study()
    first = NOW.date() - timedelta(days=DAYS - 1)
    spend(study, "1.00", at=datetime(first.year, first.month, first.day, tzinfo=UTC) - timedelta(seconds=1))
    spend(study, "2.00", at=datetime(first.year, first.month, first.day, tzinfo=UTC))
    spend(study, "4.00", at=NOW + timedelta(hours=1))

    assert spent(study) == {first: Decimal("2.00")}


def test_spending_of_studies_of_others_is_not_shown() -> None:
    mine = make_study()
    spend(make_study(), "1.00", at=NOW)

    assert spent(mine) == {}
    assert spent() == {}


def compare(account: Any, balance: str, *, at: datetime) -> None:
    Match.objects.create(
        account=account, status=Match.Status.DONE, started_at=at, ended_at=at, balance=Decimal(balance)
    )


def test_a_balance_is_the_last_that_was_read_on_its_day() -> None:
    account, study = make_account(name="lab"), make_study()
    make_batch(study=study, account=account)
    other = make_account(name="of others")
    compare(account, "9.00", at=NOW - timedelta(days=2, hours=1))
    compare(account, "8.00", at=NOW - timedelta(days=2))
    compare(account, "7.00", at=NOW - timedelta(days=DAYS + 1))
    compare(other, "99.00", at=NOW)
    type(account).objects.filter(pk=account.pk).update(balance=Decimal("5.00"), balance_read_at=NOW)

    found = balances_by_day(make_member(MEMBERS, study), now=NOW)

    assert [(one.account, one.at, one.balance) for one in found] == [
        ("lab", NOW - timedelta(days=2), Decimal("8.00")),
        ("lab", NOW, Decimal("5.00")),
    ]


def test_charts_have_a_table_with_every_figure_and_none_where_nothing_is() -> None:
    days = [DaySpending(day=date(2026, 11, 20)), DaySpending(day=date(2026, 11, 21), fees=Decimal("0.30"))]

    table, empty = spending_table(days), spending_table(days[:1])

    assert [[cell.words for _, cell in row] for row in table.shown()] == [
        ["21 Nov 2026", "$0.00", "$0.00", "$0.30", "$0.30"]
    ]
    assert len(list(table.as_json())) == 2
    assert (len(table.charts), len(empty.charts), empty.shown()) == (1, 0, [])
    assert balance_table([]).charts == ()


def test_the_page_and_its_files_are_for_who_may_see_the_books(client: Client) -> None:
    study = make_study()
    spend(study, "1.50", at=timezone.now())
    page, file = (
        reverse("admin:hits_payments"),
        reverse("admin:hits_payments_table", args=["spending", "csv"]),
    )

    sign_in(client, PAYMENTS_PREPARER, study)
    shown, sent = text_of(client.get(page)), client.get(file)
    lines = b"".join(sent.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    missing = client.get(reverse("admin:hits_payments_table", args=["spending", "exe"])).status_code
    sign_in(client, REVIEWER)

    assert "Spent in the last 28 days" in shown
    assert 'id="spec-spending"' in shown
    assert "1.50" in lines[-1]
    assert len(lines) == DAYS + 1
    assert missing == 404
    assert client.get(file).status_code == 404  # reviewers see no books


def test_more_entries_and_zones_cost_no_more_queries() -> None:
    user, counts = make_member(MEMBERS), []
    for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
        study = make_study(time_zone=zone)
        user.studies.add(study)
        for hours in range(5):
            spend(study, "1.00", at=NOW - timedelta(hours=30 * hours))
        with CaptureQueriesContext(connection) as queries:
            spending_by_day(user, now=NOW)
        counts.append(len(queries))

    assert counts[1] == counts[2]
