"""Trainings as people handle them: started, stopped, gone on with, removed."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from crowd.benchmarks import training_recipes
from crowd.benchmarks.models import Benchmark, Training
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.benchmarks.training_recipes import TrainingRecipe
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from scoring.models import RegisteredRival

MOST_SEEDS = 20
Status = Training.Status


def recipes_of(benchmark: Benchmark) -> Sequence[TrainingRecipe]:
    return training_recipes.recipes_for(benchmark.release.family, benchmark.task)


def recipe_of(training: Training) -> TrainingRecipe:
    benchmark = training.benchmark
    return training_recipes.get(benchmark.release.family, benchmark.task, training.recipe)


def models_to_train(recipe: TrainingRecipe) -> QuerySet[RegisteredRival]:
    """Return the registered models that the recipe can start from."""
    return RegisteredRival.objects.filter(kind__in=recipe.kinds).order_by("name")


def start_training(
    *,
    benchmark: Benchmark,
    recipe: TrainingRecipe,
    rival: RegisteredRival,
    by: User | None,
    now: datetime,
    seeds: int | None = None,
    settings: Mapping[str, Any] | None = None,
    about: str = "",
) -> Training:
    """Queue a training. Raises RuleBroken for a model of another kind, and for settings that are none."""
    if rival.kind not in recipe.kinds:
        raise RuleBroken("wrong_kind", f"{rival} cannot be trained so: it is a {rival.get_kind_display()}.")
    count = recipe.seeds if seeds is None else seeds
    if not 0 < count <= MOST_SEEDS:
        raise RuleBroken("wrong_settings", f"Runs must be a whole number from 1 to {MOST_SEEDS}.")
    try:
        chosen = recipe.read_settings(settings or {})
    except ValueError as problem:
        raise RuleBroken("wrong_settings", str(problem)) from None
    with transaction.atomic():
        training = Training.objects.create(
            benchmark=benchmark,
            recipe=recipe.key,
            rival=rival,
            settings=chosen,
            seeds=count,
            about=about,
            made_by=by,
            made_at=now,
        )
        _note(training, "training_started", "is begun", by=by, now=now)
    return training


def stop_training(*, training: Training, by: User | None, now: datetime) -> None:
    """Stop it: the run that is being made is lost, complete ones are kept.

    Raises RuleBroken if it is not being trained.
    """
    with transaction.atomic():
        if not move(training, Status.STOPPED, **AT_REST):
            raise RuleBroken("not_open", f"{training} is not being trained.")
        _note(training, "training_stopped", "is stopped", by=by, now=now)


def go_on_training(*, training: Training, by: User | None, now: datetime) -> None:
    """Make the runs that are lacking. Raises RuleBroken if it was neither stopped nor has failed."""
    with transaction.atomic():
        if not move(training, Status.OPEN, problem="", **AT_REST):
            raise RuleBroken("not_stopped", f"{training} was neither stopped nor has it failed.")
        _note(training, "training_resumed", "goes on", by=by, now=now)


def remove_training(*, training: Training, by: User | None, now: datetime) -> None:
    """Remove it with all of its runs and their answers."""
    with transaction.atomic():
        _note(training, "training_removed", "is removed with its answers", by=by, now=now)
        training.delete()


# Nobody makes a run.
AT_REST: Mapping[str, Any] = {
    "token": None,
    "held_until": None,
    "doing": "",
    "steps_done": 0,
    "steps_all": 0,
}


def _note(training: Training, event: str, words: str, *, by: User | None, now: datetime) -> None:
    benchmark = training.benchmark
    said = f"{training} {words}: {task_of(benchmark).name}, release {benchmark.release.version}."
    audit_trail.note(f"benchmark.{event}", said, by=by, now=now, study=benchmark.release.study)
