"""The tables of a benchmark: models beside people and chance, over all items and by kind of item."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from crowd.benchmarks.benchmark_tasks import BenchmarkTask, Measure, Sums, TableRow
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.queries.correlations_table import correlations_table
from crowd.benchmarks.queries.models_table import models_table
from crowd.benchmarks.queries.pretraining_table import pretraining_table
from crowd.benchmarks.services.benchmark_results import kind_for, task_of
from crowd.benchmarks.services.score_sums import ALL, QUARTER
from hits.datasets.bars import Bars, draw_bars
from hits.datasets.columns import INTEGER, NUMBER, TEXT
from hits.datasets.stat_table import INTERVAL, SHARE, ShownCell, StatColumn, StatTable, head, percent
from scoring.score_statistics import interval_of_groups

RESULTS = "results"
# In a table: models first, then people, then chance.
TURNS = {
    **dict.fromkeys(Result.OF_MODELS, 0),
    Result.Source.PEOPLE: 1,
    Result.Source.CHANCE: 2,
}
# The words for where a row comes from.
SOURCES: Mapping[str, str] = {
    Result.Source.ASKED: "asked here",
    Result.Source.UPLOADED: "from a file",
    Result.Source.TRAINED: "trained here",
    Result.Source.OUTSIDE: "submitted from outside",
    Result.Source.PEOPLE: "people",
    Result.Source.CHANCE: "expected of blind answers",
}


INTERVALS = (
    "95 %: the interval of the mean. The items are dealt in turn into four groups, and the interval is the "
    "mean of the groups by Student's t with three degrees of freedom, never below 0 or above 100."
)


@dataclass(frozen=True, kw_only=True)
class Line:
    """A row over items of one kind: how many it answered, and the means by measure."""

    row: TableRow
    kind: str
    items: int
    means: Mapping[str, Fraction]


@dataclass(frozen=True, kw_only=True)
class WideLine:
    """A row over all items that it answered, and its lines by kind."""

    row: TableRow
    items: int
    by_kind: Mapping[str, Line]


def complete_results(benchmark: Benchmark) -> Sequence[Result]:
    """Return the results that tables show: models, the best first, then people and chance."""
    rows = benchmark.results.filter(status=Result.Status.DONE, source__in=TURNS, is_listed=True)
    measures = task_of(benchmark).single_measures or task_of(benchmark).measures

    def turn(result: Result) -> tuple[int, Fraction, int]:
        return TURNS[Result.Source(result.source)], -_mean_of_all(result, measures[-1].key), result.pk

    return sorted(rows.select_related("rival", "added_by"), key=turn)


def _mean_of_all(result: Result, measure: str) -> Fraction:
    """Return the mean over all items, or 0 where nothing is counted."""
    sums = (one for one in result.sums if (one["group"], one["measure"]) == (ALL, measure))
    found: Mapping[str, Any] | None = next(sums, None)
    return Fraction(found["sum"]) / found["items"] if found else Fraction()


def tables_of(
    benchmark: Benchmark, *, urls: Mapping[int, str] | None = None, is_public: bool = False
) -> list[StatTable]:
    """Return the table over all items, and one for each way in which the task divides them.

    `is_public`: without what colleagues note about results, and without models that nobody has listed.
    """
    task, links = task_of(benchmark), urls or {}
    results, elsewhere = complete_results(benchmark), task.counted_elsewhere(benchmark.release)
    shared = benchmark.shared.get("sums", {})
    rows = [
        _row_of(
            task,
            one,
            url=links.get(one.pk, ""),
            about="" if is_public and one.source != Result.Source.OUTSIDE else one.about,
            further=[*shared.get(str(one.pk), ()), *elsewhere.get(one.name, ())],
        )
        for one in results
    ]
    named = {row.name for row in rows}
    rows += [
        TableRow(name=name, about="judged in the whole study", sums=sums)
        for name, sums in elsewhere.items()
        if name not in named and (not is_public or name in task.people_elsewhere)
    ]
    rows += task.further(benchmark.release)
    groups = dict.fromkeys(str(one["group"]) for row in rows for one in row.sums)
    divided = [group for group in groups if group not in (ALL, QUARTER)]
    across = task.across(benchmark.release)
    return [
        _table(task, RESULTS, "Models beside people", list(_lines(rows, ALL)), further=_match_of(benchmark)),
        *(
            _wide(task, group, across[group], rows) if group in across else _divided(task, group, rows)
            for group in divided
        ),
        *correlations_table(benchmark, task),
        *models_table(results),
        *pretraining_table(task, results),
    ]


def _row_of(task: BenchmarkTask, result: Result, *, url: str, about: str, further: Sums) -> TableRow:
    how = task.said_of.get(kind_for(task, result.rival), "") if result.rival else ""
    said = [SOURCES[result.source], how, about]
    if result.failed:
        said.append(f"{result.failed} could not be answered")
    return TableRow(
        name=result.name,
        about="; ".join(one for one in said if one),
        sums=[*result.sums, *further],
        url=url,
        items=result.answered if result.is_of_model else 0,
    )


def _match_of(benchmark: Benchmark) -> str:
    """Say what decides on a learned match, which is another measure with every model and threshold."""
    learned = task_of(benchmark).learned
    if learned is None:
        return ""
    if benchmark.matcher is None:
        return f" {learned.name}: no model is chosen that decides."
    return (
        f" {learned.name}: {benchmark.matcher} finds a cosine of at least {benchmark.matches_from} with the "
        "right answer, without reading the question."
    )


def _table(task: BenchmarkTask, name: str, title: str, lines: Sequence[Line], *, further: str) -> StatTable:
    bars = _bars(task, lines)
    notes = [f"The bars show: {task.single_measures[-1].name}."] if bars else []
    notes += [INTERVALS] if task.has_intervals else []
    return StatTable(
        name=name,
        title=title,
        columns=[_who(), *_numbers(task.measures, task.items, has_intervals=task.has_intervals), _about()],
        rows=lines,
        about=f"Means over {task.items}.{further}",
        note=" ".join(notes),
        empty="Nothing is counted yet. People and chance come within a minute.",
        bars=bars,
    )


def _divided(task: BenchmarkTask, group: str, rows: Sequence[TableRow]) -> StatTable:
    parts = task.part_table if task.part_table and task.part_table.group == group else None
    order = parts.kinds if parts else ()
    return StatTable(
        name=_name_of(group),
        title=f"By {group}",
        columns=[
            _who(),
            head(group.capitalize(), TEXT, name="kind", of=lambda line: line.kind),
            *(_numbers([parts.measure], parts.parts) if parts else _numbers(task.measures, task.items)),
        ],
        rows=sorted(_lines(rows, group), key=lambda line: order.index(line.kind) if order else line.kind),
        about=parts.about if parts else "",
    )


def _wide(task: BenchmarkTask, group: str, columns: Mapping[str, str], rows: Sequence[TableRow]) -> StatTable:
    """A table with a column for each kind, in per cent with halves rounded up, as papers print them."""
    measures = task.single_measures
    is_one = len(measures) == 1
    wide = [
        (title if is_one else f"{title}: {measure.name.lower()}", measure, kind)
        for title, kind in columns.items()
        for measure in measures
    ]
    said = measures[0].name if is_one else "Means"
    return StatTable(
        name=_name_of(group),
        title=f"By {group}",
        columns=[
            _who(name="model"),
            _count(task.items, name=task.items),
            *(
                head(title, NUMBER, name=title, of=partial(_per_cent, measure, kind))
                for title, measure, kind in wide
            ),
            *(
                head(title, INTEGER, name=title, of=partial(_items_of, kind))
                for title, kind in task.counted_across().items()
                if kind in columns.values()
            ),
            _about(name=""),
        ],
        rows=[
            WideLine(row=row, items=whole.items, by_kind={one.kind: one for one in _lines([row], group)})
            for row in rows
            for whole in _lines([row], ALL)
        ],
        about=f"{said} in per cent.",
        exact=True,
    )


def _name_of(group: str) -> str:
    return f"by-{group.replace(' ', '-')}"


def _who(*, name: str = "who") -> StatColumn:
    return head("Who", TEXT, name=name, of=lambda line: ShownCell(words=line.row.name, url=line.row.url))


def _about(*, name: str = "about") -> StatColumn:
    return head("About", TEXT, name=name, of=lambda line: line.row.about)


def _count(items: str, *, name: str = "items") -> StatColumn:
    return head(items.capitalize(), INTEGER, name=name, of=lambda line: line.items)


def _numbers(measures: Sequence[Measure], items: str, *, has_intervals: bool = False) -> list[StatColumn]:
    means = [column for one in measures for column in _of_measure(one, has_intervals=has_intervals)]
    return [*means, _count(items)]


def _of_measure(one: Measure, *, has_intervals: bool) -> Iterator[StatColumn]:
    kind, digits = (NUMBER, 3) if one.of_whole else (SHARE, None)
    yield head(one.name, kind, name=one.key, of=partial(_mean, one.key), digits=digits)
    if has_intervals and not one.of_whole:
        yield head(f"{one.name}, 95 %", INTERVAL, name=f"{one.key}_interval", of=partial(_interval, one.key))


def _mean(measure: str, line: Line) -> Fraction | None:
    return line.means.get(measure)


def _interval(measure: str, line: Line) -> tuple[float, float] | None:
    dealt = [one for one in line.row.sums if (one["group"], one["measure"]) == (QUARTER, measure)]
    found = interval_of_groups([Fraction(one["sum"]) / one["items"] for one in dealt])
    return (found.low, found.high) if found else None


def _per_cent(measure: Measure, kind: str, line: WideLine) -> Decimal | None:
    means = line.by_kind[kind].means if kind in line.by_kind else {}
    mean = means.get(measure.key)
    return None if mean is None else Decimal(int(1000 * mean + Fraction(1, 2))).scaleb(-1)


def _items_of(kind: str, line: WideLine) -> int | None:
    return line.by_kind[kind].items if kind in line.by_kind else None


def _bars(task: BenchmarkTask, lines: Sequence[Line]) -> Bars | None:
    if not task.single_measures:
        return None
    measure = task.single_measures[-1]
    shown = [line for line in lines if measure.key in line.means]
    return draw_bars(
        [(line.row.name, float(line.means[measure.key]), percent(line.means[measure.key])) for line in shown],
        most=1,
    )


def _lines(rows: Sequence[TableRow], group: str) -> Iterator[Line]:
    for row in rows:
        kinds: dict[str, list[Mapping[str, Any]]] = {"": []} if row.items and group == ALL else {}
        for one in row.sums:
            if one["group"] == group:
                kinds.setdefault(str(one["value"]), []).append(one)
        for kind, sums in kinds.items():
            yield Line(
                row=row,
                kind=kind,
                items=max((one["items"] for one in sums), default=row.items),
                means={one["measure"]: Fraction(one["sum"]) / one["items"] for one in sums},
            )
