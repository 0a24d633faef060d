"""What a model has answered, item by item. Of a hidden split nothing tells what would have been right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

from crowd.benchmarks.benchmark_tasks import BenchmarkTask, ReleasedItem
from crowd.benchmarks.models import ItemResult, Result
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.benchmarks.services.item_regions import find_items, has_regions

ON_A_PAGE = 50
RIGHT = "1"


@dataclass(frozen=True, kw_only=True)
class ItemRow:
    """One item in words, with the cells of its answer, and its scores by measure where they may be told."""

    name: str
    words: Sequence[str]
    cells: Sequence[Any]
    scores: Sequence[str]


def items_context(request: HttpRequest, result: Result) -> Mapping[str, Any]:
    """Return what the page of a result's items shows."""
    task = task_of(result.benchmark)
    measures = {one.key: one.name for one in task.single_measures}
    wrong = request.GET.get("wrong", "")
    wrong = wrong if wrong in measures else ""
    page = Paginator(_rows(result, wrong), ON_A_PAGE).get_page(request.GET.get("page"))
    found = find_items(result.benchmark, task, {one.item for one in page})
    return {
        "page": page,
        "rows": [_row(task, one, found[one.item]) for one in page if one.item in found],
        "heads": [column.name for column in task.columns[1:]],
        "measures": measures,
        "wrong": wrong,
        "has_regions": has_regions(result),
        "query": f"wrong={wrong}&" if wrong else "",
    }


def _rows(result: Result, wrong: str) -> QuerySet[ItemResult]:
    rows = result.items.order_by("pk")
    return rows.exclude(**{f"scores__{wrong}": RIGHT}).filter(is_hidden=False) if wrong else rows


def _row(task: BenchmarkTask, one: ItemResult, item: ReleasedItem) -> ItemRow:
    cells = task.write(item, one.answer)
    told = {} if one.is_hidden else one.scores
    return ItemRow(
        name=item.name,
        words=task.words(item),
        cells=[_short(cells.get(column.name, "")) for column in task.columns[1:]],
        scores=[_say(told.get(measure.key)) for measure in task.single_measures],
    )


def _short(value: Any) -> Any:
    """Return the value as the page shows it: the file of answers has every digit."""
    return f"{value:.6g}" if isinstance(value, float) else value


def _say(score: str | None) -> str:
    if score is None:
        return "kept back"
    return {RIGHT: "✓ right", "0": "✗ wrong"}.get(score, score)
