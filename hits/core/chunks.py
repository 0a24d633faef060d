"""Reading of any number of rows in chunks."""

from collections.abc import Iterator
from typing import TypeVar

from django.db.models import Model, QuerySet

Found = TypeVar("Found", bound=Model)


def in_chunks(rows: QuerySet[Found], *, size: int, by: str = "pk", after: int = 0) -> Iterator[list[Found]]:
    """Yield chunks in the order of a unique number, without a cursor that a slow reader would hold open."""
    ordered = rows.order_by(by)
    while some := list(ordered.filter(**{f"{by}__gt": after})[:size]):
        yield some
        after = getattr(some[-1], by)
