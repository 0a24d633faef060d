"""A table of statistics, declared once: its page, its chart and its files are made from one declaration."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from hits.common.currencies import Currency, in_money
from hits.common.spreadsheets import Cell, write_csv
from hits.datasets.bars import Bars
from hits.datasets.columns import INTEGER, NUMBER, TEXT, Column
from hits.datasets.vega_charts import Chart

SHARE, INTERVAL, MONEY = "share", "interval", "money"
WORDS = "words"  # about numbers, and set like these
UNKNOWN = "–"


@dataclass(frozen=True, kw_only=True)
class StatColumn(Column):
    """A column of statistics. Without a title it is in files alone, and without a name on the page alone.

    Without `of`, a row is a mapping by name, or has its values in the order of the columns.
    """

    title: str
    digits: int | None = None

    @property
    def is_number(self) -> bool:
        return self.kind != TEXT


@dataclass(frozen=True, kw_only=True)
class ShownCell:
    """A cell of a page. `below` is a small text under its words, and `mark` says why the cell is marked.

    `url`: the target of a link from the row's name.
    """

    words: str
    below: str = ""
    mark: str = ""
    url: str = ""


@dataclass(frozen=True, kw_only=True)
class StatTable:
    """A table whose first column names its row. `empty` is shown for no rows, and `note` below it.

    `page_rows`: those of the page where files have others. `exact`: files name columns by their names and
    hold the numbers behind the words; otherwise they hold what the page shows. `files`: formats it links to.
    `currency`: that of columns of money. `is_folded`: the page shows the chart, and the table only to whoever
    unfolds it.
    """

    name: str
    title: str
    columns: Sequence[StatColumn]
    rows: Iterable[Any]
    page_rows: Sequence[Any] | None = None
    about: str = ""
    empty: str = "Nothing yet."
    note: str = ""
    bars: Bars | None = None
    charts: Sequence[Chart] = ()
    exact: bool = False
    files: Sequence[str] = ("csv", "json")
    currency: str = Currency.USD
    is_folded: bool = False

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns if column.name]
        if len(names) != len(set(names)):
            raise ValueError(f"Columns of {self.name} share a name: {', '.join(names)}.")

    def header(self) -> list[StatColumn]:
        return [column for column in self.columns if column.title]

    def shown(self) -> list[list[tuple[StatColumn, ShownCell]]]:
        """Return the page's rows, each as cells with their columns."""
        rows = self.rows if self.page_rows is None else self.page_rows
        return [
            [
                (column, show(column, value, currency=self.currency))
                for column, value in self._values(row)
                if column.title
            ]
            for row in rows
        ]

    def csv(self) -> Iterator[str]:
        wanted = [column for column in self.columns if (column.name if self.exact else column.title)]
        cell = _exact_cell if self.exact else partial(_shown_cell, currency=self.currency)
        rows = (
            [cell(column, value) for column, value in self._values(row) if column in wanted]
            for row in self.rows
        )
        return write_csv([column.name if self.exact else column.title for column in wanted], rows)

    def as_json(self) -> Iterator[dict[str, Any]]:
        """Yield rows of exact numbers by the columns' names, whatever the CSV has."""
        for row in self.rows:
            yield {column.name: _plain(value) for column, value in self._values(row) if column.name}

    def _values(self, row: Any) -> Iterator[tuple[StatColumn, Any]]:
        for place, column in enumerate(self.columns):
            if column.of is not None:
                yield column, column.of(row)
            else:
                yield column, row[column.name] if isinstance(row, Mapping) else row[place]


def head(
    title: str, kind: str = INTEGER, *, name: str | None = None, of: Callable[[Any], Any] | None = None,
    digits: int | None = None,
) -> StatColumn:  # fmt: skip
    """Return a column whose name is made from its title unless it is given."""
    made = re.sub(r"\W+", "_", title.lower()).strip("_") if name is None else name
    return StatColumn(name=made, title=title, kind=kind, words=title, of=of, digits=digits)


def json_text(rows: Iterable[Mapping[str, Any]]) -> str:
    return json.dumps(list(rows), ensure_ascii=False, indent=1)


def percent(share: Fraction | float | None, digits: int = 1) -> str:
    return UNKNOWN if share is None else f"{float(100 * share):.{digits}f} %"


def show(column: StatColumn, value: Any, *, currency: str = Currency.USD) -> ShownCell:
    """Return the cell as the page shows it. A value that is already text is shown unchanged."""
    if isinstance(value, ShownCell):
        return value
    if value is None:
        return ShownCell(words=UNKNOWN)
    if isinstance(value, str) or column.kind in (TEXT, INTEGER, WORDS):
        return ShownCell(words=str(value))
    if column.kind == MONEY:
        return ShownCell(words=in_money(value, currency))
    return ShownCell(words=_SHOWING[column.kind](column, value))


def _number(column: StatColumn, value: Any) -> str:
    return str(value) if column.digits is None or isinstance(value, int) else f"{value:.{column.digits}f}"


def _interval(column: StatColumn, value: tuple[float, float]) -> str:
    return " to ".join(f"{100 * end:.{1 if column.digits is None else column.digits}f}" for end in value)


_SHOWING: Mapping[str, Callable[[StatColumn, Any], str]] = {
    NUMBER: lambda column, value: _number(column, float(value) if isinstance(value, Fraction) else value),
    SHARE: lambda column, value: percent(value, 1 if column.digits is None else column.digits),
    INTERVAL: _interval,
}


def _shown_cell(column: StatColumn, value: Any, *, currency: str) -> Cell:
    return value if isinstance(value, int) else show(column, value, currency=currency).words


def _exact_cell(column: StatColumn, value: Any) -> Cell:
    """Return numbers as numbers: a spreadsheet would take a text that begins with a minus for a formula."""
    if isinstance(value, ShownCell):
        return value.words
    return Decimal(str(value)) if isinstance(value, float) else value


def _plain(value: Any) -> Any:
    match value:
        case ShownCell():
            return value.words
        case Fraction() | Decimal():
            return float(value)
        case tuple():
            return list(value)
        case _:
            return value
