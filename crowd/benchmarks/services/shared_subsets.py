"""Items that are in the subset of every model: the one set on which all of them can be compared."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product

from django.db.models import QuerySet

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.benchmark_tasks import Answer, BenchmarkTask, ReleasedItem, sum_of
from crowd.benchmarks.models import Benchmark, ItemResult, Result
from crowd.benchmarks.released_items import has_rows, items_from
from crowd.benchmarks.services.benchmark_results import AT_ONCE, task_of
from crowd.benchmarks.services.score_sums import SHARED

# The answer of each model to an item, and its scores.
Answered = Mapping[int, tuple[Answer, Mapping[str, str]]]


def sum_shared_subsets() -> None:
    """Count them anew where the complete results of models are others than those that were counted."""
    keys = [task.key for task in benchmark_tasks.registered() if task.subsets]
    for benchmark in Benchmark.objects.filter(task__in=keys).select_related("release"):
        task = task_of(benchmark)
        whose = [list(row) for row in _models(benchmark).values_list("pk", "answered")]
        if task.subsets and whose != benchmark.shared.get("of", []) and has_rows(benchmark.release, task):
            sums = _sums(benchmark, task, [pk for pk, _ in whose])
            Benchmark.objects.filter(pk=benchmark.pk).update(shared={"of": whose, "sums": sums})


def _models(benchmark: Benchmark) -> QuerySet[Result]:
    """Return complete results of models, without trained ones, which answer their tests alone."""
    sources = (Result.Source.ASKED, Result.Source.UPLOADED)
    return benchmark.results.filter(status=Result.Status.DONE, source__in=sources).order_by("pk")


def _sums(
    benchmark: Benchmark, task: BenchmarkTask, models: Sequence[int]
) -> dict[str, list[dict[str, object]]]:
    """Return the sums of each model over the items that are in the subset of every model that tells it."""
    telling = _telling(benchmark, task, models)
    counts: Counter[tuple[int, str, str]] = Counter()
    totals: defaultdict[tuple[int, str, str], Fraction] = defaultdict(Fraction)
    for item, answered in _answered(benchmark, task, models) if telling else ():
        if all(task.is_in_own_subset(answered[pk][0]) for pk in telling):
            for pk, (_, scores) in answered.items():
                for kind, (measure, score) in product(task.subset_kinds(item, SHARED), scores.items()):
                    counts[pk, kind, measure] += 1
                    totals[pk, kind, measure] += Fraction(score)
    sums: dict[str, list[dict[str, object]]] = {}
    for (pk, kind, measure), total in sorted(totals.items()):
        items = counts[pk, kind, measure]
        one = sum_of(group=task.subsets, kind=kind, measure=measure, items=items, total=total)
        sums.setdefault(str(pk), []).append(one)
    return sums


def _telling(benchmark: Benchmark, task: BenchmarkTask, models: Sequence[int]) -> set[int]:
    """Return the models that have answered every item, and tell of each whether it is in their subset."""
    telling = set(models)
    for _, answered in _answered(benchmark, task, models):
        telling &= {pk for pk, (answer, _) in answered.items() if task.is_in_own_subset(answer) is not None}
    return telling


def _answered(
    benchmark: Benchmark, task: BenchmarkTask, models: Sequence[int]
) -> Iterator[tuple[ReleasedItem, Answered]]:
    """Yield every item with the answers to it, some items at a time."""
    items = (read.item for read in items_from(benchmark.release, task))
    while some := list(islice(items, AT_ONCE)):
        found: defaultdict[str, dict[int, tuple[Answer, Mapping[str, str]]]] = defaultdict(dict)
        rows = ItemResult.objects.filter(result__in=models, item__in=[item.name for item in some])
        for pk, name, answer, scores in rows.values_list("result", "item", "answer", "scores"):
            found[name][pk] = answer, scores
        yield from ((item, found[item.name]) for item in some)
