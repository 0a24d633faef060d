"""Selections of rows that are carried from page to page, and paging of long lists."""

from collections.abc import Iterable
from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.people.queries.worker_record import workers_for

PAGE = 50
MOST = 5000


def signed_in(request: HttpRequest) -> User:
    """The signed-in user: admin pages are shown to no other visitor."""
    return cast("User", request.user)


def need(request: HttpRequest, *permissions: str) -> None:
    """Raise PermissionDenied (403) unless the user has all of these permissions."""
    if not request.user.has_perms(permissions):
        raise PermissionDenied


def carried(rows: Iterable[Model]) -> str:
    """The rows' keys in one field: a form may not have thousands of fields."""
    return ",".join(str(row.pk) for row in rows)


def selected_workers(request: HttpRequest, text: str) -> QuerySet[Worker]:
    """Selected workers that this user may see. A text that is no number selects none."""
    return workers_for(request.user).filter(pk__in=read_keys(text)).order_by("pk")


def read_keys(text: str) -> list[int]:
    """The keys of rows that a page has carried. A text that is no number is left out."""
    numbers = [part for part in text.split(",")[:MOST] if part.isascii() and part.isdigit()]
    return [int(part) for part in numbers if len(part) < 19]


class CountedPaginator(Paginator[Any]):
    """A paginator that is given the number of rows and does not count them again."""

    def __init__(self, rows: "QuerySet[Any]", *, total: int) -> None:
        super().__init__(rows, PAGE)
        self._total = total

    @property
    def count(self) -> int:
        return self._total


def page_of(rows: "QuerySet[Any]", *, number: str | None, total: int) -> Page[Any]:
    """A page of rows: the last one for a number too large, the first for an invalid one."""
    return CountedPaginator(rows, total=total).get_page(number)


def opts_of(model: type[Model]) -> Any:
    return model._meta
