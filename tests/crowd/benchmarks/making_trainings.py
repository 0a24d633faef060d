"""A game whose rule no cosine knows but a classifier can learn, and trainings that are played through."""

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

from crowd.benchmarks import training_recipes
from crowd.benchmarks.models import Benchmark, Training, TrainingRun
from crowd.benchmarks.services import training_jobs, training_runs
from crowd.winogavil.models import Place
from hits.studies.models import Study
from scoring.models import RegisteredRival
from tests.crowd.releases.studies import make_photo, release_of
from tests.crowd.winogavil.releases.data import benchmark_of, make_final
from tests.factories import NOW, make_study, make_user
from tests.scoring.fakes import _vector

# Few pairs, so many epochs of small batches.
QUICK = {"epochs": 30, "batch_size": 16, "learning_rate": 0.01, "test_share": 20}


def make_learnable(*, items: int = 30, sizes: Sequence[int] = (5, 10), **release: Any) -> Benchmark:
    """Associations whose chosen pictures are the two of which the model's first number is largest."""
    study = make_study()
    for number in range(items):
        _make_one(study, number, size=sizes[number % len(sizes)])
    return benchmark_of(release_of(study, "winogavil", **release))


def _make_one(study: Study, number: int, *, size: int) -> None:
    one = make_final(study, cue=f"cue{number}", size=size)
    photos = [make_photo() for _ in range(size)]
    best = sorted(photos, key=lambda photo: -_vector(photo.sha256)[0])[:2]
    for place, photo in zip(Place.objects.filter(association=one), photos, strict=True):
        place.picture, place.chosen = photo, photo in best
        place.save()


def begin(
    benchmark: Benchmark, rival: RegisteredRival, *, recipe: str = "classifier", **changes: Any
) -> Training:
    found = training_recipes.get(benchmark.release.family, benchmark.task, recipe)
    values: dict[str, Any] = {"seeds": 2, "settings": QUICK, "by": make_user(), "now": NOW, **changes}
    return training_jobs.start_training(benchmark=benchmark, recipe=found, rival=rival, **values)


def play(training: Training, *, now: datetime = NOW) -> Training:
    """Let the sweep run until it has nothing to do."""
    for _ in range(50):
        training_runs.train_models(clock=lambda: now)
        training.refresh_from_db()
        if training.status != Training.Status.OPEN:
            break
    return training


def mean_of(run: TrainingRun, test: str, *, epoch: int = -1) -> Fraction:
    found = run.points[epoch]["means"][test]
    return Fraction(found["sum"]) / int(found["items"])
