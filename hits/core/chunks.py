"""Rows of any number, read some at a time."""

from collections.abc import Iterator
from typing import TypeVar

from django.db.models import Model, QuerySet

Found = TypeVar("Found", bound=Model)


def in_chunks(rows: QuerySet[Found], *, size: int, by: str = "pk", after: int = 0) -> Iterator[list[Found]]:
    """In the order of a number that no two rows share, by no cursor that a slow reader would hold open."""
    ordered = rows.order_by(by)
    while some := list(ordered.filter(**{f"{by}__gt": after})[:size]):
        yield some
        after = getattr(some[-1], by)
