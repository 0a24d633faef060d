import pytest
from pytest_django import DjangoAssertNumQueries

from hits.core.chunks import in_chunks
from hits.studies.models import Study
from tests.factories import make_study

pytestmark = pytest.mark.django_db


def test_chunks_follow_each_other_without_a_gap() -> None:
    made = [make_study().pk for _ in range(5)]

    found = [[one.pk for one in some] for some in in_chunks(Study.objects.order_by("-name"), size=2)]

    assert found == [made[:2], made[2:4], made[4:]]


def test_reading_begins_after_what_was_read() -> None:
    made = [make_study().pk for _ in range(3)]

    assert [[one.pk for one in some] for some in in_chunks(Study.objects.all(), size=5, after=made[0])] == [
        made[1:]
    ]


def test_nothing_is_read_before_it_is_asked_for(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    make_study()
    make_study()

    with django_assert_num_queries(1):
        chunks = in_chunks(Study.objects.all(), size=1)
        next(chunks)


def test_row_that_comes_meanwhile_is_read_too() -> None:
    make_study()
    chunks = in_chunks(Study.objects.all(), size=1)

    next(chunks)
    late = make_study()

    assert list(chunks) == [[late]]
