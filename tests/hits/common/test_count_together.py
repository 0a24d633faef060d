"""Several queries are counted in one, whatever they look like."""

from typing import Any

import pytest
from django.db.models import Count

from hits.common.count_together import count_together
from hits.identity.models.users import User
from hits.studies.models import Study
from tests.factories import make_study, make_user

pytestmark = pytest.mark.django_db


def test_queries_of_several_tables_are_counted_in_one(django_assert_num_queries: Any) -> None:
    for name in ("Dogs", "Cats", "Cows"):
        make_study(name=name).members.add(make_user())

    with django_assert_num_queries(1):
        counts = count_together(
            studies=Study.objects.order_by("name"),
            with_c=Study.objects.filter(name__startswith="C"),
            grouped=Study.objects.annotate(size=Count("members")).filter(size__gt=0),
            nobody=User.objects.none(),
            none=Study.objects.filter(name="Goats"),
            users=User.objects.all(),
        )

    assert counts == {"studies": 3, "with_c": 2, "grouped": 3, "nobody": 0, "none": 0, "users": 3}


def test_rows_that_a_join_repeats_are_counted_once() -> None:
    study = make_study()
    study.members.add(make_user(), make_user())

    assert count_together(joined=Study.objects.filter(members__isnull=False)) == {"joined": 1}
