"""Keyset pagination: pages by where the last one ended. All are equally fast, and nothing is counted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import reduce
from typing import Any, Generic, TypeVar

from django.db.models import Model, Q, QuerySet

M = TypeVar("M", bound=Model)
# No longer than what the columns hold; a mark comes back in an address, so it may be any text.
MARK = re.compile(r"\d{1,18}|\d{1,10}\.\d{2}", re.ASCII)
Mark = tuple[Decimal | int, ...]


@dataclass(frozen=True)
class Keyset:
    """A total order: columns as order_by takes them, the last one unique."""

    columns: tuple[str, ...]

    def sort(self, rows: QuerySet[M], *, after: Mark | None = None, backwards: bool = False) -> QuerySet[M]:
        """The rows beyond the mark, nearest first."""
        columns = [_turned(column) if backwards else column for column in self.columns]
        return (rows.filter(_beyond(columns, after)) if after else rows).order_by(*columns)

    def mark(self, row: Model) -> Mark:
        return tuple(_read(row, column.lstrip("-")) for column in self.columns)

    def read_mark(self, text: str) -> Mark | None:
        """Parse a mark; None if the text is no mark of this order, so that the first page is shown."""
        parts = text.split("~")
        if len(parts) != len(self.columns) or not all(map(MARK.fullmatch, parts)):
            return None
        return tuple(Decimal(part) if "." in part else int(part) for part in parts)


def write_mark(mark: Mark) -> str:
    return "~".join(map(str, mark))


@dataclass(frozen=True, kw_only=True)
class Page(Generic[M]):
    """One page's rows, and the marks where the neighboring pages begin; empty if there is none."""

    rows: Sequence[M] = field(default_factory=list)
    before: str = ""
    after: str = ""


def read_page(rows: QuerySet[M], *, keyset: Keyset, after: str, before: str, size: int) -> Page[M]:
    backwards = bool(before) and not after
    mark = keyset.read_mark(before if backwards else after)
    backwards = backwards and mark is not None
    found = list(keyset.sort(rows, after=mark, backwards=backwards)[: size + 1])
    more, found = len(found) > size, found[:size]
    return page_of(found, keyset=keyset, more=more, came_from=mark is not None, backwards=backwards)


def page_of(found: list[M], *, keyset: Keyset, more: bool, came_from: bool, backwards: bool) -> Page[M]:
    """Build a page. `more` rows lie in the direction of reading; behind us lies the page we came from."""
    if backwards:
        found.reverse()
    has_before, has_after = (more, came_from) if backwards else (came_from, more)
    return Page(
        rows=found,
        before=write_mark(keyset.mark(found[0])) if found and has_before else "",
        after=write_mark(keyset.mark(found[-1])) if found and has_after else "",
    )


def _turned(column: str) -> str:
    return column[1:] if column.startswith("-") else f"-{column}"


def _beyond(columns: Sequence[str], mark: Mark) -> Q:
    """The condition for rows beyond the mark. The first column's bound is outside the OR, for the index."""
    name, comparison = columns[0].lstrip("-"), "lt" if columns[0].startswith("-") else "gt"
    further = Q(**{f"{name}__{comparison}": mark[0]})
    if len(columns) == 1:
        return further
    return Q(**{f"{name}__{comparison}e": mark[0]}) & (further | _beyond(columns[1:], mark[1:]))


def _read(row: Model, path: str) -> Any:
    return reduce(getattr, path.split("__"), row)
