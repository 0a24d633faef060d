from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from hits.batches.services.budgets import grant_budget
from hits.core import audit_trail
from hits.core.models.audit_events import AuditEvent
from hits.ledger.models.transfers import LedgerEntry
from hits.ledger.queries import (
    Book,
    balances,
    balances_by_grant,
    checks_of,
    entries_of,
    in_slices,
    movements,
    statement_of,
)
from hits.payments.models.matches import Deposit
from hits.studies.models import Study
from tests.factories import NOW, make_account, make_study
from tests.hits.books import open_batch, owed_bonus, paid_bonus

pytestmark = pytest.mark.django_db


def make_deposit() -> Deposit:
    return Deposit.objects.create(account=make_account(), amount=Decimal(5), words="A deposit", at=NOW)


def make_entry() -> LedgerEntry:
    make_study()
    return LedgerEntry.objects.latest("pk")


def make_event() -> AuditEvent:
    audit_trail.note("run.prepared", "Prepared.", by=None, now=NOW)
    return AuditEvent.objects.latest("pk")


SEALED = {"ledger": make_entry, "audit": make_event, "deposits": make_deposit}


@pytest.mark.parametrize("table", SEALED)
@pytest.mark.parametrize("verb", ["update", "delete"])
def test_sealed_table_refuses_to_forget(table: str, verb: str) -> None:
    """The database itself refuses: these statements reach no model and no signal."""
    row: Model = SEALED[table]()
    rows: Any = type(row)._default_manager.filter(pk=row.pk)
    before = rows.values().get()
    forget = {
        "update": lambda: rows.update(at=NOW + timedelta(days=1)),
        "delete": lambda: rows._raw_delete("default"),
    }

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        forget[verb]()

    assert rows.values().get() == before


def test_statement_reads_every_step_of_a_bonus_and_its_reward() -> None:
    batch = open_batch(study=make_study(budget=Decimal(500)))
    paid_bonus(batch)
    owed_bonus(batch, amount="0.40")

    statement = statement_of(movements(entries_of([batch.study])))

    assert statement.granted == 500
    assert statement.free == 400
    assert statement.balances == {
        Book.GRANT: Decimal(-500),
        Book.BUDGET: Decimal(400),
        Book.RESERVED: Decimal("98.08"),
        Book.OWED: Decimal("0.40"),
        Book.APPROVED: Decimal(0),
        Book.SENT: Decimal(0),
        Book.CONFIRMED: Decimal("1.27"),
        Book.FEES: Decimal("0.25"),
        Book.RELEASED: Decimal(0),
    }
    assert (statement.confirmed_rewards, statement.confirmed_bonuses) == (Decimal(1), Decimal("0.27"))
    assert (statement.reward_fees, statement.bonus_fees) == (Decimal("0.20"), Decimal("0.05"))
    assert statement.paid == Decimal("1.52")


def test_checks_hold_for_money_that_moved_through_the_services() -> None:
    batch = open_batch()
    paid_bonus(batch)
    study = Study.objects.get()
    study.budget = Decimal(99_000)
    study.save()
    grant_budget(study=study, by=None, now=NOW)

    checks = checks_of(study, statement_of(movements(entries_of([study]))))

    assert [check.holds for check in checks] == [True, True, True]


def test_check_fails_when_a_figure_of_the_study_is_not_what_the_ledger_says() -> None:
    batch = open_batch()
    Study.objects.update(reserved=Decimal(1))
    study = Study.objects.get()

    checks = checks_of(study, statement_of(movements(entries_of([batch.study]))))

    assert [(check.ours, check.theirs) for check in checks if not check.holds] == [(Decimal(100), Decimal(1))]


def test_balances_stand_apart_by_grant_code() -> None:
    study = make_study(budget=Decimal(10), grant_code="GA-1")
    Study.objects.update(grant_code="GA-2", budget=Decimal(30))
    study.refresh_from_db()
    grant_budget(study=study, by=None, now=NOW)

    found = balances_by_grant(movements(entries_of([study])))

    assert {code: books[Book.BUDGET] for code, books in found.items()} == {"GA-1": 10, "GA-2": 20}


def test_sums_of_cents_are_exact() -> None:
    study = make_study(budget=None)
    LedgerEntry.objects.bulk_create(
        LedgerEntry(study=study, kind="granted", source="grant", target="budget", amount="0.01", at=NOW)
        for _ in range(3_001)
    )

    assert balances(movements(entries_of([study])))[Book.BUDGET] == Decimal("30.01")


def test_statement_takes_one_query_however_many_rows() -> None:
    batch = open_batch()
    for _ in range(5):
        owed_bonus(batch)

    with CaptureQueriesContext(connection) as queries:
        statement_of(movements(entries_of([batch.study])))

    assert len(queries) == 1


def test_period_begins_with_its_first_instant_and_ends_before_its_last() -> None:
    study = make_study(budget=None)
    for days in range(3):
        LedgerEntry.objects.create(
            study=study, kind="granted", source="grant", target="budget", amount="1", at=NOW + timedelta(days)
        )

    found = entries_of([study], since=NOW, before=NOW + timedelta(days=2))

    assert sorted(found.values_list("at", flat=True)) == [NOW, NOW + timedelta(days=1)]


def test_slices_hold_each_row_once_in_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hits.ledger.queries.SLICE", 4)
    study = make_study(budget=None)
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            study=study,
            kind="granted",
            source="grant",
            target="budget",
            amount="0.01",
            at=NOW + timedelta(seconds=number // 6),
        )
        for number in range(19)
    )

    found = [entry.pk for held in in_slices(entries_of([study])) for entry in held]

    assert found == list(LedgerEntry.objects.order_by("at", "pk").values_list("pk", flat=True))
