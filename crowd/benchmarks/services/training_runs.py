"""Models are trained run by run, a little at a time, so that the other work of the queue has its turn.

A run that is being made lives in the memory of one process, which holds its training for a few minutes at
a time. A killed process holds it no longer, and another begins the run again: nothing of it was stored. A run
is stored whole, with its answers, by whoever still holds the training.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from crowd.benchmarks.benchmark_tasks import Answer, BenchmarkTask, ReleasedItem
from crowd.benchmarks.models import ItemResult, Result, Training, TrainingRun
from crowd.benchmarks.released_items import items_from
from crowd.benchmarks.services.benchmark_results import AT_ONCE, as_text, task_of
from crowd.benchmarks.services.score_sums import count_sums
from crowd.benchmarks.services.training_jobs import AT_REST, recipe_of
from crowd.benchmarks.training_recipes import Measured, Parts, Run, Step, TrainingJob
from hits.core.errors import CrowdError
from hits.core.states import move

# The longest run of the sweep.
LONGEST_S = 20.0
# How often a run looks up from its work: is it still wanted, and does somebody wait for a verdict?
LOOK_UP_S = 1.0
# How long a process that says nothing still holds a training.
HOLD = timedelta(minutes=5)
LONGEST_NAME = 36
# Failures of models and of the files they read. Anything else is a mistake of ours, and is raised.
FAILURES = (CrowdError, OSError, RuntimeError, ValueError)
Clock = Callable[[], datetime]
Status = Training.Status
log = structlog.get_logger()


@dataclass
class _LiveRun:
    """A run that this process is making."""

    token: UUID
    seed: int
    run: Run
    parts: Parts = field(default_factory=lambda: Parts(tests={}, counts={}))
    points: list[dict[str, Any]] = field(default_factory=list)
    answers: Mapping[str, Answer] = field(default_factory=dict)
    at: Step = field(default_factory=lambda: Step(done=0, of=0, doing="Loading the model"))


_live: dict[int, _LiveRun] = {}


def train_models(*, clock: Clock = timezone.now, timer: Callable[[], float] = time.monotonic) -> int:
    """Train until nothing is left or the time is up; return how many runs were completed."""
    until, completed = timer() + LONGEST_S, 0
    rows = Training.objects.filter(status=Status.OPEN).order_by("pk")
    open_ones = list(rows.select_related("benchmark__release", "rival"))
    for ended in _live.keys() - {training.pk for training in open_ones}:
        del _live[ended]
    for training in open_ones:
        while timer() < until and (live := _take(training, now=clock())) is not None:
            completed += _go_on(training, live, until=until, clock=clock, timer=timer)
    return completed


def next_training(*, now: datetime) -> datetime | None:
    """When a training goes on: at once if this process holds it or nobody does, else when it is free."""
    rows = Training.objects.filter(status=Status.OPEN).values_list("pk", "held_until")
    return min((now if pk in _live or held is None else max(held, now) for pk, held in rows), default=None)


def _take(training: Training, *, now: datetime) -> _LiveRun | None:
    """Return the run of this process, or a new one if nobody makes one; None if another process does."""
    live = _live.get(training.pk)
    is_free = Q(token=live.token) if live else Q(held_until=None) | Q(held_until__lte=now)
    token = live.token if live else uuid4()
    rows = Training.objects.filter(is_free, pk=training.pk, status=Status.OPEN)
    if not rows.update(token=token, held_until=now + HOLD):
        _live.pop(training.pk, None)
        return None
    if live is None:
        made = set(training.runs.values_list("seed", flat=True))
        seed = next(seed for seed in range(1, training.seeds + 1) if seed not in made)
        live = _live[training.pk] = _LiveRun(token=token, seed=seed, run=_begin(training, seed=seed))
    return live


def _begin(training: Training, *, seed: int) -> Run:
    job = TrainingJob(
        rival=training.rival, settings=training.settings, seed=seed, items=partial(_items_of, training)
    )
    return recipe_of(training).run(job)


def _items_of(training: Training) -> Iterator[ReleasedItem]:
    benchmark = training.benchmark
    return (read.item for read in items_from(benchmark.release, task_of(benchmark)))


def _go_on(
    training: Training, live: _LiveRun, *, until: float, clock: Clock, timer: Callable[[], float]
) -> bool:
    """Go on with the run until the time is up; return True if it is complete and stored."""
    looked_up = timer()
    try:
        while True:
            _step(training, live)
            if (at := timer()) - looked_up >= LOOK_UP_S or at >= until:
                looked_up = at
                if not _look_up(training, live, clock=clock) or at >= until:
                    return False
    except StopIteration as end:
        return _store(training, live, provenance=end.value, now=clock())
    except FAILURES as problem:
        _fail(training, live, str(problem) or type(problem).__name__)
        return False


def _step(training: Training, live: _LiveRun) -> None:
    from scoring.services.model_loading import computing  # noqa: PLC0415 - numpy, which the web does without

    with computing:
        event = next(live.run)
    match event:
        case Parts():
            live.parts = event
        case Measured():
            live.answers = event.answers
            live.points.append({"epoch": event.epoch, "means": _means(training, live)})
        case Step():
            live.at = event


def _look_up(training: Training, live: _LiveRun, *, clock: Clock) -> bool:
    """Tell how far the run is, and let verdicts go first; False if the training is no longer ours."""
    from scoring.services.answering_questions import somebody_waits  # noqa: PLC0415 - as above
    from scoring.services.rival_answers import answer_waiting  # noqa: PLC0415 - as above

    if somebody_waits():
        answer_waiting(clock=clock)
    at = live.at
    told = {"doing": f"{at.doing}, seed {live.seed}", "steps_done": at.done, "steps_all": at.of}
    if _mine(training, live).update(held_until=clock() + HOLD, **told):
        return True
    _live.pop(training.pk, None)
    return False


def _mine(training: Training, live: _LiveRun) -> Any:
    return Training.objects.filter(pk=training.pk, status=Status.OPEN, token=live.token)


def _means(training: Training, live: _LiveRun) -> dict[str, dict[str, object]]:
    """Return the sum of the scores over the items of each test, and how many these are."""
    task, tests = task_of(training.benchmark), live.parts.tests
    measure = task.single_measures[-1].key
    held = {key: frozenset(names) for key, names in tests.items()}
    totals, counts = dict.fromkeys(tests, Fraction()), dict.fromkeys(tests, 0)
    for item in _items_of(training):
        if item.name in live.answers:
            score = task.score(item, live.answers[item.name])[measure]
            for key in [key for key, names in held.items() if item.name in names]:
                totals[key] += score
                counts[key] += 1
    return {key: {"items": counts[key], "sum": str(totals[key])} for key in tests if counts[key]}


def _store(training: Training, live: _LiveRun, *, provenance: Mapping[str, Any], now: datetime) -> bool:
    """Store the run with its answers; False if another process holds the training, or it was stopped."""
    _live.pop(training.pk, None)
    task, recipe = task_of(training.benchmark), recipe_of(training)
    tested = [live.parts.tests.get(test.key, ()) for test in recipe.tests if not test.is_watched]
    rows, sums = _scored(training, task, live.answers, frozenset().union(*tested))
    is_last = training.runs.count() + 1 >= training.seeds
    try:
        with transaction.atomic():
            if not _mine(training, live).update(**AT_REST):
                return False
            run = TrainingRun.objects.create(
                training=training, seed=live.seed, counts=live.parts.counts, points=live.points, made_at=now
            )
            result = Result.objects.create(
                benchmark=training.benchmark,
                name=f"{training.rival.name[:LONGEST_NAME]}, training {training.pk}, seed {live.seed}",
                source=Result.Source.TRAINED,
                about=recipe.name,
                run=run,
                answered=len(rows),
                provenance={
                    **provenance,
                    "recipe": training.recipe,
                    "settings": training.settings,
                    "seed": live.seed,
                },
                sums=sums,
                added_at=now,
                added_by=training.made_by,
            )
            for row in rows:
                row.result = result
            ItemResult.objects.bulk_create(rows, batch_size=AT_ONCE)
            if is_last:
                move(training, Status.DONE)
    except IntegrityError:
        _fail(training, live, "Another result has the name of this run. Rename or remove it.")
        return False
    log.info("training.run_stored", training=str(training.public_id), seed=live.seed, answered=len(rows))
    return True


def _scored(
    training: Training, task: BenchmarkTask, answers: Mapping[str, Answer], names: Collection[str]
) -> tuple[Sequence[ItemResult], list[dict[str, object]]]:
    """Return rows for the answers to these items, without their result, and the sums of their scores."""
    rows: list[ItemResult] = []

    def scored() -> Iterator[tuple[ReleasedItem, Answer, Mapping[str, str]]]:
        for item in _items_of(training):
            if item.name in names and item.name in answers:
                answer = answers[item.name]
                scores = as_text(task.score(item, answer))
                rows.append(
                    ItemResult(item=item.name, is_hidden=item.is_hidden, answer=answer, scores=scores)
                )
                yield item, answer, scores

    return rows, count_sums(scored(), task, source=Result.Source.TRAINED)


def _fail(training: Training, live: _LiveRun, problem: str) -> None:
    _live.pop(training.pk, None)
    failed = {**AT_REST, "status": Status.FAILED, "problem": problem[:500]}
    _mine(training, live).update(**failed)
    log.warning("training.failed", training=str(training.public_id), problem=problem[:200])
