"""Rows written by SQL that is made once are as the ORM would have written them."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError, IntegrityError

from crowd.marketplace.models import RequestToken
from crowd.marketplace.models.parties import Requester
from hits.common.kept_writes import insert, update
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.factories import make_study
from tests.idle import watch

pytestmark = pytest.mark.django_db(databases=["default", "marketplace"])
OWN = {"id", "public_id", "name", "created_at"}
INSTANT = datetime(2026, 5, 4, 3, 2, 1, 9, tzinfo=UTC)


def values_of(row: Any) -> dict[str, Any]:
    """The columns of a row as the database has them now, but for those that are never equal twice."""
    [found] = type(row).objects.filter(pk=row.pk).values()
    return {name: value for name, value in found.items() if name not in OWN}


def make_token(made: str) -> RequestToken:
    """A token of the first requester, not stored yet."""
    requester = Requester.objects.first() or Requester.objects.create(name="one", created_at=INSTANT)
    return RequestToken(requester=requester, operation="CreateHIT", token="t", made=made, created_at=INSTANT)


def test_a_row_is_stored_as_create_stores_it() -> None:
    """Text, money, JSON, keys, defaults, and the moment that a field writes by itself."""
    terms = {"lab": "it's %s", "budget": Decimal("7.25"), "bonus_rules": [{"name": "ü", "amount": "0.05"}]}
    mine, theirs = Study(name="mine", **terms), Study.objects.create(name="theirs", **terms)

    seen = watch(lambda: insert(mine))

    assert seen.queries == 1
    assert mine.pk not in (None, theirs.pk)
    assert not mine._state.adding
    assert values_of(mine) == values_of(theirs)
    found = Study.objects.get(pk=mine.pk)
    assert found == mine
    assert found.created_at == mine.created_at >= theirs.created_at


def test_several_rows_are_stored_by_one_statement() -> None:
    study = make_study()
    rows = [Item(study=study, task=task, wanted=1) for task in ("one", "two", "three")]

    seen = watch(lambda: insert(*rows))

    assert seen.queries == 1
    assert [Item.objects.get(pk=row.pk).task for row in rows] == ["one", "two", "three"]


def test_row_goes_to_the_database_of_its_model() -> None:
    token = make_token("MADE")

    assert insert(token)

    assert token._state.db == "marketplace"
    assert RequestToken.objects.get().created_at == INSTANT


def test_row_that_breaks_a_unique_constraint_is_left_out_or_refused() -> None:
    assert insert(make_token("FIRST"), unless_there=True)
    second = make_token("SECOND")
    assert not insert(second, unless_there=True)
    assert second._state.adding
    assert RequestToken.objects.get().made == "FIRST"
    with pytest.raises(IntegrityError):
        insert(make_token("THIRD"))


def test_only_the_named_fields_are_written() -> None:
    study, other = make_study(name="One", budget=Decimal(5)), make_study(name="Other")
    study.name, study.budget, study.public_id = "New", Decimal("7.25"), UUID(int=1)

    seen = watch(lambda: update(study, "name", "budget"))

    assert seen.queries == 1
    found = Study.objects.get(pk=study.pk)
    assert (found.name, found.budget) == ("New", Decimal("7.25"))
    assert found.public_id != study.public_id
    assert Study.objects.get(pk=other.pk).name == "Other"


def test_update_of_a_row_that_is_gone_is_an_error() -> None:
    token = make_token("MADE")
    insert(token)
    RequestToken.objects.all().delete()

    with pytest.raises(DatabaseError, match="gone"):
        update(token, "made")
