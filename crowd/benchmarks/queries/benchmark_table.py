"""The tables of a benchmark: models beside people and chance, over all items and by kind of item."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from crowd.benchmarks.benchmark_tasks import BenchmarkTask
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.benchmarks.services.score_sums import ALL
from hits.datasets.bars import Bars, draw_bars
from hits.datasets.columns import INTEGER, NUMBER, TEXT
from hits.datasets.stat_table import SHARE, ShownCell, StatColumn, StatTable, head, percent

RESULTS = "results"
# In a table: models first, then people, then chance.
ORDER = [*Result.OF_MODELS, Result.Source.PEOPLE, Result.Source.CHANCE]
# The words for where a row comes from.
SOURCES: Mapping[str, str] = {
    Result.Source.ASKED: "asked here",
    Result.Source.UPLOADED: "from a file",
    Result.Source.PEOPLE: "people",
    Result.Source.CHANCE: "expected of blind answers",
}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One result over items of one kind: how many it answered, and the means by measure."""

    result: Result
    kind: str
    items: int
    means: Mapping[str, Fraction]
    url: str = ""


def complete_results(benchmark: Benchmark) -> Sequence[Result]:
    """Return the results that tables show, in their order."""
    rows = benchmark.results.filter(status=Result.Status.DONE).select_related("rival", "added_by")
    return sorted(rows, key=lambda result: (ORDER.index(Result.Source(result.source)), result.pk))


def tables_of(benchmark: Benchmark, *, urls: Mapping[int, str] | None = None) -> list[StatTable]:
    """Return the table over all items, and one for each way in which the task divides them."""
    task, results = task_of(benchmark), complete_results(benchmark)
    links = urls or {}
    divided = dict.fromkeys(str(one["group"]) for result in results for one in result.sums if one["group"])
    whole = _table(task, RESULTS, "Models beside people", list(_lines(results, ALL, links)))
    return [whole, *(_divided(task, group, list(_lines(results, group, links))) for group in divided)]


def _table(task: BenchmarkTask, name: str, title: str, lines: Sequence[Line]) -> StatTable:
    bars = _bars(task, lines)
    shown = f"; the bars show {task.single_measures[-1].name.lower()}" if bars else ""
    return StatTable(
        name=name,
        title=title,
        columns=[_who(), *_numbers(task), head("About", TEXT, of=_about)],
        rows=lines,
        about=f"Means over {task.items}{shown}.",
        empty="Nothing is counted yet. People and chance come within a minute.",
        bars=bars,
    )


def _divided(task: BenchmarkTask, group: str, lines: Sequence[Line]) -> StatTable:
    return StatTable(
        name=f"by-{group.replace(' ', '-')}",
        title=f"By {group}",
        columns=[
            _who(),
            head(group.capitalize(), TEXT, name="kind", of=lambda line: line.kind),
            *_numbers(task),
        ],
        rows=sorted(lines, key=lambda line: line.kind),
    )


def _who() -> StatColumn:
    return head("Who", TEXT, of=lambda line: ShownCell(words=line.result.name, url=line.url))


def _numbers(task: BenchmarkTask) -> list[StatColumn]:
    means = [
        head(
            one.name,
            NUMBER if one.of_whole else SHARE,
            name=one.key,
            of=partial(_mean, one.key),
            digits=3 if one.of_whole else None,
        )
        for one in task.measures
    ]
    return [*means, head(task.items.capitalize(), INTEGER, name="items", of=lambda line: line.items)]


def _mean(measure: str, line: Line) -> Fraction | None:
    return line.means.get(measure)


def _about(line: Line) -> str:
    said = [SOURCES[line.result.source], line.result.about]
    if line.result.failed:
        said.append(f"{line.result.failed} could not be answered")
    return "; ".join(one for one in said if one)


def _bars(task: BenchmarkTask, lines: Sequence[Line]) -> Bars | None:
    if not task.single_measures:
        return None
    measure = task.single_measures[-1]
    shown = [line for line in lines if measure.key in line.means]
    return draw_bars(
        [
            (line.result.name, float(line.means[measure.key]), percent(line.means[measure.key]))
            for line in shown
        ],
        most=1,
    )


def _lines(results: Sequence[Result], group: str, urls: Mapping[int, str]) -> Iterator[Line]:
    for result in results:
        kinds: dict[str, list[Mapping[str, Any]]] = {}
        for one in result.sums:
            if one["group"] == group:
                kinds.setdefault(str(one["value"]), []).append(one)
        for kind, sums in kinds.items():
            yield Line(
                result=result,
                kind=kind,
                items=max(one["items"] for one in sums),
                means={one["measure"]: Fraction(one["sum"]) / one["items"] for one in sums},
                url=urls.get(result.pk, ""),
            )
