"""Scores of models that were uploaded to a project are kept, and stand on its releases."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from crowd.benchmarks.models import EarlierAnswers, Result
from crowd.winoground.domain import PLACES
from crowd.winoground.models import Example
from tests.crowd.benchmarks.making import make_benchmark, run
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE = [("winoground", "0003_captions_of_confirmations")]
RIGHT, TIED = (0.9, 0.1, 0.2, 0.8), (0.5, 0.5, 0.5, 0.5)


@pytest.fixture
def before() -> Iterator[Any]:
    """The tables as they were before, with their models; afterwards they are as they are now."""
    executor = MigrationExecutor(connection)
    executor.migrate(BEFORE)
    yield executor.loader.project_state(BEFORE).apps
    call_command("migrate", verbosity=0)


def upload(models: Any, name: str, scores: dict[Example, Any], **values: Any) -> None:
    project = next(iter(scores)).project_id
    made = models.get_model("winoground", "ModelScores").objects.create(
        project_id=project, name=name, added_at=NOW, **values
    )
    for example, four in scores.items():
        pairings = {(one.caption, one.image): one.pk for one in example.pairings.all()}
        for place, value in zip(PLACES, four, strict=False):
            made.rows.create(pairing_id=pairings[place], value=value)


def test_uploaded_scores_are_kept_and_stand_on_a_release(before: Any) -> None:
    benchmark, user = make_benchmark("winoground"), make_user()
    first, second, third, *_ = Example.objects.order_by("number")
    long = "x" * 100
    upload(
        before, "Small", {first: RIGHT, second: TIED, third: (1, 2, 3)}, about="a note", added_by_id=user.pk
    )
    upload(before, long, {first: TIED}, about="another")

    call_command("migrate", verbosity=0)

    small, other = EarlierAnswers.objects.order_by("pk")
    assert (small.study, small.name, small.about) == (benchmark.release.study, "Small", "a note")
    assert (small.added_by, small.added_at) == (user, NOW)
    assert small.answers == {str(first.public_id): [*RIGHT], str(second.public_id): [*TIED]}
    assert (other.name, other.about, other.added_by) == (long[:64], f"{long}. another", None)
    run()
    result = Result.objects.get(name="Small")
    assert (result.benchmark, result.answered) == (benchmark, 2)
    scores = dict(result.items.values_list("item", "scores"))
    assert scores[str(first.public_id)] == {"text": "1", "image": "1", "group": "1"}
    assert scores[str(second.public_id)] == {"text": "0", "image": "0", "group": "0"}
