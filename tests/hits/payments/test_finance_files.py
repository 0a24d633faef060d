import csv
import io
import re
import tracemalloc
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from defusedxml import ElementTree
from django.core.exceptions import PermissionDenied

from hits.common.spreadsheets import write_csv
from hits.core.domain.months import Month, month_of, read_month
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.ledger.queries import entries_of
from hits.payments.domain.manifests import digest_of, write_manifest
from hits.payments.queries import month_closes
from hits.payments.services.finance_files import FinanceFile, audit_file, close_file, ledger_file, run_file
from hits.payments.services.workbooks import write_workbook
from hits.people.models import Disclosure
from hits.studies.models import Study
from tests.factories import NOW, approve, make_study, make_user
from tests.hits.books import open_batch, owed_bonus, paid_bonus
from tests.people import make_permitted

pytestmark = pytest.mark.django_db
NOVEMBER = Month(2026, 11)
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def make_reader(study: Study, *permissions: str) -> User:
    return make_permitted("view_ledgerentry", "view_run", "view_auditevent", *permissions, studies=[study])


def read(file: FinanceFile) -> list[dict[str, str]]:
    text = "".join(write_csv(file.header, file.rows)).removeprefix("\ufeff")
    return list(csv.DictReader(io.StringIO(text)))


def take_close(study: Study, month: Month = NOVEMBER, **changes: Any) -> list[dict[str, str]]:
    by = changes.pop("by", None) or make_reader(study)
    values = {"now": NOW + timedelta(days=400), **changes}
    return read(close_file(studies=[study], month=month, by=by, **values))


def part(rows: Iterable[dict[str, str]], name: str) -> list[tuple[str, ...]]:
    return [(row["grant_code"], row["item"], row["amount"]) for row in rows if row["part"] == name]


@pytest.mark.parametrize(
    ("zone", "month", "start", "end"),
    [
        ("UTC", "2026-12", "2026-12-01T00:00", "2027-01-01T00:00"),
        ("Europe/Berlin", "2026-03", "2026-02-28T23:00", "2026-03-31T22:00"),  # 743 hours
        ("Europe/Berlin", "2026-10", "2026-09-30T22:00", "2026-10-31T23:00"),  # 745 hours
        ("America/New_York", "2026-12", "2026-12-01T05:00", "2027-01-01T05:00"),
        ("Pacific/Kiritimati", "2027-01", "2026-12-31T10:00", "2027-01-31T10:00"),
        ("Asia/Kolkata", "2028-02", "2028-01-31T18:30", "2028-02-29T18:30"),
    ],
)
def test_month_begins_and_ends_where_the_study_is(zone: str, month: str, start: str, end: str) -> None:
    expected = tuple(datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (start, end))

    assert read_month(month).bounds(zone) == expected


def test_months_follow_each_other_over_the_year_without_a_gap() -> None:
    month, found = Month(2025, 11), []
    for _ in range(4):
        found.append(str(month))
        assert month.bounds("America/Sao_Paulo")[1] == month.next.bounds("America/Sao_Paulo")[0]
        assert month.next.previous == month
        month = month.next

    assert found == ["2025-11", "2025-12", "2026-01", "2026-02"]
    assert month_of(datetime(2026, 12, 31, 23, 30, tzinfo=UTC), zone="Europe/Berlin") == Month(2027, 1)


@pytest.mark.parametrize("text", ["", "2026", "2026-13", "november", "2026-11-21"])
def test_what_is_no_month_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"time data|unconverted data"):
        read_month(text)


def test_close_has_balances_movements_and_payments_that_agree() -> None:
    study = make_study(budget=Decimal(500), grant_code="GA-1")
    batch = open_batch(study=study)
    bonus = paid_bonus(batch)

    rows = take_close(study)

    assert part(rows, "opening") == []
    assert part(rows, "movement") == [
        ("GA-1", "Budget granted or taken back", "500.00"),
        ("GA-1", "Set aside for a batch", "100.00"),
        ("GA-1", "Reward of approved work", "1.00"),
        ("GA-1", "Fee on a reward", "0.20"),
        ("GA-1", "Bonus owed", "0.27"),
        ("GA-1", "Bonus approved", "0.27"),
        ("GA-1", "Bonus sent", "0.27"),
        ("GA-1", "Fee on a bonus", "0.05"),
        ("GA-1", "Bonus confirmed by the provider", "0.27"),
    ]
    assert part(rows, "closing") == [
        ("GA-1", "Granted (from outside)", "-500.00"),
        ("GA-1", "Budget", "400.00"),
        ("GA-1", "Reserved", "98.48"),
        ("GA-1", "Confirmed by the provider", "1.27"),
        ("GA-1", "Fees", "0.25"),
    ]
    payments = [row for row in rows if row["part"] == "payment"]
    assert {row["item"]: row["amount"] for row in payments} == {
        "Reward of approved work": "1.00",
        "Fee on a reward": "0.20",
        "Fee on a bonus": "0.05",
        "Bonus sent": "0.27",
    }
    [single] = [row for row in payments if row["item"] == "Bonus sent"]
    assert (single["worker"], single["bonus"]) == (bonus.assignment.worker.pseudonym, str(bonus.public_id))


def test_close_of_a_month_is_the_opening_of_the_next_one() -> None:
    study = make_study(time_zone="Europe/Berlin", grant_code="GA-1")
    batch = open_batch(study=study)
    last_minute = datetime(2026, 11, 30, 22, 59, 59, tzinfo=UTC)
    for at in (last_minute, last_minute + timedelta(seconds=1), last_minute + timedelta(days=40)):
        paid_bonus(batch, now=at)
    by = make_reader(study)

    months = [NOVEMBER, NOVEMBER.next, NOVEMBER.next.next, NOVEMBER.next.next.next]
    rows = [take_close(study, month, by=by) for month in months]

    assert [part(now, "closing") for now in rows[:-1]] == [part(after, "opening") for after in rows[1:]]
    sent = [[row["at_local"] for row in now if row["item"] == "Bonus sent" and row["rule"]] for now in rows]
    assert sent == [["2026-11-30 23:59:59"], ["2026-12-01 00:00:00"], ["2027-01-09 23:59:59"], []]


def test_payments_of_a_month_are_what_left_the_books_in_it() -> None:
    study = make_study()
    batch = open_batch(study=study)
    for _ in range(3):
        paid_bonus(batch)
    owed_bonus(batch)

    rows = take_close(study)

    paid = sum(Decimal(row["amount"]) for row in rows if row["part"] == "payment")
    left = sum(
        Decimal(row["amount"])
        for row in rows
        if row["part"] == "closing" and row["item"] in ("Sent", "Confirmed by the provider", "Fees")
    )
    assert paid == left == 3 * Decimal("1.52")


def test_closed_month_reads_the_same_when_more_has_happened() -> None:
    study = make_study()
    batch = open_batch(study=study)
    bonus = owed_bonus(batch)
    by = make_reader(study)
    before = take_close(study, by=by)
    approve([bonus], now=NOW + timedelta(days=30))
    paid_bonus(batch, now=NOW + timedelta(days=30))

    assert take_close(study, by=by) == before


def test_close_of_all_studies_has_each_in_its_own_zone() -> None:
    first = make_study(time_zone="Pacific/Kiritimati")
    second = make_study(time_zone="Pacific/Honolulu")
    by = make_reader(first)
    second.members.add(by)
    foreign = make_study()
    at = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    for study in (first, second):
        open_batch(study=study, now=at)

    rows = read(close_file(studies=[first, second, foreign], month=NOVEMBER, by=by, now=NOW))

    moved = {row["study"] for row in rows if row["item"] == "Set aside for a batch"}
    assert moved == {second.name}
    assert {row["study"] for row in rows} == {first.name, second.name}


def test_close_of_a_month_that_is_not_over_says_so_and_one_to_come_is_refused() -> None:
    study = make_study()
    by = make_reader(study)

    assert close_file(studies=[study], month=NOVEMBER, by=by, now=NOW).name == "close-2026-11-so-far"
    with pytest.raises(RuleBroken, match="has not begun"):
        close_file(studies=[study], month=NOVEMBER.next, by=by, now=NOW)
    assert AuditEvent.objects.filter(kind="file.close").count() == 1


@pytest.mark.parametrize("lacks", ["permission", "membership"])
def test_close_is_refused_to_strangers_and_leaves_no_trace(lacks: str) -> None:
    study = make_study()
    by = make_user()
    if lacks == "membership":
        by = make_permitted("view_ledgerentry")
    else:
        study.members.add(by)

    with pytest.raises(PermissionDenied):
        close_file(studies=[study], month=NOVEMBER, by=by, now=NOW)

    assert not AuditEvent.objects.exists()


def test_provider_ids_need_the_permission_and_a_reason() -> None:
    study = make_study()
    bonus = paid_bonus(open_batch(study=study))
    planted = bonus.assignment.worker.external_id

    with pytest.raises(PermissionDenied):
        take_close(study, reason="The office asks")
    with pytest.raises(RuleBroken, match="Say why"):
        take_close(study, reason=" ", by=make_reader(study, "see_worker_id"))

    assert not Disclosure.objects.exists()
    assert not AuditEvent.objects.filter(kind="file.close").exists()
    assert planted not in str(take_close(study, by=make_reader(study, "see_worker_id")))


def test_provider_ids_are_on_record_once_for_each_worker() -> None:
    study = make_study()
    batch = open_batch(study=study)
    bonuses = [paid_bonus(batch) for _ in range(2)]
    by = make_reader(study, "see_worker_id")

    rows = take_close(study, by=by, reason="The office asks")

    workers = [bonus.assignment.worker for bonus in bonuses]
    assert [row["worker_id"] for row in rows if row["worker"]] == [worker.external_id for worker in workers]
    records = Disclosure.objects.order_by("pk").values_list("worker", "user", "reason")
    assert list(records) == [(worker.pk, by.pk, "In a file: The office asks") for worker in workers]
    event = AuditEvent.objects.get(kind="file.close")
    assert (event.by, event.study) == (by, study)
    assert "The office asks" in event.words


def test_file_of_a_run_has_lines_that_make_up_its_digest() -> None:
    study = make_study(grant_code="GA-1")
    batch = open_batch(study=study)
    run = approve([owed_bonus(batch, amount=amount) for amount in ("0.27", "0.40")])
    assert run is not None
    by = make_reader(study)

    rows = read(run_file(run=run, by=by, now=NOW))

    lines = [row["line"] for row in rows if row["part"] == "row"]
    assert digest_of(write_manifest(lines)) == run.digest == rows[0]["digest"]
    totals = [(row["part"], row["rule"], row["count"], row["amount"]) for row in rows if row["part"] != "row"]
    assert totals == [("subtotal", "all right", "2", "0.67"), ("total", "", "2", "0.67")]
    assert run.decided_by is not None
    people = {(row["prepared_by"], row["decided_by"], row["decided_at_utc"]) for row in rows}
    assert people == {(run.prepared_by.username, run.decided_by.username, "2026-11-21 12:00:00")}
    assert AuditEvent.objects.get(kind="file.run").run == run


def test_file_of_a_run_is_refused_to_who_does_not_see_all_of_it() -> None:
    mine, other = make_study(), make_study()
    run = approve([owed_bonus(open_batch(study=study)) for study in (mine, other)])
    assert run is not None
    by = make_reader(mine)

    with pytest.raises(PermissionDenied):
        run_file(run=run, by=by, now=NOW)

    assert not AuditEvent.objects.filter(kind="file.run").exists()


def test_ledger_and_audit_files_leave_a_note() -> None:
    study = make_study()
    open_batch(study=study)
    by = make_reader(study)

    rows = read(ledger_file(study=study, entries=entries_of([study]), by=by, now=NOW))
    events = read(audit_file(events=AuditEvent.objects.all(), by=by, now=NOW))

    assert [row["kind"] for row in rows] == ["Budget granted or taken back", "Set aside for a batch"]
    assert [event["kind"] for event in events] == ["file.audit", "file.ledger"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        (" =1", "' =1"),
        ("w-abc", "w-abc"),
        ("a=1", "a=1"),
    ],
)
def test_nothing_that_somebody_wrote_is_a_formula(text: str, written: str) -> None:
    heading, line = write_csv([text], [[text]])
    with write_workbook(["words"], [[text]]) as book:
        cells = read_workbook(book.read())

    assert next(csv.reader(io.StringIO(heading.removeprefix("\ufeff"), newline=""))) == [written]
    assert next(csv.reader(io.StringIO(line, newline=""))) == [written]
    assert cells == [["words"], [text]]


def test_workbook_has_the_rows_of_the_csv_as_numbers_and_moments() -> None:
    study = make_study()
    paid_bonus(open_batch(study=study))
    by = make_reader(study)
    rows = take_close(study, by=by)
    file = close_file(studies=[study], month=NOVEMBER, by=by, now=NOW + timedelta(days=400))

    with write_workbook(file.header, file.rows) as book:
        header, *cells = read_workbook(book.read())

    assert header == list(file.header)
    assert [as_written(row) for row in cells] == [list(row.values()) for row in rows]
    amounts = [row[header.index("amount")] for row in cells]
    assert {type(amount) for amount in amounts} == {float}


def test_workbook_goes_on_on_another_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hits.payments.services.workbooks.MOST_ROWS", 3)

    with write_workbook(["n"], ([number] for number in range(7))) as book:
        sheets = zipfile.ZipFile(io.BytesIO(book.read())).namelist()

    assert [name for name in sheets if "worksheets/" in name] == [
        f"xl/worksheets/sheet{number}.xml" for number in (1, 2, 3)
    ]


def test_memory_does_not_grow_with_the_rows() -> None:
    study = make_study()
    bonus = owed_bonus(open_batch(study=study))
    bulk_sent(bonus, count=12_000)
    by = make_reader(study)
    file = close_file(studies=[study], month=NOVEMBER, by=by, now=NOW)
    tracemalloc.start()

    count = sum(1 for _ in write_csv(file.header, file.rows))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count > 12_000
    assert peak < 40_000_000


def bulk_sent(bonus: Bonus, *, count: int) -> None:
    """Add so many payments, as rows of the ledger, of which the file is made."""
    work = bonus.assignment
    template = {"rule": "many", "amount": Decimal("0.01"), "reason": "All right.", "owed_at": NOW}
    bonuses = Bonus.objects.bulk_create(
        (Bonus(assignment=work, **{**template, "rule": f"rule {number}"}) for number in range(count)),
        batch_size=2_000,
    )
    batch = work.hit.batch
    LedgerEntry.objects.bulk_create(
        (
            LedgerEntry(
                study=batch.study,
                batch=batch,
                assignment=work,
                bonus=one,
                kind="sent",
                source="approved",
                target="sent",
                amount=one.amount,
                at=NOW + timedelta(milliseconds=number),
            )
            for number, one in enumerate(bonuses)
        ),
        batch_size=2_000,
    )


def read_workbook(content: bytes) -> list[list[Any]]:
    """Cells of the first sheet: texts, floats, and None."""
    book = zipfile.ZipFile(io.BytesIO(content))
    sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    rows = []
    for row in sheet.iter(f"{SHEET}row"):
        cells: dict[int, Any] = {}
        for cell in row.iter(f"{SHEET}c"):
            assert cell.find(f"{SHEET}f") is None
            text = "".join(part.text or "" for part in cell.iter(f"{SHEET}t"))
            value = cell.find(f"{SHEET}v")
            cells[_column(cell.get("r") or "")] = text if value is None else float(value.text or "nan")
        rows.append([cells.get(number) for number in range(max(cells, default=-1) + 1)])
    return rows


def _column(reference: str) -> int:
    number = 0
    for letter in re.match("[A-Z]+", reference)[0]:  # type: ignore[index]
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def as_written(row: list[Any]) -> list[str]:
    """Convert a row of a close from the workbook to what its CSV holds."""
    written: dict[str, Any] = dict(zip(month_closes.COLUMNS, row, strict=True))
    for name, value in written.items():
        if name == "amount":
            written[name] = f"{value:.2f}"
        elif name == "count" and value is not None:
            written[name] = str(int(value))
        elif name == "at_local" and isinstance(value, float):
            moment = datetime(1899, 12, 30, tzinfo=UTC) + timedelta(days=value)
            written[name] = f"{moment + timedelta(milliseconds=500):%Y-%m-%d %H:%M:%S}"
    return ["" if value is None else str(value) for value in written.values()]
