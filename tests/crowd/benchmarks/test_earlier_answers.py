"""What was uploaded before there were benchmarks is a result of each benchmark of its task and study."""

import pytest

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark, EarlierAnswers, Result
from crowd.benchmarks.services import benchmark_results
from crowd.benchmarks.services.earlier_answers import bring_earlier_answers
from crowd.winoground.models import Example
from tests.crowd.benchmarks.making import make_benchmark, run
from tests.crowd.releases.studies import release_of
from tests.factories import NOW, make_study, make_user

pytestmark = pytest.mark.django_db
RIGHT, WRONG = [0.9, 0.1, 0.2, 0.8], [0.1, 0.9, 0.9, 0.1]


def keep(benchmark: Benchmark, *, name: str = "old", count: int = 4) -> EarlierAnswers:
    """Keep answers to so many of the benchmark's items, the first of them wrong, and to one that is gone."""
    items = Example.objects.filter(project__study=benchmark.release.study).order_by("number")[:count]
    answers = {str(one.public_id): RIGHT if place else WRONG for place, one in enumerate(items)}
    return EarlierAnswers.objects.create(
        study=benchmark.release.study,
        family="winoground",
        task="captions",
        name=name,
        about="of last year",
        answers={**answers, "gone": RIGHT},
        added_at=NOW,
        added_by=make_user(),
    )


def test_answers_stand_on_every_benchmark_of_their_study_once() -> None:
    first = make_benchmark("winoground")
    kept = keep(first)
    make_benchmark("winoground", items=5)  # of another study

    bring_earlier_answers()
    bring_earlier_answers()
    release = release_of(first.release.study, "winoground", version="2.0")
    task = benchmark_tasks.get("winoground", "captions")
    second = benchmark_results.open_benchmark(release=release, task=task, now=NOW)
    run()

    results = Result.objects.filter(source="uploaded").order_by("pk")
    assert [(one.benchmark, one.name, one.answered, one.status) for one in results] == [
        (first, "old", 4, "done"),
        (second, "old", 4, "done"),
    ]
    one = results[0]
    assert (one.about, one.added_by, one.provenance) == (
        "of last year",
        kept.added_by,
        {"uploaded_as": "old"},
    )
    (group,) = (entry for entry in one.sums if (entry["group"], entry["measure"]) == ("", "group"))
    assert (group["items"], group["sum"]) == (4, "3")


def test_a_name_that_is_taken_gets_a_number() -> None:
    benchmark = make_benchmark("winoground")
    keep(benchmark, name="People")

    bring_earlier_answers()

    assert Result.objects.get(source="uploaded").name == "People (2)"


def test_what_is_removed_does_not_come_again() -> None:
    benchmark = make_benchmark("winoground")
    keep(benchmark)
    bring_earlier_answers()

    benchmark_results.remove_result(result=Result.objects.get(source="uploaded"), by=make_user(), now=NOW)
    bring_earlier_answers()

    assert not Result.objects.filter(source="uploaded").exists()
    assert EarlierAnswers.objects.exists()


def test_without_a_release_answers_are_kept() -> None:
    EarlierAnswers.objects.create(
        study=make_study(), family="winoground", task="captions", name="old", answers={}, added_at=NOW
    )

    bring_earlier_answers()

    assert (EarlierAnswers.objects.count(), Result.objects.count()) == (1, 0)
