"""Lists of any length: searched, sorted, in pages."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest

ROWS_ON_A_PAGE = 50
LONGEST_SEARCH = 100
Row = TypeVar("Row", bound=Model)
Sorts = Mapping[str, Sequence[str]]


def searched(request: HttpRequest) -> str:
    """The search text, without NUL: no database keeps it, so nothing can be found by it."""
    return request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH]


def sorted_by(request: HttpRequest, sorts: Sorts) -> str:
    """The requested sort order, or the first one if it is unknown."""
    wanted = request.GET.get("sort", "")
    return wanted if wanted in sorts else next(iter(sorts))


def paged(request: HttpRequest, rows: "QuerySet[Row]") -> "Page[Row]":
    return Paginator(rows, ROWS_ON_A_PAGE).get_page(request.GET.get("page"))
