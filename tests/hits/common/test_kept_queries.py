from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import pytest
from django.db import connection
from django.db.models import CharField, Count, Exists, OuterRef, QuerySet
from django.db.transaction import TransactionManagementError
from pytest_django import DjangoAssertNumQueries

from hits.common.kept_queries import NOW, Given, KeptQuery, given_id
from hits.studies.models import Batch, Study
from tests.factories import make_batch, make_study

pytestmark = pytest.mark.django_db
INSTANT = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
NAME = Given("name", CharField())


def test_rows_are_those_of_the_queryset(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    study = make_study(name="One")
    batches = [make_batch(study=study) for _ in range(2)]
    make_batch(study=make_study(name="Other"))
    named = Batch.objects.filter(study__name=NAME).select_related("study", "account")
    kept = KeptQuery(lambda: named.annotate(hits_made=Count("hits")).order_by("-pk"))

    with django_assert_num_queries(1):
        read = [(row, row.study.name, row.account.name, row.hits_made) for row in kept.rows(name=study.name)]

    assert read == [(one, "One", one.account.name, 0) for one in reversed(batches)]


def test_each_call_has_values_of_its_own_and_the_query_is_made_once() -> None:
    made = []

    def make() -> QuerySet[Study, str]:
        made.append(1)
        return Study.objects.filter(name=NAME).values_list("name", flat=True)

    kept = KeptQuery(make)
    for name in ("One", "Other"):
        make_study(name=name)

    assert [kept.first(name=name) for name in ("Other", "One", "None")] == ["Other", "One", None]
    assert made == [1]


@pytest.mark.parametrize("later", [timedelta(0), timedelta(microseconds=1)])
def test_value_is_written_as_its_field_writes_it(later: timedelta) -> None:
    """SQLite stores an instant as text, which compares as the instants do only if both are written alike."""
    study = make_study()
    Study.objects.filter(pk=study.pk).update(created_at=INSTANT)
    kept = KeptQuery(lambda: Study.objects.filter(pk=given_id("study"), created_at__lt=NOW))

    assert kept.rows(study=study.pk, now=INSTANT + later) == ([study] if later else [])


def test_values_reach_into_subqueries() -> None:
    batch, other = make_batch(), make_batch()
    named = Batch.objects.filter(study=OuterRef("pk"), pk=given_id("batch"))
    kept = KeptQuery(lambda: Study.objects.filter(Exists(named)))

    assert kept.rows(batch=batch.pk) == [batch.study]
    assert kept.rows(batch=other.pk) == [other.study]


@pytest.mark.django_db(transaction=True)
def test_threads_ask_by_their_own_connections() -> None:
    study = make_study(name="One")
    kept = KeptQuery(lambda: Study.objects.filter(name=NAME))
    found: list[Any] = [kept.rows(name="One")]

    def ask() -> None:
        found.append(kept.rows(name="One"))
        connection.close()

    thread = Thread(target=ask)
    thread.start()
    thread.join()

    assert found == [[study], [study]]


@pytest.mark.django_db(transaction=True)
def test_lock_outside_a_transaction_is_refused_each_time() -> None:
    study = make_study()
    kept = KeptQuery(lambda: Study.objects.filter(pk=given_id("study")).select_for_update())

    for _ in range(2):
        with pytest.raises(TransactionManagementError):
            kept.rows(study=study.pk)
