import pytest
from django.db import IntegrityError
from pytest_django import DjangoAssertNumQueries

from hits.common.bulk_writes import MOST_PARAMETERS, insert_rows
from hits.core.models.audit_events import AuditEvent
from tests.factories import NOW

pytestmark = pytest.mark.django_db
NAMES = ("kind", "words", "at")


def test_rows_are_inserted_in_as_few_statements_as_their_values_allow(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    number = MOST_PARAMETERS // len(NAMES) + 1

    with django_assert_num_queries(2):
        insert_rows(AuditEvent, NAMES, (("kind", f"Row {place}.", str(NOW)) for place in range(number)))

    assert AuditEvent.objects.count() == number
    assert AuditEvent.objects.latest("pk").words == f"Row {number - 1}."


def test_no_rows_take_no_statement(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        insert_rows(AuditEvent, NAMES, [])


def test_a_field_that_is_left_out_and_cannot_be_empty_is_refused() -> None:
    with pytest.raises(IntegrityError):
        insert_rows(AuditEvent, ("kind", "words"), [("kind", "A row.")])
