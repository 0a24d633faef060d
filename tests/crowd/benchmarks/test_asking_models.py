"""Models are asked about a release slice by slice, whatever fails in between."""

from io import BytesIO
from typing import Any

import pytest

from crowd.benchmarks.models import Result
from crowd.benchmarks.queries.benchmark_table import complete_results
from crowd.benchmarks.released_items import items_from, next_items
from crowd.benchmarks.services import benchmark_results
from crowd.releases.models import Release
from crowd.whoops.models import Image
from hits.common.spreadsheets import Cell, write_csv
from hits.core.errors import RuleBroken
from scoring.models import Vector
from scoring.models.model_questions import ModelQuestion
from scoring.services.answering_questions import answer_questions
from tests.crowd.benchmarks.making import asked, make_benchmark, rival_for, run, uploaded
from tests.factories import NOW, make_user
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


def test_items_are_asked_in_slices_and_none_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark_results, "AT_ONCE", 2)
    benchmark, rival = make_benchmark("whoops", items=5), rival_for("whoops")
    benchmark_results.ask_model(benchmark=benchmark, rival=rival, by=None, now=NOW)

    waiting = []
    for _ in range(4):
        benchmark_results.answer_benchmarks(now=NOW)
        waiting.append(ModelQuestion.objects.filter(status="waiting").count())
        answer_questions(clock=lambda: NOW)

    result = Result.objects.get(source="asked")
    assert (result.status, result.answered, waiting) == ("done", 5, [2, 2, 1, 0])
    assert ModelQuestion.objects.count() == result.items.values("item").distinct().count() == 5


def test_another_process_that_takes_the_same_slice_stores_nothing_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    benchmark, rival = make_benchmark("whoops", items=3), rival_for("whoops")
    result = benchmark_results.ask_model(benchmark=benchmark, rival=rival, by=None, now=NOW)
    benchmark_results.answer_benchmarks(now=NOW)
    answer_questions(clock=lambda: NOW)
    late = Result.objects.select_related("benchmark__release", "rival").get(pk=result.pk)
    benchmark_results.answer_benchmarks(now=NOW)

    benchmark_results._go_on(late, now=NOW)

    result.refresh_from_db()
    assert (result.status, result.answered, result.items.count()) == ("done", 3, 3)


def test_what_a_model_cannot_see_fails_alone_and_can_be_asked_again(fake: type[FakeRival]) -> None:
    benchmark, rival = make_benchmark("whoops", items=3), rival_for("whoops")
    fake.broken.add(Image.objects.earliest("pk").picture.sha256)
    result = asked(benchmark, rival)
    assert (result.status, result.answered, result.failed) == ("done", 2, 1)
    assert "This picture is broken" in result.problem

    fake.broken.clear()
    Vector.objects.filter(values=None).delete()
    benchmark_results.ask_failed_again(result=result, by=make_user(), now=NOW)
    run()

    result.refresh_from_db()
    assert (result.status, result.answered, result.failed, result.problem) == ("done", 3, 0, "")


def test_nothing_is_asked_again_where_nothing_failed() -> None:
    result = asked(make_benchmark("whoops"), rival_for("whoops"))

    with pytest.raises(RuleBroken, match="nothing that could be asked again"):
        benchmark_results.ask_failed_again(result=result, by=make_user(), now=NOW)


def test_a_model_that_is_down_is_waited_for(fake: type[FakeRival]) -> None:
    fake.down = True
    benchmark = make_benchmark("whoops", items=2)
    result = asked(benchmark, rival_for("whoops"))

    assert (result.status, result.waiting, result.problem) == ("open", 2, "The weights are gone.")


def test_a_release_without_its_frozen_rows_says_so() -> None:
    benchmark, rival = make_benchmark("whoops"), rival_for("whoops")
    benchmark_results.ask_model(benchmark=benchmark, rival=rival, by=None, now=NOW)
    for path in benchmark.release.frozen.iterdir():
        path.unlink()

    run()

    result = Result.objects.get(source="asked")
    assert result.status == "open"
    assert "frozen rows" in result.problem


def test_the_best_model_stands_first_and_people_and_chance_below() -> None:
    benchmark = make_benchmark("winoground")
    task = benchmark_results.task_of(benchmark)
    for name, right in (("worse", 1), ("best", 5), ("middle", 3)):
        lines: list[list[Cell]] = [
            [item.name, *((2, 1, 1, 2) if place < right else (1, 2, 2, 1))]
            for place, item in enumerate(read.item for read in items_from(benchmark.release, task))
        ]
        heading = ["example", "c0_i0", "c0_i1", "c1_i0", "c1_i1"]
        uploaded(benchmark, BytesIO("".join(write_csv(heading, lines)).encode()), name=name)
    run()

    assert [one.name for one in complete_results(benchmark)] == [
        "best", "middle", "worse", "People", "Chance",
    ]  # fmt: skip


def test_a_result_that_fails_ends_the_turn_of_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    broken, sound = make_benchmark("winoground"), make_benchmark("whoops")
    taking = next_items

    def take(release: Release, *args: Any, **kwargs: Any) -> Any:
        if release == broken.release:
            raise ZeroDivisionError
        return taking(release, *args, **kwargs)

    monkeypatch.setattr(benchmark_results, "next_items", take)

    with pytest.raises(ExceptionGroup):
        benchmark_results.answer_benchmarks(now=NOW)

    assert set(sound.results.values_list("status", flat=True)) == {"done"}
