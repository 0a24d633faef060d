"""Results of benchmarks: models are asked by a sweep, and people and chance are counted by it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.benchmark_tasks import BenchmarkTask, ReleasedItem, Scores
from crowd.benchmarks.models import Benchmark, ItemResult, Result
from crowd.benchmarks.released_items import next_items
from crowd.benchmarks.services.result_relations import forget_relations
from crowd.benchmarks.services.score_sums import sum_up
from crowd.releases.models import Release
from hits.common.sweep_parts import in_parts
from hits.core import audit_trail
from hits.core.errors import CrowdError, RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import retry_questions, words
from scoring.services.consulting import Answered, Standing, consult_slice

AT_ONCE = 500
CHANCE = "Chance"
LONGEST_NAME = 64
Source = Result.Source
Status = Result.Status
log = structlog.get_logger()


def task_of(benchmark: Benchmark) -> BenchmarkTask:
    return benchmark_tasks.get(benchmark.release.family, benchmark.task)


def open_benchmark(*, release: Release, task: BenchmarkTask, now: datetime) -> Benchmark:
    """Return the benchmark, with rows for people and chance from the first time on. Idempotent.

    Raises RuleBroken if the release is not ready, or has nothing of the task.
    """
    if not release.is_complete:
        raise RuleBroken("not_ready", "Models are measured on a release that is ready.")
    if task not in benchmark_tasks.tasks_for(release):
        raise RuleBroken("no_items", "The release has nothing that this task asks about.")
    with transaction.atomic():
        benchmark, is_new = Benchmark.objects.get_or_create(
            release=release, task=task.key, defaults={"made_at": now}
        )
        if is_new:
            counted = [(Source.PEOPLE, task.people), (Source.CHANCE, CHANCE)]
            Result.objects.bulk_create(
                Result(benchmark=benchmark, source=source, name=name, status=Status.OPEN, added_at=now)
                for source, name in counted
                if name
            )
    return benchmark


def models_for(task: BenchmarkTask) -> QuerySet[RegisteredRival]:
    """Return the registered models that can be asked, or can read the items."""
    asked = (*task.kinds, *(one.reads for one in task.relations if one.reads))
    kinds = {model for kind in asked for model in ModelQuestion.ANSWERED_BY[ModelQuestion.Kind(kind)]}
    return RegisteredRival.objects.filter(kind__in=kinds).order_by("name")


def captioners_for(task: BenchmarkTask) -> QuerySet[RegisteredRival]:
    """Return the registered models whose captions another model may read."""
    kinds = ModelQuestion.ANSWERED_BY[ModelQuestion.Kind.WORDS] if task.takes_captions else ()
    return RegisteredRival.objects.filter(kind__in=kinds).order_by("name")


def ask_model(
    *,
    benchmark: Benchmark,
    rival: RegisteredRival,
    by: User | None,
    now: datetime,
    about: str = "",
    captioner: RegisteredRival | None = None,
) -> Result:
    """Ask a registered model to answer, or to read the items where it can do only that.

    It reads what the captioner says of each picture, if there is one. Raises RuleBroken if it can do neither,
    or has a result under its name.
    """
    task = task_of(benchmark)
    source = Source.ASKED if kind_for(task, rival) else Source.READ
    if source == Source.READ and not any(one.is_read_by(rival) for one in task.relations):
        raise RuleBroken("wrong_kind", f"{rival} cannot answer this: it is a {rival.get_kind_display()}.")
    if captioner and not (
        rival.kind == RegisteredRival.Kind.CAPTION and captioners_for(task).filter(pk=captioner.pk).exists()
    ):
        raise RuleBroken("no_captions", f"{rival} cannot read captions of {captioner} here.")
    name = f"{rival} over {captioner}"[:LONGEST_NAME] if captioner else rival.name
    try:
        with transaction.atomic():
            result = Result.objects.create(
                benchmark=benchmark,
                name=name,
                source=source,
                rival=rival,
                captioner=captioner,
                status=Status.OPEN,
                to_match=benchmark.matcher_id is not None,
                about=about,
                added_by=by,
                added_at=now,
            )
            _note(result, "benchmark.asked", f"{name} is asked", by=by, now=now)
    except IntegrityError:
        raise RuleBroken("known_name", f"There are answers of {name} already. Remove those first.") from None
    return result


def kind_for(task: BenchmarkTask, rival: RegisteredRival) -> str:
    """Return the kind of question by which the task can be put to the model; empty if there is none."""
    able = (kind for kind in task.kinds if rival.kind in ModelQuestion.ANSWERED_BY[ModelQuestion.Kind(kind)])
    return next(able, "")


def answer_benchmarks(*, now: datetime) -> None:
    """Take answers that are in, ask about the next items, and sum up what is complete."""
    rows = Result.objects.filter(status=Status.OPEN)
    results = rows.select_related("benchmark__release", "rival", "captioner")
    in_parts(results, lambda result: _go_on(result, now=now))


def ask_failed_again(*, result: Result, by: User | None, now: datetime) -> None:
    """Ask again what a model could not answer. What it has answered is kept, and costs nothing.

    Raises RuleBroken if nothing has failed.
    """
    rival = result.rival
    if rival is None or not result.failed:
        raise RuleBroken("nothing_failed", "There is nothing that could be asked again.")
    asked = [one for one in (rival, result.captioner) if one]
    failed = ModelQuestion.objects.filter(rival__in=asked, status=ModelQuestion.Status.FAILED)
    with transaction.atomic():
        retry_questions(failed, now=now)
        result.items.all().delete()
        forget_relations(result)
        begun: dict[str, Any] = {
            "cursor": 0,
            "answered": 0,
            "failed": 0,
            "waiting": 0,
            "problem": "",
            "is_related": False,
            "to_match": result.benchmark.matcher_id is not None,
            "match_cursor": 0,
        }
        if not move(result, Status.OPEN, **begun):
            Result.objects.filter(pk=result.pk).update(**begun)
        _note(result, "benchmark.asked_again", f"{rival} is asked again", by=by, now=now)


def remove_result(*, result: Result, by: User, now: datetime) -> None:
    """Remove a model's answers. Raises RuleBroken for all but those that a colleague has added alone."""
    if result.source == Source.OUTSIDE:
        raise RuleBroken("from_outside", "What others submitted is kept. Take it off the board instead.")
    if result.source in (Source.PEOPLE, Source.CHANCE):
        raise RuleBroken("not_of_a_model", "People and chance stand beside every model, and stay.")
    if not result.is_removable:
        raise RuleBroken("of_a_training", "A trained model is removed with its training.")
    with transaction.atomic():
        _note(result, "benchmark.removed", f"The answers of {result} were removed", by=by, now=now)
        result.delete()


def item_rows(
    task: BenchmarkTask, result: Result, scored: Sequence[tuple[ReleasedItem, Any]]
) -> list[ItemResult]:
    """Return rows for items and the answers to them."""
    return [
        ItemResult(
            result=result, item=item.name, is_hidden=item.is_hidden, answer=answer, scores=as_text(scores)
        )
        for item, answer in scored
        for scores in [task.score(item, answer)]
    ]


def _reading_row(result: Result, item: ReleasedItem, outputs: Sequence[Any]) -> ItemResult:
    return ItemResult(result=result, item=item.name, is_hidden=item.is_hidden, answer=outputs, scores={})


def as_text(scores: Scores) -> dict[str, str]:
    return {key: str(value) for key, value in scores.items()}


def _go_on(result: Result, *, now: datetime) -> bool:
    """Go on until the model has to answer something. True: the result is complete."""
    task, release = task_of(result.benchmark), result.benchmark.release
    while True:
        try:
            items, end = next_items(release, task, at=result.cursor, count=AT_ONCE)
        except CrowdError as lack:
            _tell(result, waiting=0, problem=str(lack)[:500])
            return False
        if not items:
            sum_up(result, task)
            move(result, Status.DONE, waiting=0, is_related=False)
            log.info("benchmark.done", result=str(result.public_id), answered=result.answered)
            return True
        if not _take_slice(result, task, items, end=end, now=now):
            return False


def _take_slice(
    result: Result, task: BenchmarkTask, items: Sequence[ReleasedItem], *, end: int, now: datetime
) -> bool:
    """Store the results of some items; False while the model still has to answer some of them."""
    if result.rival is None:
        return _keep(result, _counted(result, task, items), end=end, failed=0)
    kind = kind_for(task, result.rival)
    items, standing = _with_captions(result, task, items, now=now)
    if standing.waiting:
        _tell(result, waiting=standing.waiting, problem=standing.problem[:500])
        return False
    questions = task.questions(items, kind) if kind else task.reading_questions(items)
    asked = dict(zip((item.name for item in items), questions, strict=True))
    answers: list[Answered[ReleasedItem]] = []
    standing = consult_slice(
        items,
        ask=lambda item: asked[item.name],
        take=answers.extend,
        rival=result.rival,
        now=now,
        standing=standing,
    )
    if standing.waiting:
        _tell(result, waiting=standing.waiting, problem=standing.problem[:500])
        return False
    if answers:
        result.provenance = {**result.provenance, **answers[-1][1][0].provenance}
    said = [(item, [one.output for one in given]) for item, given in answers]
    if kind:
        scored = [(item, task.answer(item, outputs, kind)) for item, outputs in said]
        rows = item_rows(task, result, scored)
    else:
        rows = [_reading_row(result, item, outputs) for item, outputs in said]
    return _keep(result, rows, end=end, failed=standing.failed, problem=standing.problem)


def _with_captions(
    result: Result, task: BenchmarkTask, items: Sequence[ReleasedItem], *, now: datetime
) -> tuple[Sequence[ReleasedItem], Standing]:
    """Return the items that are described, with what the captioner says; without one, all as they are."""
    if result.captioner is None:
        return items, Standing()
    said: list[Answered[ReleasedItem]] = []
    standing = consult_slice(
        items,
        ask=lambda item: [words("", picture) for picture in task.pictures_to_describe(item)],
        take=said.extend,
        rival=result.captioner,
        now=now,
        standing=Standing(),
    )
    if said:
        result.provenance = {**result.provenance, "captions": said[-1][1][0].provenance}
    return [task.with_captions(item, [one.output for one in given]) for item, given in said], standing


def _counted(result: Result, task: BenchmarkTask, items: Sequence[ReleasedItem]) -> list[ItemResult]:
    of = task.people_scores if result.source == Source.PEOPLE else task.chance
    found = [(item, of(item)) for item in items]
    return [
        ItemResult(result=result, item=item.name, is_hidden=item.is_hidden, scores=as_text(scores))
        for item, scores in found
        if scores is not None
    ]


def _keep(result: Result, rows: Sequence[ItemResult], *, end: int, failed: int, problem: str = "") -> bool:
    """Store rows and how far the model is; False if another process was first, or the result is gone."""
    changed = {
        "cursor": end,
        "answered": result.answered + len(rows),
        "failed": result.failed + failed,
        "waiting": 0,
        "problem": problem[:500] or result.problem,
        "provenance": result.provenance,
    }
    with transaction.atomic():
        mine = Result.objects.filter(pk=result.pk, cursor=result.cursor, status=Status.OPEN)
        if not mine.update(**changed):
            return False
        ItemResult.objects.bulk_create(rows, batch_size=AT_ONCE)
    for name, value in changed.items():
        setattr(result, name, value)
    return True


def _tell(result: Result, *, waiting: int, problem: str) -> None:
    """Write how far the result is, unless that is known already."""
    told = {"waiting": waiting, "problem": problem}
    Result.objects.filter(pk=result.pk).exclude(**told).update(**told)


def _note(result: Result, event: str, words: str, *, by: User | None, now: datetime) -> None:
    benchmark = result.benchmark
    words = f"{words}: {task_of(benchmark).name}, release {benchmark.release.version}."
    audit_trail.note(event, words, by=by, now=now, study=benchmark.release.study)


def counts_of(benchmark: Benchmark) -> dict[str, int]:
    """Return how many results stand in the tables, by source."""
    listed = benchmark.results.filter(is_listed=True).order_by()
    counted = listed.values_list("source").annotate(Count("pk"))
    return dict(counted)
