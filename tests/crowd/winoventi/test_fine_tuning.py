"""Fine-tuning on exceptions, and on half of the pairs, of a masked model of a few kilobytes."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from django.conf import LazySettings

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark, ItemResult, Result, Training
from crowd.benchmarks.queries.trained_tables import trained_tables
from crowd.benchmarks.released_items import items_from
from crowd.benchmarks.services import benchmark_results, training_runs
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.winoventi.domain import EXCEPTION, GENERIC
from scoring.models import RegisteredRival
from scoring.services import fetching
from scoring.services.fetching import WantedModel
from tests.crowd.benchmarks.making import asked
from tests.crowd.benchmarks.making_trainings import begin, mean_of, play
from tests.crowd.releases.studies import release_of
from tests.crowd.winoventi.rows import make_pair, make_project
from tests.factories import NOW, make_study
from tests.scoring.small_language_models import one_thread, save_bert

pytestmark = pytest.mark.django_db
# The outcome alone is masked, so that few steps are enough.
QUICK = {"epochs": 8, "batch_size": 2, "learning_rate": 0.01, "mask_share": 0}
PAIRS = 10


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(training_runs, "_live", {})
    with one_thread():
        yield


@pytest.fixture
def rival(settings: LazySettings, tmp_path: Path) -> RegisteredRival:
    settings.WEIGHTS_DIR = tmp_path / "weights"
    save_bert(tmp_path / "bert")
    wanted = WantedModel(name="bert", kind="masked", model="bert", source=tmp_path / "bert", options={})
    return fetching.fetch_rival(wanted=wanted, now=NOW)


def make_challenge(*, pairs: int = PAIRS, **release: object) -> Benchmark:
    """Pairs whose generic is always sweet and whose exception is always hot, after one of two words."""
    study = make_study()
    project = make_project(study=study)
    for number in range(pairs):
        make_pair(project, f"car{number}", ("sweet", "hot"), "zeke says that is [long / rotten].")
    task = benchmark_tasks.get("winoventi", "prompts")
    made = release_of(study, "winoventi", **release)
    return benchmark_results.open_benchmark(release=made, task=task, now=NOW)


def kinds_of(benchmark: Benchmark) -> dict[str, str]:
    reads = items_from(benchmark.release, task_of(benchmark))
    return {read.item.name: read.item.row["test_type"] for read in reads}


def trained(benchmark: Benchmark, rival: RegisteredRival, recipe: str, **changes: object) -> Training:
    values = {"seeds": 1, "settings": QUICK, **changes}
    return play(begin(benchmark, rival, recipe=recipe, **values))


def test_training_on_exceptions_raises_unseen_ones_at_the_expense_of_generics(rival: RegisteredRival) -> None:
    training = trained(make_challenge(), rival, "exceptions")

    assert (training.status, training.problem) == ("done", "")
    run = training.runs.get()
    assert run.counts == {
        "prompts to learn from": 8, "unseen exceptions": 2, "generics": 10, "mixed": 4,
    }  # fmt: skip
    tests = ("unseen exceptions", "generics")
    assert [mean_of(run, test, epoch=0) for test in tests] == [0, 1]
    assert [mean_of(run, test) for test in tests] == [1, 0]
    assert mean_of(run, "mixed") == Fraction(1, 2)


def test_training_on_half_of_the_pairs_is_tested_on_both_prompts_of_the_others(
    rival: RegisteredRival,
) -> None:
    benchmark = make_challenge()
    training = trained(benchmark, rival, "half", settings={**QUICK, "epochs": 150, "batch_size": 10})

    run, kinds = training.runs.get(), kinds_of(benchmark)
    assert run.counts == {"prompts to learn from": 10, "unseen generics": 5, "unseen exceptions": 5}
    assert mean_of(run, "unseen exceptions", epoch=0) == 0
    assert mean_of(run, "unseen exceptions") == mean_of(run, "unseen generics") == 1
    items = list(run.result.items.values_list("item", flat=True))
    assert sorted(kinds[item] for item in items) == [EXCEPTION] * 5 + [GENERIC] * 5


def test_epoch_0_is_the_model_as_it_was_asked(rival: RegisteredRival) -> None:
    benchmark = make_challenge()
    whole = asked(benchmark, rival)
    run = trained(benchmark, rival, "exceptions").runs.get()

    generics = [name for name, kind in kinds_of(benchmark).items() if kind == GENERIC]
    scores = [Fraction(row.scores["accuracy"]) for row in whole.items.filter(item__in=generics)]
    assert mean_of(run, "generics", epoch=0) == sum(scores) / len(scores)
    fresh = asked(make_challenge(), rival)
    assert sorted(row.answer for row in fresh.items.all()) == sorted(row.answer for row in whole.items.all())


def test_the_same_seed_trains_the_same_model_and_another_seed_another(rival: RegisteredRival) -> None:
    benchmark = make_challenge()
    one, two = (trained(benchmark, rival, "half", seeds=2) for _ in range(2))

    answers = [
        [[row.answer for row in run.result.items.order_by("item")] for run in training.runs.all()]
        for training in (one, two)
    ]
    assert answers[0] == answers[1]
    assert answers[0][0] != answers[0][1]


def test_the_figures_of_the_paper_are_charts_with_a_table(rival: RegisteredRival) -> None:
    benchmark = make_challenge()
    for recipe in ("half", "exceptions"):
        trained(benchmark, rival, recipe)

    tables = {table.name: table for table in trained_tables(benchmark)}

    assert list(tables) == [
        "trained-half", "trained-half-by-epoch", "trained-exceptions", "trained-exceptions-by-epoch",
    ]  # fmt: skip
    figure = tables["trained-exceptions-by-epoch"]
    (chart,) = figure.charts
    rows = list(figure.as_json())
    assert [row["epoch"] for row in rows] == list(range(9))
    assert (rows[-1]["generics"], rows[-1]["unseen exceptions"], rows[-1]["mixed"]) == (0, 1, 0.5)
    assert {one["test"] for one in chart.spec["data"]["values"]} == {
        "All generics", "Unseen exceptions", "Both of the unseen",
    }  # fmt: skip


@pytest.mark.parametrize("recipe", ["half", "exceptions"])
def test_pairs_of_a_hidden_split_are_never_learned_from_and_answered_whole(
    rival: RegisteredRival, recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scoring.services.training_models import TrainableMaskedModel  # noqa: PLC0415 - torch

    learned: list[str] = []
    train = TrainableMaskedModel.train

    def watch(model: object, examples: list[tuple[str, str]], plan: object) -> object:
        learned.extend(prompt for prompt, _ in examples)
        return train(model, examples, plan)  # type: ignore[arg-type]

    monkeypatch.setattr(TrainableMaskedModel, "train", watch)
    benchmark = make_challenge(pairs=24, split_seed=3, hides_test=True)
    reads = items_from(benchmark.release, task_of(benchmark))
    hidden = {read.item.name: read.item.row for read in reads if read.item.is_hidden}
    assert hidden

    training = trained(benchmark, rival, recipe, settings={**QUICK, "epochs": 1})

    assert training.status == "done"
    assert learned
    assert not {row["masked_prompt"] for row in hidden.values()} & set(learned)
    rows = ItemResult.objects.filter(result__run__training=training, is_hidden=True)
    assert {row.item for row in rows} == set(hidden)


def test_a_prompt_that_the_model_cannot_read_is_left_out_and_told(rival: RegisteredRival) -> None:
    benchmark = make_challenge()
    project = benchmark.release.study.winoventi
    make_pair(project, "apple", ("sweet", "hot"), "very " * 30 + "[long / rotten].")
    again = release_of(benchmark.release.study, "winoventi", version="2")
    longer = benchmark_results.open_benchmark(release=again, task=task_of(benchmark), now=NOW)

    run = trained(longer, rival, "exceptions").runs.get()

    assert run.counts["prompts that could not be read"] == 2
    assert run.counts["generics"] == PAIRS


def test_too_few_pairs_are_refused_in_words(rival: RegisteredRival) -> None:
    training = trained(make_challenge(pairs=2), rival, "exceptions")

    assert (training.status, training.problem) == (
        "failed", "2 pairs are too few to be divided. Collect more of them.",
    )  # fmt: skip
    assert not Result.objects.filter(source="trained").exists()
