"""Where dollars and pounds meet: runs hold one, sums stand apart, and files say which is which."""

import csv
import io
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crowd.statement import statement_links
from hits.admin.payments.money_charts import money_tables
from hits.common.spreadsheets import write_csv
from hits.common.watching.row_gauges import Reading
from hits.core.domain.months import Month
from hits.core.errors import RuleBroken
from hits.gauges import read_bonuses
from hits.ledger.models.bonuses import Bonus
from hits.ledger.queries import entries_of
from hits.payments.models.runs import Run, RunRow
from hits.payments.queries.money_by_day import spending_by_day
from hits.payments.queries.payment_tasks import desk_of
from hits.payments.queries.run_table import owner_limit, rows_of
from hits.payments.services import bonus_runs, deposits, finance_files, run_rows
from hits.studies.models import Batch
from tests.factories import NOW, make_account, make_assignment, make_bonus, make_study, make_user
from tests.hits.books import open_batch, owed_bonus, paid_bonus
from tests.hits.calling import notebook
from tests.pages import text_of
from tests.people import make_permitted, sign_in_with

pytestmark = pytest.mark.django_db
MONEY = (
    "view_bonus", "view_run", "view_ledgerentry", "view_match", "view_difference", "view_deposit",
    "add_deposit", "prepare_run", "hold_bonus", "approve_run", "view_study", "view_worker",
)  # fmt: skip
PREPARE = "admin:hits_run_prepare"


def make_both() -> tuple[Batch, Batch]:
    """Make an open batch in dollars and one in pounds."""
    return open_batch(), open_batch(study=make_study(currency="GBP"))


def sign_in_to(client: Client, *batches: Batch) -> Any:
    return sign_in_with(client, *MONEY, studies=[batch.study for batch in batches])


def read(file: finance_files.FinanceFile) -> list[dict[str, str]]:
    text = "".join(write_csv(file.header, file.rows)).removeprefix("\ufeff")
    return list(csv.DictReader(io.StringIO(text)))


def test_obligations_have_the_currency_of_the_account_that_pays_them() -> None:
    dollars, pounds = make_both()

    assert [owed_bonus(batch).in_words for batch in (dollars, pounds)] == ["$0.27", "£0.27"]


def test_run_of_two_currencies_is_refused_and_nothing_is_written() -> None:
    bonuses = [owed_bonus(batch) for batch in make_both()]

    with pytest.raises(RuleBroken, match="in USD and GBP, and a run holds one currency") as refusal:
        bonus_runs.prepare_run(bonuses=bonuses, by=make_user(is_superuser=True), title="Both", now=NOW)

    assert refusal.value.code == "two_currencies"
    assert (Run.objects.count(), RunRow.objects.count()) == (0, 0)


def test_draft_takes_no_bonus_of_another_currency_and_keeps_what_it_has() -> None:
    dollars, pounds = make_both()
    by = make_user(is_superuser=True)
    run = bonus_runs.prepare_run(bonuses=[owed_bonus(pounds)], by=by, title="Pounds", now=NOW)

    with pytest.raises(RuleBroken, match="This run is in GBP, and some of these bonuses are in USD"):
        bonus_runs.add_to_run(run=run, bonuses=[owed_bonus(dollars)], by=by, now=NOW)

    run.refresh_from_db()
    assert (run.currency, run.count, run.total_in_words) == ("GBP", 1, "£0.27")


def test_run_with_a_row_of_another_currency_is_not_frozen() -> None:
    dollars, pounds = make_both()
    by = make_user(is_superuser=True)
    run = bonus_runs.prepare_run(bonuses=[owed_bonus(pounds)], by=by, title="Pounds", now=NOW)
    RunRow.objects.create(run=run, bonus=owed_bonus(dollars))

    with pytest.raises(RuleBroken, match="This run is in GBP, and some of its rows are in USD"):
        bonus_runs.freeze_run(run=run, by=by, now=NOW)

    run.refresh_from_db()
    assert run.status == Run.Status.DRAFT


def test_split_run_keeps_its_currency() -> None:
    pounds = make_both()[1]
    by, bonuses = make_user(is_superuser=True), [owed_bonus(pounds), owed_bonus(pounds)]
    run = bonus_runs.prepare_run(bonuses=bonuses, by=by, title="Pounds", now=NOW)

    part = run_rows.split_run(run=run, bonuses=bonuses[:1], title="Part", by=by, now=NOW)

    assert part.currency == "GBP"


def test_limit_of_an_owner_counts_runs_of_the_same_currency_alone() -> None:
    dollars, pounds = make_both()
    owner = make_user(is_superuser=True)
    Batch.objects.update(launched_by=owner)
    for batch, title in ((dollars, "Dollars"), (pounds, "Pounds")):
        by = make_user(is_superuser=True)
        run = bonus_runs.prepare_run(bonuses=[owed_bonus(batch, amount="60.00")], by=by, title=title, now=NOW)
        bonus_runs.freeze_run(run=run, by=by, now=NOW)
        assert owner_limit(run, rows_of(run), owner.pk) is None
        bonus_runs.approve_run(run=run, digest=run.digest, by=owner, now=NOW + timedelta(hours=1))

    assert set(Run.objects.values_list("status", flat=True)) == {"approved"}


def test_page_that_prepares_runs_shows_one_currency_at_a_time(client: Client) -> None:
    dollars, pounds = make_both()
    owed_bonus(dollars, amount="0.30")
    owed_bonus(pounds, amount="0.40")
    owed_bonus(pounds, amount="0.50")
    sign_in_to(client, dollars, pounds)

    first = text_of(client.get(reverse(PREPARE)))
    second = text_of(client.get(reverse(PREPARE), {"currency": "GBP"}))
    made = client.post(f"{reverse(PREPARE)}?currency=GBP", {"which": "all", "title": "Pounds", "kind": "pay"})

    assert "1 bonus owed, $0.30" in first
    assert "Show what is owed in GBP" in first
    assert "£" not in first
    assert "2 bonuses owed, £0.90" in second
    assert "At least, £" in second
    assert "$" not in second
    run = Run.objects.get()
    assert made["Location"] == reverse("admin:hits_run_change", args=[run.pk])
    assert (run.currency, run.total) == ("GBP", Decimal("0.90"))
    assert "£0.90" in text_of(client.get(made["Location"]))


def test_page_that_prepares_runs_asks_for_no_currency_where_there_is_one(client: Client) -> None:
    batch = make_both()[1]
    owed_bonus(batch)
    sign_in_to(client, batch)

    page = client.get(reverse(PREPARE))

    assert "currency" not in page.context["form"].fields
    assert "1 bonus owed, £0.27" in text_of(page)


def test_real_run_in_pounds_is_approved_by_its_total_in_pounds(client: Client) -> None:
    study = make_study(currency="GBP")
    account = make_account(currency="GBP", environment="production")
    bonus = owed_bonus(open_batch(study=study, account=account))
    by = make_user(is_superuser=True)
    run = bonus_runs.prepare_run(bonuses=[bonus], by=by, title="Pounds", now=NOW)
    bonus_runs.freeze_run(run=run, by=by, now=NOW)
    sign_in_with(client, *MONEY, studies=[study])
    page = reverse("admin:hits_run_change", args=[run.pk])

    shown = text_of(client.get(page))
    approve = reverse("admin:hits_run_approve", args=[run.pk])
    client.post(approve, {"digest": run.digest, "confirmed": "£0.27"})

    run.refresh_from_db()
    assert "Type the total, £0.27, to confirm" in shown
    assert run.status == Run.Status.APPROVED


def test_bonuses_chosen_in_the_list_are_summed_apart_and_refused_together(client: Client) -> None:
    dollars, pounds = make_both()
    keys = [owed_bonus(batch).pk for batch in (dollars, pounds)]
    sign_in_to(client, dollars, pounds)

    asked = client.post(
        reverse("admin:hits_bonus_changelist"), {"action": "put_into_run", "_selected_action": keys}
    )
    refused = client.post(
        reverse(PREPARE), {"bonuses": ",".join(map(str, keys)), "title": "Both", "kind": "pay"}
    )

    assert "2 bonuses chosen, $0.27 and £0.27" in text_of(asked)
    assert "These are in USD and GBP, and a run holds one currency." in text_of(asked)
    assert (refused.status_code, Run.objects.count()) == (409, 0)


def test_payments_page_never_adds_two_currencies(client: Client) -> None:
    dollars, pounds = make_both()
    owed_bonus(dollars, amount="1.00")
    owed_bonus(pounds, amount="2.00")
    user = sign_in_to(client, dollars, pounds)

    desk, page = desk_of(user, now=NOW), text_of(client.get(reverse("admin:hits_payments")))

    assert desk.bonuses["owed"].amounts == {"USD": Decimal(1), "GBP": Decimal(2)}
    assert "$1.00 and £2.00. The oldest has waited" in page
    assert "<dt>Owed, in runs or in none</dt><dd>£2.00</dd>" in page
    assert "3.00" not in page


def test_spending_has_a_table_for_each_currency() -> None:
    dollars, pounds = make_both()
    paid_bonus(dollars, amount="1.00")
    paid_bonus(pounds, amount="2.00")
    user = make_permitted(*MONEY, studies=[dollars.study, pounds.study])

    spent = spending_by_day(user, now=NOW + timedelta(hours=1))
    tables = {table.name: table for table in money_tables(user, now=NOW + timedelta(hours=1))}

    assert {currency: days[-1].bonuses for currency, days in spent.items()} == {
        "USD": Decimal(1),
        "GBP": Decimal(2),
    }
    assert {"spending-usd", "spending-gbp"} <= set(tables)
    assert tables["spending-gbp"].title == "Spent in the last 28 days, in pounds"
    assert "£2.00" in [cell.words for _, cell in tables["spending-gbp"].shown()[0]]
    assert "$" not in str(tables["spending-gbp"].charts)


def test_gauges_have_a_sum_for_each_currency() -> None:
    dollars, pounds = make_both()
    owed_bonus(dollars, amount="1.00")
    owed_bonus(pounds, amount="2.00")

    told: list[Reading] = list(read_bonuses(NOW))

    owed = {one.gauge.name: one.number for one in told if one.values == ("owed",)}
    assert owed == {"crowd_bonuses": 2, "crowd_bonus_dollars": 1, "crowd_bonus_pounds": 2}


def test_finance_files_say_the_currency_of_each_row() -> None:
    dollars, pounds = make_both()
    for batch in (dollars, pounds):
        paid_bonus(batch)
    studies = [dollars.study, pounds.study]
    by, later = make_permitted(*MONEY, studies=studies), NOW + timedelta(days=40)

    closed = read(finance_files.close_file(studies=studies, month=Month(2026, 11), by=by, now=later))
    run = Run.objects.get(currency="GBP")
    of_run = read(finance_files.run_file(run=run, by=by, now=later))
    rows = finance_files.ledger_file(study=pounds.study, entries=entries_of([pounds.study]), by=by, now=later)

    said = {(row["study"], row["currency"]) for row in closed}
    assert said == {(dollars.study.name, "USD"), (pounds.study.name, "GBP")}
    assert {row["currency"] for row in of_run} == {"GBP"}
    assert {row["currency"] for row in read(rows)} == {"GBP"}


def test_list_of_bonuses_and_its_file_say_the_currency(client: Client) -> None:
    dollars, pounds = make_both()
    for batch in (dollars, pounds):
        owed_bonus(batch)
    sign_in_to(client, dollars, pounds)

    page = text_of(client.get(reverse("admin:hits_bonus_changelist")))
    sent: Any = client.get(reverse("admin:hits_bonus_csv"))

    rows = list(csv.DictReader(io.StringIO(b"".join(sent.streaming_content).decode("utf-8-sig"))))
    assert "$0.27" in page
    assert "£0.27" in page
    assert {(row["Amount"], row["Currency"]) for row in rows} == {("0.27", "USD"), ("0.27", "GBP")}


def test_books_of_a_study_are_in_its_currency(client: Client) -> None:
    pounds = make_both()[1]
    paid_bonus(pounds)
    sign_in_to(client, pounds)

    page = text_of(client.get(reverse("admin:hits_ledger_study", args=[pounds.study_id])))

    assert "£100,000.00" in page
    assert "$" not in page


def test_deposit_is_in_the_currency_of_its_account(client: Client) -> None:
    pounds = make_both()[1]
    user = sign_in_to(client, pounds)
    deposits.record_deposit(account=pounds.account, amount=Decimal(7), words="Wire", by=user, now=NOW)

    page = text_of(client.get(reverse("admin:hits_deposits", args=[pounds.account_id])))

    assert "All together: <strong>£7.00</strong>." in page
    assert "Amount in pounds" in page


def test_worker_reads_pounds_in_the_statement(client: Client) -> None:
    pounds = make_both()[1]
    work = paid_bonus(pounds).assignment
    token = statement_links.write_token(assignment=work, now=timezone.now())

    page = text_of(client.get(f"/statement/{token}/"))

    assert "£0.27" in page
    assert "$" not in page


def test_api_says_the_currency_of_bonuses_and_rows_of_the_ledger() -> None:
    dollars, pounds = make_both()
    for batch in (dollars, pounds):
        owed_bonus(batch)
    caller = notebook("view_bonus", "view_ledgerentry", sees=[dollars.study, pounds.study])

    bonuses, entries = (caller.get(path).json()["results"] for path in ("bonuses/", "ledger/"))

    assert {one["currency"] for one in bonuses} == {"USD", "GBP"}
    assert {one["study"]: one["currency"] for one in entries} == {
        str(dollars.study.public_id): "USD",
        str(pounds.study.public_id): "GBP",
    }


def test_one_currency_alone_shows_no_other_anywhere(client: Client) -> None:
    work = make_assignment(status="approved")
    make_bonus(assignment=work, status=Bonus.Status.OWED)
    sign_in_to(client, work.hit.batch)
    make_account(currency="GBP")

    pages = [text_of(client.get(reverse(name))) for name in ("admin:hits_payments", PREPARE)]

    assert all("£" not in page and "pounds" not in page for page in pages)
