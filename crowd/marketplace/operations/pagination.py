"""NextToken: a signed position in an ordered listing, so that pages neither skip nor repeat."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.core import signing
from django.db.models import Model, QuerySet

from crowd.marketplace import seals
from crowd.marketplace.errors import ParameterValidationError
from crowd.marketplace.operations.registry import Call

DEFAULT_PAGE = 10
KIND = "rows"
Row = TypeVar("Row", bound=Model)


def page(
    call: Call, rows: QuerySet[Row], *, name: str, describe: Callable[[Row], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """One page of `rows` in the order of their keys, described under `name`."""
    size = call.params.get("MaxResults", DEFAULT_PAGE)
    after = _read(call.text("NextToken"))
    found = list(rows.filter(pk__gt=after).order_by("pk")[: size + 1])
    shown = found[:size]
    return {
        name: [describe(row) for row in shown],
        "NumResults": len(shown),
        "NextToken": seals.sign_place(shown[-1].pk, of=KIND) if len(found) > size else None,
    }


def _read(token: str) -> int:
    if not token:
        return 0
    try:
        return seals.read_place(token, of=KIND)
    except signing.BadSignature:
        raise ParameterValidationError(
            "NextToken was not issued by this marketplace.", code="InvalidParameterValue"
        ) from None
