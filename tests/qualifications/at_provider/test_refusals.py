"""Refusals on a study's pages are counted by reason and by day in the study's time zone."""

from datetime import UTC, date, datetime

import pytest

from qualifications.models import RefusalCount
from qualifications.services.refusals import count_refusal
from tests.factories import make_study

pytestmark = pytest.mark.django_db
EVENING = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)


def test_refusals_are_counted_by_day_of_the_study_and_by_reason() -> None:
    study = make_study(time_zone="Europe/Berlin")

    for code in ("blocked", "took_part", "blocked"):
        count_refusal(study=study, code=code, now=EVENING)

    assert sorted(RefusalCount.objects.values_list("code", "day", "count")) == [
        ("blocked", date(2026, 11, 22), 2),
        ("took_part", date(2026, 11, 22), 1),
    ]


def test_a_known_reason_costs_one_query(django_assert_num_queries: object) -> None:
    study = make_study()
    count_refusal(study=study, code="blocked", now=EVENING)

    with django_assert_num_queries(1):  # type: ignore[operator]
        count_refusal(study=study, code="blocked", now=EVENING)


def test_a_reason_longer_than_its_column_is_cut() -> None:
    count_refusal(study=make_study(), code="x" * 40, now=EVENING)

    assert RefusalCount.objects.get().code == "x" * 32
