"""Rows of the release before the ledger, brought into it by the migration itself."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from pytest_django import DjangoDbBlocker

from tests.factories import NOW
from tests.migrating import former_database, migrate

BEFORE = [("hits", "0004_roles")]
STATES = ("owed", "approved", "sending", "unknown", "refused", "sent", "confirmed")


@pytest.fixture
def old(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Any]:
    with django_db_blocker.unblock(), former_database(BEFORE) as apps:
        yield apps


def make_old_rows(apps: Any) -> None:
    """A study with a budget, a batch that set aside and gave back, and a bonus in each state."""
    user = apps.get_model("hits", "User").objects.create(username="approver")
    study = apps.get_model("hits", "Study").objects.create(
        name="study", lab="lab", budget=Decimal(50), reserved=Decimal(9)
    )
    account = apps.get_model("hits", "Account").objects.create(
        name="account", environment="marketplace", endpoint="http://localhost", worker_site="http://localhost"
    )
    batch = apps.get_model("hits", "Batch").objects.create(
        study=study,
        account=account,
        task="solve",
        title="Title",
        description="Description",
        reward=Decimal("0.03"),
        status="open",
        launched_at=NOW,
        reserved=Decimal(9),
    )
    hit = apps.get_model("hits", "HIT").objects.create(
        batch=batch, status="open", external_id="H1", max_assignments=9, look_at=NOW
    )
    entry = apps.get_model("hits", "BudgetEntry").objects
    entry.create(study=study, batch=batch, amount=Decimal(10), words="Launch", by=user, at=NOW)
    entry.create(study=study, batch=batch, amount=Decimal(-1), words="Less is needed", at=NOW)
    for number, state in enumerate(STATES):
        worker = apps.get_model("hits", "Worker").objects.create(
            account=account, external_id="sealed", external_id_index=f"{number}", pseudonym=f"w-{number}"
        )
        work = apps.get_model("hits", "Assignment").objects.create(
            account=account,
            hit=hit,
            worker=worker,
            external_id=f"A{number}",
            attempt=1,
            accepted_at=NOW,
            deadline_at=NOW,
            opened_at=NOW,
            status="approved",
            submitted_at=NOW,
        )
        apps.get_model("hits", "Bonus").objects.create(
            assignment=work,
            rule="all right",
            amount=Decimal("0.27"),
            reason="All right.",
            status=state,
            owed_at=NOW,
            approved_by=None if state == "owed" else user,
            approved_at=None if state == "owed" else NOW + timedelta(hours=1),
            sent_at=NOW + timedelta(hours=2) if state in ("sent", "confirmed") else None,
            confirmed_at=NOW + timedelta(hours=3) if state == "confirmed" else None,
        )


def test_former_money_is_brought_into_the_books(old: Any) -> None:
    make_old_rows(old)

    apps = migrate(MigrationLoader(connection).graph.leaf_nodes("hits"))

    entries = apps.get_model("hits", "LedgerEntry").objects.order_by("pk")
    aside = entries.filter(bonus=None).values_list("kind", "source", "target", "amount", "words")
    assert list(aside) == [
        ("granted", "grant", "budget", 50, "Opening of the books"),
        ("reserved", "budget", "reserved", 10, "Launch"),
        ("released", "reserved", "released", 1, "Less is needed"),
    ]
    confirmed = entries.filter(bonus__status="confirmed").values_list("kind", "source", "target", "at")
    assert list(confirmed) == [
        ("owed", "reserved", "owed", NOW),
        ("approved", "owed", "approved", NOW + timedelta(hours=1)),
        ("sent", "approved", "sent", NOW + timedelta(hours=2)),
        ("confirmed", "sent", "confirmed", NOW + timedelta(hours=3)),
    ]
    assert states_of(apps) == [
        ("owed", "owed", False, False),
        ("owed", "owed", False, False),  # one person's approval is not enough any more
        ("sending", "approved", True, True),
        ("unknown", "approved", True, True),
        ("refused", "approved", True, True),
        ("sent", "sent", True, True),
        ("confirmed", "confirmed", True, True),
    ]
    books = balances_of(entries)
    study = apps.get_model("hits", "Study").objects.get()
    free = books["budget"] + books["released"]
    assert sum(books.values()) == 0
    assert (free, -books["grant"] - free) == (study.budget - study.reserved, study.reserved)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        entries.order_by().update(amount=1)


def states_of(apps: Any) -> list[tuple[Any, ...]]:
    """Of each bonus: its state, the book that its money lies in, and who is said to have decided."""
    return [
        (
            bonus.status,
            bonus.ledger.order_by("-pk")[0].target,
            bonus.before_runs,
            bonus.approved_by is not None,
        )
        for bonus in apps.get_model("hits", "Bonus").objects.order_by("pk")
    ]


def balances_of(entries: Any) -> dict[str, Decimal]:
    books: dict[str, Decimal] = defaultdict(Decimal)
    for entry in entries:
        books[entry.source] -= entry.amount
        books[entry.target] += entry.amount
    return books
