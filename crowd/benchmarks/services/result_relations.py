"""Correlations of answers with what is known, or read by a model, of the items. A sweep counts them."""

from collections.abc import Iterator
from itertools import islice

from django.db.models import Q

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.benchmark_tasks import Number, Relation
from crowd.benchmarks.models import Benchmark, Correlation, Result
from crowd.benchmarks.released_items import has_rows, items_from
from crowd.benchmarks.services.score_sums import QUARTER, sum_up
from hits.datasets.correlations import chance_of, correlate

AT_ONCE = 500
Source = Result.Source
# What is set against what a model has read.
SCORED = (*Result.OF_MODELS, Source.PEOPLE)


def relate_results() -> None:
    """Count the correlations that complete results lack. Idempotent."""
    lacking = Result.objects.filter(status=Result.Status.DONE, is_related=False)
    for result in lacking.select_related("benchmark__release", "rival"):
        _relate(result)
        # One that is being asked again meanwhile is counted when it is complete.
        Result.objects.filter(pk=result.pk, status=Result.Status.DONE).update(is_related=True)


def forget_relations(result: Result) -> None:
    """Forget what was counted of a result, or with what it has read, before it is asked again."""
    Correlation.objects.filter(Q(result=result) | Q(reading=result)).delete()


def _relate(result: Result) -> None:
    benchmark = result.benchmark
    task = benchmark_tasks.get(benchmark.release.family, benchmark.task)
    if not (has_rows(benchmark.release, task) and result.items.exists()):
        return
    # Those of before there were intervals lack what these are made of.
    if task.has_intervals and not any(one["group"] == QUARTER for one in result.sums):
        sum_up(result, task)
    for relation in task.relations:
        for scored, reading in _sets(result, relation):
            _count(scored, relation, reading)


def _sets(result: Result, relation: Relation) -> Iterator[tuple[Result, Result | None]]:
    """Yield whose answers are set against whose readings, with this result on one side."""
    beside = result.benchmark.results.filter(status=Result.Status.DONE)
    if result.source == Source.READ:
        if relation.is_read_by(result.rival):
            yield from ((scored, result) for scored in beside.filter(source__in=SCORED))
    elif result.source in SCORED:
        readings = beside.filter(source=Source.READ).select_related("rival") if relation.reads else [None]
        yield from ((result, one) for one in readings if one is None or relation.is_read_by(one.rival))


def _count(scored: Result, relation: Relation, reading: Result | None) -> None:
    found = correlate(_pairs(scored, relation, reading))
    told = {"pairs": found.of, "r": found.r, "p": chance_of(found)} if found else {}
    Correlation.objects.update_or_create(result=scored, relation=relation.key, reading=reading, defaults=told)


def _pairs(scored: Result, relation: Relation, reading: Result | None) -> Iterator[tuple[Number, Number]]:
    benchmark: Benchmark = scored.benchmark
    task = benchmark_tasks.get(benchmark.release.family, benchmark.task)
    items = (read.item for read in items_from(benchmark.release, task))
    while some := list(islice(items, AT_ONCE)):
        names = [item.name for item in some]
        answers = dict(scored.items.filter(item__in=names).values_list("item", "answer"))
        outputs = dict(reading.items.filter(item__in=names).values_list("item", "answer")) if reading else {}
        for item in some:
            if item.name in answers and (reading is None or item.name in outputs):
                answer = answers[item.name] if scored.is_of_model else task.people_answer(item)
                yield from task.related(relation, item, answer, outputs.get(item.name))
