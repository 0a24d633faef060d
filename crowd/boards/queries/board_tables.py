"""What a board shows of a benchmark: to everybody, and to whoever has submitted a model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.db.models import Max

from crowd.benchmarks.benchmark_tasks import BenchmarkTask
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.queries.benchmark_table import RESULTS, tables_of
from crowd.benchmarks.released_items import items_from
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.benchmarks.services.score_sums import ALL, SPLIT
from crowd.boards.models import Board, Submission
from crowd.releases.splits import TEST
from hits.datasets.stat_table import StatTable, percent

# Of a release with a hidden split, the tables whose means are over many items: few would tell labels.
OF_HIDDEN = (RESULTS, f"by-{SPLIT}")


# So long the public page remembers its tables, which may take long to count.
REMEMBERED_S = 30


@dataclass(frozen=True, kw_only=True)
class VisibleScore:
    """A mean over items whose labels are public."""

    over: str
    measure: str
    mean: str
    items: int


def benchmarks_of(board: Board) -> Sequence[Benchmark]:
    """Return the benchmarks of the release that have something to show or to submit, by their tasks."""
    return list(board.release.benchmarks.select_related("release__study").order_by("task"))


def tables_key(board: Board) -> str:
    """Return under what the public page remembers its tables: anew with each decision on a submission."""
    submissions = Submission.objects.filter(invitation__board=board)
    decided_at = submissions.aggregate(last=Max("decided_at"))["last"]
    return f"board-tables:{board.pk}:{decided_at and decided_at.timestamp()}"


def public_tables(benchmark: Benchmark) -> list[StatTable]:
    """Return the tables that everybody may see."""
    tables = tables_of(benchmark, is_public=True)
    if benchmark.release.hides_test:
        tables = [table for table in tables if table.name in OF_HIDDEN]
    return tables


def visible_scores(result: Result) -> Iterator[VisibleScore]:
    """Yield the means over items whose labels are public: each split that is not hidden, or all items."""
    release, task = result.benchmark.release, task_of(result.benchmark)
    names = {measure.key: measure for measure in task.measures}
    for one in result.sums:
        group, value = str(one["group"]), str(one["value"])
        shown = (group == SPLIT and value != TEST) if release.hides_test else group in (ALL, SPLIT)
        measure = names.get(str(one["measure"]))
        if shown and measure is not None:
            items = int(str(one["items"]))
            mean = Fraction(str(one["sum"])) / items
            yield VisibleScore(
                over=f"the split {value}" if value else "all items",
                measure=measure.name,
                mean=f"{float(mean):.3f}" if measure.of_whole else percent(mean),
                items=items,
            )


def item_lines(benchmark: Benchmark) -> Iterator[str]:
    """Yield the items as lines of JSON, each with what is needed to answer it, and without its labels."""
    task = task_of(benchmark)
    for read in items_from(benchmark.release, task):
        told = task.tell(read.item)
        if told is not None:
            yield json.dumps(_line(task, read.item.name, told, read.item.split), ensure_ascii=False) + "\n"


def _line(task: BenchmarkTask, name: str, told: Mapping[str, Any], split: str) -> Mapping[str, Any]:
    return {task.columns[0].name: name, **({SPLIT: split} if split else {}), **told}
