"""A selection of rows carried from page to page, and long lists in pages."""

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
    """Admin pages are shown to nobody else."""
    return cast("User", request.user)


def need(request: HttpRequest, *permissions: str) -> None:
    """For those who have all of these; 403 for everybody else."""
    if not request.user.has_perms(permissions):
        raise PermissionDenied


def carried(workers: Iterable[Worker]) -> str:
    """One field for all of them: forms may not have thousands."""
    return ",".join(str(worker.pk) for worker in workers)


def selected_workers(request: HttpRequest, text: str) -> QuerySet[Worker]:
    """Those of the selection whom this person may see. What is no number selects nobody."""
    return workers_for(request.user).filter(pk__in=read_keys(text)).order_by("pk")


def read_keys(text: str) -> list[int]:
    """Of the rows that a page has carried. What is no number is left out."""
    numbers = [part for part in text.split(",")[:MOST] if part.isascii() and part.isdigit()]
    return [int(part) for part in numbers if len(part) < 19]


class CountedPaginator(Paginator[Any]):
    """Where the number of rows is known, nothing is counted again."""

    def __init__(self, rows: "QuerySet[Any]", *, total: int) -> None:
        super().__init__(rows, PAGE)
        self._total = total

    @property
    def count(self) -> int:
        return self._total


def page_of(rows: "QuerySet[Any]", *, number: str | None, total: int) -> Page[Any]:
    """The last one for a number too large, the first for rubbish."""
    return CountedPaginator(rows, total=total).get_page(number)


def opts_of(model: type[Model]) -> Any:
    return model._meta
