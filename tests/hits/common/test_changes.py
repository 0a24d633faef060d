"""Reads and writes of tables are noticed at the database connection."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from django.contrib.auth.models import Group
from django.db import DatabaseError, connection, transaction

from hits.common import changes
from hits.providers.models.accounts import Pace
from tests.factories import NOW, make_account

GROUPS = "auth_group"


@pytest.fixture
def told() -> Iterator[list[set[str]]]:
    """Collect the tables that were announced, for each transaction apart."""
    heard: list[set[str]] = []
    changes.tell_by(heard.append)
    yield heard
    changes.tell_by(None)


def create_in_vain() -> None:
    with suppress(DatabaseError), transaction.atomic():
        Group.objects.create(name="lost")
        raise DatabaseError


@pytest.mark.django_db
def test_reads_are_the_tables_of_a_query_with_its_joins_and_subqueries() -> None:
    with changes.reads() as tables:
        list(Group.objects.filter(user__in=Group.objects.filter(permissions__codename="x").values("user")))
    list(Group.objects.filter(permissions=None))

    assert tables == {
        GROUPS, "hits_user_groups", "auth_group_permissions", "auth_permission",
    }  # fmt: skip


@pytest.mark.django_db
def test_an_update_of_no_row_reads_its_table_and_writes_nothing(told: list[set[str]]) -> None:
    with changes.reads() as tables:
        Group.objects.filter(name="nobody").update(name="somebody")
        Group.objects.filter(name="nobody").delete()

    assert GROUPS in tables
    assert not any(isinstance(hook, changes.Telling) for _, hook, *_ in connection.run_on_commit)


@pytest.mark.django_db
def test_reads_of_one_who_asks_inside_are_kept_apart() -> None:
    with changes.reads() as outside:
        with changes.reads() as inside:
            Group.objects.count()
        assert outside == set()

    assert inside == {GROUPS}


@pytest.mark.django_db(transaction=True)
def test_a_transaction_tells_once_when_it_is_committed(told: list[set[str]]) -> None:
    with transaction.atomic():
        group = Group.objects.create(name="one")
        group.permissions.set([])
        Group.objects.filter(pk=group.pk).update(name="two")
        before = list(told)
    Group.objects.filter(pk=group.pk).delete()

    assert before == []
    assert told[0] == {GROUPS}
    assert len(told) == 2
    assert GROUPS in told[1]


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_is_not_told(told: list[set[str]]) -> None:
    create_in_vain()

    assert told == []


@pytest.mark.django_db(transaction=True)
def test_a_savepoint_that_is_rolled_back_takes_nothing_else_with_it(told: list[set[str]]) -> None:
    with transaction.atomic():
        create_in_vain()
        Group.objects.create(name="kept")

    assert told == [{GROUPS}]


@pytest.mark.django_db(transaction=True)
def test_a_teller_that_fails_does_not_undo_what_was_written() -> None:
    def fail(_: set[str]) -> None:
        raise OSError

    changes.tell_by(fail)
    try:
        with transaction.atomic():
            Group.objects.create(name="one")
    finally:
        changes.tell_by(None)

    assert Group.objects.filter(name="one").exists()


@pytest.mark.django_db(transaction=True)
def test_the_pace_of_calls_wakes_nobody(told: list[set[str]]) -> None:
    account = make_account()
    told.clear()

    Pace.objects.create(account=account, free_at=NOW)

    assert told == []
