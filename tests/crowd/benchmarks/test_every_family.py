"""A model on a release of each family: asked here, and the same answers from a file."""

from fractions import Fraction
from io import BytesIO

import pytest
from django.test import Client
from django.urls import reverse

from crowd.benchmarks.models import Benchmark, ItemResult, Result
from crowd.benchmarks.services import answer_files, benchmark_results
from crowd.benchmarks.services.benchmark_results import task_of
from hits.core.errors import InvalidItems, RuleBroken
from hits.identity.roles import RESEARCHER
from scoring.models.model_questions import ModelQuestion
from tests.crowd.benchmarks.making import (
    TASKS,
    asked,
    file_of,
    make_benchmark,
    make_hiding,
    rival_for,
    run,
    uploaded,
)
from tests.factories import NOW, make_user
from tests.people import sign_in
from tests.scoring.fakes import FakeRival, make_rival, use_fakes
from tests.scoring.text_fakes import FakeText

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    from scoring.rivals import registry  # noqa: PLC0415 - numpy, where it is wanted

    fake = use_fakes(monkeypatch)
    text = f"{FakeText.__module__}:{FakeText.__name__}"
    monkeypatch.setattr(registry, "PATHS", {**registry.PATHS, "masked": text, "causal": text})
    return fake


@pytest.fixture(params=list(TASKS))
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def items_of(result: Result) -> list[tuple[str, object, dict[str, str]]]:
    return list(result.items.order_by("item").values_list("item", "answer", "scores"))


def test_a_registered_model_answers_every_item_with_its_provenance(family: str) -> None:
    benchmark, rival = make_benchmark(family), rival_for(family)

    result = asked(benchmark, rival)

    assert (result.status, result.waiting, result.failed, result.problem) == ("done", 0, 0, "")
    assert result.answered == result.items.count() > 0
    # The end of each pair's prompts is asked about once more, without the sentence before.
    alone = result.answered // 2 if family == "winoventi" else 0
    assert ModelQuestion.objects.count() == result.answered + alone
    assert result.provenance["rival"] == "model"
    assert {"weights_sha256", "preprocessing", "device", "code_version"} <= set(result.provenance)
    measures = {one.key for one in task_of(benchmark).measures}
    assert all(set(scores) == measures for _, _, scores in items_of(result))


def test_the_same_answers_from_a_file_give_the_same_figures(family: str) -> None:
    benchmark = make_benchmark(family)
    one = asked(benchmark, rival_for(family))

    other = uploaded(benchmark, file_of(one))

    assert [(item, scores) for item, _, scores in items_of(other)] == [
        (item, scores) for item, _, scores in items_of(one)
    ]
    assert other.sums == one.sums != []
    assert other.source == "uploaded"
    assert set(other.provenance) == {"file_sha256"}


def test_people_and_chance_stand_beside_models_on_the_same_items(family: str) -> None:
    benchmark = make_benchmark(family)

    run()

    results = {one.source: one for one in benchmark.results.all()}
    assert results["chance"].answered == len(answer_files.KnownItems(benchmark))
    assert all(one.status == "done" for one in results.values())
    if task_of(benchmark).people:
        assert results["people"].name == task_of(benchmark).people


def test_sums_are_those_of_the_items_counted_by_hand(family: str) -> None:
    benchmark = make_benchmark(family)
    result = asked(benchmark, rival_for(family))

    for measure in task_of(benchmark).measures:
        by_hand = sum(Fraction(scores[measure.key]) for _, _, scores in items_of(result))
        (total,) = (one for one in result.sums if (one["group"], one["measure"]) == ("", measure.key))
        assert (Fraction(str(total["sum"])), total["items"]) == (by_hand, result.answered)


def test_hidden_items_are_answered_as_the_files_show_them(family: str) -> None:
    """A file is written from what is shown of a hidden split, and comes back to the same scores."""
    benchmark = make_hiding(family)
    one = asked(benchmark, rival_for(family))

    other = uploaded(benchmark, file_of(one))

    hidden = one.items.filter(is_hidden=True)
    assert 0 < hidden.count() < one.answered
    assert items_of(other) == items_of(one) or family == "winoventi"
    assert other.sums == one.sums
    splits = {entry["value"] for entry in one.sums if entry["group"] == "split"}
    assert splits == {"train", "test"}


def test_answers_are_shown_item_by_item(family: str, client: Client) -> None:
    result = asked(make_benchmark(family), rival_for(family))
    sign_in(client, RESEARCHER, result.benchmark.release.study)

    page = client.get(reverse("admin:benchmarks_items", args=[result.pk]))

    assert page.status_code == 200
    rows = page.context["rows"]
    assert [one.name for one in rows] == list(result.items.order_by("pk").values_list("item", flat=True))
    measures = len(task_of(result.benchmark).single_measures)
    assert {len(one.scores) for one in rows} == {measures}


def test_a_model_of_another_kind_is_refused(family: str) -> None:
    benchmark = make_benchmark(family)

    with pytest.raises(RuleBroken, match="cannot answer this"):
        benchmark_results.ask_model(
            benchmark=benchmark, rival=make_rival(kind="tagger"), by=make_user(), now=NOW
        )

    assert not Result.objects.filter(source="asked").exists()


def test_a_model_has_one_result_under_its_name(family: str) -> None:
    benchmark, rival = make_benchmark(family), rival_for(family)
    result = asked(benchmark, rival)

    with pytest.raises(RuleBroken, match="answers of model already"):
        benchmark_results.ask_model(benchmark=benchmark, rival=rival, by=make_user(), now=NOW)
    with pytest.raises(RuleBroken, match="answers of Model already"):
        uploaded(benchmark, file_of(result), name="Model")

    assert Result.objects.filter(source__in=Result.OF_MODELS).count() == 1


def test_a_file_with_one_bad_line_leaves_nothing(family: str) -> None:
    benchmark = make_benchmark(family)
    file = file_of(asked(benchmark, rival_for(family))).getvalue().decode().splitlines()
    bad = "\n".join([*file[:-1], file[-1].replace(file[-1].split(",")[0], "nobody-knows-this"), file[1]])

    with pytest.raises(InvalidItems) as refusal:
        uploaded(benchmark, BytesIO(bad.encode()))

    assert len(refusal.value.problems) == 3
    assert any("nobody-knows-this" in one for one in refusal.value.problems)
    assert any("is in line 2 already" in one for one in refusal.value.problems)
    assert any("have no answer" in one for one in refusal.value.problems)
    assert not Result.objects.filter(name="uploaded").exists()


def test_a_file_may_say_that_it_covers_a_part(family: str) -> None:
    benchmark = make_benchmark(family)
    lines = file_of(asked(benchmark, rival_for(family))).getvalue().splitlines(keepends=True)

    result = uploaded(benchmark, BytesIO(b"".join(lines[:3])), is_part=True)

    assert (result.answered, result.items.count()) == (2, 2)


def test_a_result_can_be_removed_and_people_cannot(family: str) -> None:
    benchmark = make_benchmark(family)
    result = asked(benchmark, rival_for(family))

    benchmark_results.remove_result(result=result, by=make_user(), now=NOW)
    with pytest.raises(RuleBroken, match="stay"):
        benchmark_results.remove_result(
            result=benchmark.results.get(source="chance"), by=make_user(), now=NOW
        )

    assert not ItemResult.objects.filter(result__source="asked").exists()
    assert Benchmark.objects.get().results.filter(source="chance").exists()
