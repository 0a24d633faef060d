"""Trainings run by run: what is learned, what is kept, and what becomes of a run that is cut off."""

from collections.abc import Iterator
from datetime import timedelta
from fractions import Fraction
from itertools import count
from typing import Any

import pytest

from crowd.benchmarks.models import Benchmark, ItemResult, Result, Training, TrainingRun
from crowd.benchmarks.released_items import items_from
from crowd.benchmarks.services import training_jobs, training_runs
from crowd.benchmarks.services.benchmark_results import task_of
from hits.core.errors import RuleBroken
from scoring.models import RegisteredRival, Vector
from tests.crowd.benchmarks.making import asked, rival_for
from tests.crowd.benchmarks.making_trainings import QUICK, begin, make_learnable, mean_of, play
from tests.factories import NOW, make_user
from tests.scoring.fakes import FakeRival, use_fakes
from tests.scoring.small_language_models import one_thread

pytestmark = pytest.mark.django_db
LATER = NOW + training_runs.HOLD + timedelta(seconds=1)


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[FakeRival]]:
    monkeypatch.setattr(training_runs, "_live", {})
    with one_thread():
        yield use_fakes(monkeypatch)


@pytest.fixture
def benchmark() -> Benchmark:
    return make_learnable()


@pytest.fixture
def rival() -> RegisteredRival:
    return rival_for("winogavil")


def killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lose what a process had in its memory, as kill -9 does."""
    monkeypatch.setattr(training_runs, "_live", {})


def watched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Any]]:
    """Return a list that fills with the items of each run, and how they were divided."""
    from crowd.winogavil.releases import classifier_runs  # noqa: PLC0415 - numpy, where it is wanted

    divide, found = classifier_runs.divide, list[tuple[Any, Any]]()

    def watch(items: Any, **how: int) -> Any:
        found.append((items, divide(items, **how)))
        return found[-1][1]

    monkeypatch.setattr(classifier_runs, "divide", watch)
    return found


def some_steps(training: Training, steps: int) -> Training:
    """Run the sweep until its time is up after so many steps."""
    ticks = count()
    training_runs.train_models(
        clock=lambda: NOW, timer=lambda: training_runs.LONGEST_S / (steps + 1) * next(ticks)
    )
    training.refresh_from_db()
    return training


def test_a_classifier_learns_what_its_model_did_not_know(rival: RegisteredRival) -> None:
    training = play(begin(make_learnable(items=50), rival))

    assert (training.status, training.problem) == ("done", "")
    for run in training.runs.all():
        for test in ("10 & 12", "5 & 6"):
            # The splits differ from run to run, and the shorter test has 15 items.
            assert mean_of(run, test) > mean_of(run, test, epoch=0) + Fraction(1, 10)
        assert [point["epoch"] for point in run.points] == list(range(31))


def test_each_run_is_a_result_on_the_items_of_its_own_test(
    benchmark: Benchmark, rival: RegisteredRival
) -> None:
    play(begin(benchmark, rival))

    one, two = Result.objects.filter(source="trained").order_by("pk")
    names = [set(result.items.values_list("item", flat=True)) for result in (one, two)]
    assert [result.answered for result in (one, two)] == [6, 6] == [len(some) for some in names]
    assert names[0] != names[1]
    assert one.provenance["settings"] == QUICK
    assert one.provenance["seed"] == 1
    assert one.provenance["weights_sha256"] == rival.weights_sha256
    total = sum((Fraction(row.scores["jaccard"]) for row in one.items.all()), Fraction())
    (whole,) = (line for line in one.sums if line["group"] == "")
    assert (whole["items"], Fraction(str(whole["sum"]))) == (6, total)


def test_the_untrained_model_is_measured_on_the_same_items_by_the_vectors_that_are_kept(
    benchmark: Benchmark, rival: RegisteredRival, fake: type[FakeRival]
) -> None:
    whole = asked(benchmark, rival)
    computed, kept = list(fake.computed), Vector.objects.count()

    training = play(begin(benchmark, rival, seeds=1))

    assert fake.computed == computed
    assert Vector.objects.count() == kept
    (run,) = training.runs.all()
    tested = run.result.items.values_list("item", flat=True)
    scores = [Fraction(row.scores["jaccard"]) for row in whole.items.filter(item__in=tested)]
    untrained = [run.points[0]["means"][test] for test in ("10 & 12", "5 & 6")]
    assert sum(Fraction(one["sum"]) for one in untrained) == sum(scores)
    assert sum(one["items"] for one in untrained) == len(scores) == 6


def test_no_picture_of_a_test_or_of_validation_is_learned_from(
    benchmark: Benchmark, rival: RegisteredRival, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = watched(monkeypatch)

    play(begin(benchmark, rival, seeds=3))

    assert len(found) == 3
    for _, division in found:
        learned = set(division.pictures.tolist())
        tests = division.tests.values()
        parts = [{picture for one in some for picture in one.pictures.tolist()} for some in tests]
        assert [len(some) for some in tests] == [3, 3, 6]
        assert all(learned.isdisjoint(part) for part in parts)
        assert (parts[0] | parts[1]).isdisjoint(parts[2])


def test_the_same_training_gives_the_same_numbers(benchmark: Benchmark, rival: RegisteredRival) -> None:
    one, two = (play(begin(benchmark, rival)) for _ in range(2))

    points = [[run.points for run in training.runs.all()] for training in (one, two)]
    assert points[0] == points[1]
    assert points[0][0] != points[0][1]


def test_a_run_that_is_killed_is_begun_again_and_counted_once(
    benchmark: Benchmark, rival: RegisteredRival, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = play(begin(benchmark, rival))
    training = begin(benchmark, rival)
    some_steps(training, 40)
    assert 0 < training.steps_done < training.steps_all
    assert "seed 1" in training.doing
    killed(monkeypatch)

    some_steps(training, 40)
    assert training_runs.next_training(now=NOW) == NOW + training_runs.HOLD
    assert not training.runs.exists()
    play(training, now=LATER)

    assert training.status == "done"
    assert [run.seed for run in training.runs.all()] == [1, 2]
    assert [run.points for run in training.runs.all()] == [run.points for run in whole.runs.all()]
    assert Result.objects.filter(run__training=training).count() == 2


def test_complete_runs_outlive_a_kill(
    benchmark: Benchmark, rival: RegisteredRival, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = begin(benchmark, rival)
    while not training.runs.exists():
        some_steps(training, 40)
    first = training.runs.get()
    killed(monkeypatch)

    play(training, now=LATER)

    assert training.runs.get(seed=1) == first
    assert training.runs.count() == TrainingRun.objects.count() == 2


def test_a_process_that_comes_back_late_stores_nothing(
    benchmark: Benchmark, rival: RegisteredRival, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = begin(benchmark, rival, seeds=1)
    some_steps(training, 40)
    late = dict(training_runs._live)
    killed(monkeypatch)
    while training_runs.train_models(clock=lambda: LATER) == 0:
        pass
    monkeypatch.setattr(training_runs, "_live", late)

    training_runs.train_models(clock=lambda: LATER)

    assert training.runs.count() == Result.objects.filter(source="trained").count() == 1
    assert training_runs._live == {}


def test_a_training_goes_on_where_its_time_was_up(benchmark: Benchmark, rival: RegisteredRival) -> None:
    whole = play(begin(benchmark, rival, seeds=1))
    training = begin(benchmark, rival, seeds=1)
    done = []
    while some_steps(training, 40).status == "open":
        done.append(training.steps_done)
        assert training_runs.next_training(now=NOW) == NOW

    assert done == sorted(set(done))
    assert len(done) > 2
    assert training.runs.get().points == whole.runs.get().points
    assert training_runs.next_training(now=NOW) is None


def test_a_stopped_training_keeps_its_complete_runs_and_goes_on(
    benchmark: Benchmark, rival: RegisteredRival
) -> None:
    training, by = begin(benchmark, rival), make_user()
    while not training.runs.exists():
        some_steps(training, 40)
    training_jobs.stop_training(training=training, by=by, now=NOW)
    training_runs.train_models(clock=lambda: NOW)
    training.refresh_from_db()
    assert (training.status, training.runs.count(), training_runs._live) == ("stopped", 1, {})
    with pytest.raises(RuleBroken, match="is not being trained"):
        training_jobs.stop_training(training=training, by=by, now=NOW)

    training_jobs.go_on_training(training=training, by=by, now=NOW)
    play(training)

    assert (training.status, training.runs.count()) == ("done", 2)
    with pytest.raises(RuleBroken, match="neither stopped nor has it failed"):
        training_jobs.go_on_training(training=training, by=by, now=NOW)


def test_weights_that_are_gone_are_said_and_tried_again_by_a_person(
    benchmark: Benchmark, rival: RegisteredRival, fake: type[FakeRival]
) -> None:
    fake.down = True
    training = play(begin(benchmark, rival, seeds=1))
    assert (training.status, training.problem) == ("failed", "The weights are gone.")

    fake.down = False
    training_jobs.go_on_training(training=training, by=make_user(), now=NOW)

    assert (play(training).status, training.problem) == ("done", "")


def test_pictures_that_the_model_cannot_see_are_left_out_and_told(
    benchmark: Benchmark, rival: RegisteredRival, fake: type[FakeRival]
) -> None:
    first = next(items_from(benchmark.release, task_of(benchmark))).item
    fake.broken.add(first.row["pictures"][0]["sha256"])

    training = play(begin(benchmark, rival, seeds=1))

    assert training.status == "done"
    assert training.runs.get().counts["associations that could not be read"] == 1


def test_too_few_items_are_refused_in_words(rival: RegisteredRival) -> None:
    training = play(begin(make_learnable(items=4), rival, seeds=1))

    assert training.status == "failed"
    assert "Of 4 associations, 0 are for testing at 20 per cent" in training.problem


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"epochs": 0}, "Epochs must be a whole number from 1 to 1000"),
        ({"epochs": 2.5}, "Epochs must be a whole number"),
        ({"epochs": "many"}, "Epochs must be a whole number"),
        ({"learning_rate": -1}, "Learning rate must be a number from"),
        ({"layers": 3}, "There is no setting layers. There is epochs, batch_size"),
    ],
)
def test_wrong_settings_are_refused(chosen: dict[str, object], words: str, rival: RegisteredRival) -> None:
    benchmark = make_learnable(items=1)

    with pytest.raises(RuleBroken, match=words):
        begin(benchmark, rival, settings=chosen)

    assert not Training.objects.exists()


def test_a_model_of_another_kind_and_no_runs_are_refused() -> None:
    benchmark = make_learnable(items=1)

    with pytest.raises(RuleBroken, match="cannot be trained so"):
        begin(benchmark, rival_for("winoventi"))
    with pytest.raises(RuleBroken, match="Runs must be"):
        begin(benchmark, rival_for("winogavil", name="other"), seeds=0)

    assert not Training.objects.exists()


def test_defaults_are_the_papers(rival: RegisteredRival) -> None:
    training = begin(make_learnable(items=1), rival, settings=None, seeds=None)

    assert training.seeds == 5
    assert training.settings == {
        "epochs": 7, "batch_size": 128, "learning_rate": 0.001, "test_share": 10,
    }  # fmt: skip


def test_nothing_of_a_hidden_split_is_learned_from(
    rival: RegisteredRival, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark = make_learnable(split_seed=1, hides_test=True)
    task = task_of(benchmark)
    hidden = {read.item.name for read in items_from(benchmark.release, task) if read.item.is_hidden}
    assert hidden
    found = watched(monkeypatch)

    training = play(begin(benchmark, rival, seeds=10))

    for items, division in found:
        of_hidden = {picture for one in items if one.is_hidden for picture in one.pictures.tolist()}
        assert of_hidden.isdisjoint(division.pictures.tolist())
        assert not [one for one in division.tests["validation"] if one.is_hidden]
    rows = ItemResult.objects.filter(result__run__training=training)
    assert {row.item for row in rows if row.is_hidden} == hidden & {row.item for row in rows} != set()


def test_removing_a_training_removes_its_answers_and_nothing_else(
    benchmark: Benchmark, rival: RegisteredRival
) -> None:
    whole = asked(benchmark, rival)
    training = play(begin(benchmark, rival))
    trained = Result.objects.filter(source="trained").first()
    assert trained is not None

    from crowd.benchmarks.services import benchmark_results  # noqa: PLC0415

    with pytest.raises(RuleBroken, match="removed with its training"):
        benchmark_results.remove_result(result=trained, by=make_user(), now=NOW)
    training_jobs.remove_training(training=training, by=make_user(), now=NOW)

    assert not Result.objects.filter(source="trained").exists()
    assert Result.objects.filter(pk=whole.pk).exists()
    assert not Training.objects.exists()
