"""Answers that mean the same as the right ones, by a sentence model that is chosen for a benchmark.

The rows are the queue: a sweep asks about each result's answers, slice by slice, and goes on where it was.
"""

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction

from django.db import transaction
from django.db.models import QuerySet

from crowd.benchmarks.benchmark_tasks import BenchmarkTask, ReleasedItem
from crowd.benchmarks.models import Benchmark, ItemResult, Result
from crowd.benchmarks.released_items import next_items
from crowd.benchmarks.services.benchmark_results import AT_ONCE, task_of
from crowd.benchmarks.services.score_sums import sum_up
from hits.core import audit_trail
from hits.core.errors import CrowdError, RuleBroken
from hits.identity.models.users import User
from scoring.models import RegisteredRival
from scoring.services.asking_models import NewQuestion, scores
from scoring.services.asking_rivals import ShownPicture
from scoring.services.consulting import Answered, Standing, consult_slice

# The smallest cosine that is a match, until somebody chooses another.
USUAL = 0.7


def matchers() -> QuerySet[RegisteredRival]:
    """Return the models that can compare texts."""
    return RegisteredRival.objects.filter(kind=RegisteredRival.Kind.CAPTION).order_by("name")


def choose_matcher(
    *, benchmark: Benchmark, matcher: RegisteredRival, matches_from: float, by: User, now: datetime
) -> None:
    """Have all answers of models matched by this model, those that were matched by another again.

    Raises RuleBroken for a task whose answers are no texts, and for a model that compares none.
    """
    task = task_of(benchmark)
    if task.learned is None:
        raise RuleBroken("no_match", "The answers to this task are not matched by a model.")
    if not matchers().filter(pk=matcher.pk).exists():
        raise RuleBroken("wrong_kind", f"{matcher} compares no texts; choose a sentence model.")
    words = f"Answers are matched by {matcher}, from a cosine of {matches_from} on: {task.name}."
    with transaction.atomic():
        benchmark.matcher, benchmark.matches_from = matcher, matches_from
        benchmark.save(update_fields=["matcher", "matches_from"])
        for result in benchmark.results.select_for_update().filter(source__in=Result.OF_MODELS):
            result.to_match, result.match_cursor = True, 0
            result.sums = [one for one in result.sums if one["measure"] != task.learned.key]
            result.save(update_fields=["to_match", "match_cursor", "sums"])
        audit_trail.note("benchmark.matched", words, by=by, now=now, study=benchmark.release.study)


def match_answers(*, now: datetime) -> None:
    """Take what matchers have said, ask them about the next answers, and sum up what is complete."""
    unmatched = Result.objects.filter(to_match=True, status=Result.Status.DONE)
    for result in unmatched.select_related("benchmark__release", "benchmark__matcher"):
        while _match_slice(result, task_of(result.benchmark), now=now):
            pass


def _match_slice(result: Result, task: BenchmarkTask, *, now: datetime) -> bool:
    """Match the next answers; False once there are none, or while the matcher still has to say something."""
    benchmark, learned = result.benchmark, task.learned
    if benchmark.matcher is None or benchmark.matches_from is None or learned is None:
        return False
    try:
        items, end = next_items(benchmark.release, task, at=result.match_cursor, count=AT_ONCE)
    except CrowdError:
        return False
    if not items:
        problem = result.problem if result.failed else ""
        if _standing(result).update(to_match=False, match_cursor=0, problem=problem):
            result.to_match = False
            sum_up(result, task)
        return False
    rows = {row.item: row for row in result.items.filter(item__in=[item.name for item in items])}
    answered: list[Answered[ReleasedItem]] = []
    standing = consult_slice(
        [item for item in items if item.name in rows],
        ask=lambda item: [_question(task, item, str(rows[item.name].answer))],
        take=answered.extend,
        rival=benchmark.matcher,
        now=now,
        standing=Standing(),
    )
    if standing.waiting:
        _standing(result).exclude(problem=standing.problem[:500]).update(problem=standing.problem[:500])
        return False
    for row in rows.values():
        row.scores.pop(learned.key, None)
    for item, (said,) in answered:
        is_match = max(said.output[0]) >= benchmark.matches_from
        rows[item.name].scores[learned.key] = str(Fraction(is_match))
    return _keep(result, list(rows.values()), end=end)


def _question(task: BenchmarkTask, item: ReleasedItem, answer: str) -> NewQuestion:
    """Ask how near an answer is to the right ones, which a sentence model reads as captions of pictures."""
    right = [ShownPicture(sha256="", caption=text) for text in task.right_answers(item)]
    return scores([answer], right)


def _standing(result: Result) -> QuerySet[Result]:
    """Return the result's row, unless another process was first or another matcher was chosen."""
    benchmark = result.benchmark
    return Result.objects.filter(
        pk=result.pk,
        to_match=True,
        status=Result.Status.DONE,
        match_cursor=result.match_cursor,
        benchmark__matcher=benchmark.matcher,
        benchmark__matches_from=benchmark.matches_from,
    )


def _keep(result: Result, rows: Sequence[ItemResult], *, end: int) -> bool:
    with transaction.atomic():
        if not _standing(result).update(match_cursor=end):
            return False
        ItemResult.objects.bulk_update(rows, ["scores"], batch_size=100)
    result.match_cursor = end
    return True
