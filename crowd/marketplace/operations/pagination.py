"""NextToken: a signed position in an ordered listing, so that pages neither skip nor repeat.

Every page that has rows carries a token, and an empty page without one ends the listing: many programs go on
until they see an empty page, and read the token of each page before it without a look whether there is one.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.core import signing
from django.db.models import Model, QuerySet

from crowd.marketplace import seals
from crowd.marketplace.errors import ParameterValidationError
from crowd.marketplace.operations.registry import Call

DEFAULT_PAGE = 10
OF_THE_PAGE = {"NextToken", "MaxResults"}
Row = TypeVar("Row", bound=Model)


def page(
    call: Call,
    rows: QuerySet[Row],
    *,
    name: str,
    describe: Callable[[Row], Mapping[str, Any]],
    newest_first: bool = False,
) -> Mapping[str, Any]:
    """One page of `rows` in the order of their keys, described under `name`."""
    last = read_place(call)
    if last:
        rows = rows.filter(pk__lt=last) if newest_first else rows.filter(pk__gt=last)
    shown = list(rows.order_by("-pk" if newest_first else "pk")[: page_size(call)])
    return {
        name: [describe(row) for row in shown],
        "NumResults": len(shown),
        "NextToken": sign_place(call, shown[-1].pk) if shown else None,
    }


def page_size(call: Call) -> int:
    return int(call.params.get("MaxResults", DEFAULT_PAGE))


def sign_place(call: Call, place: int, *, among: str = "rows") -> str:
    return seals.sign_place(place, of=_listing(call, among=among))


def read_place(call: Call, *, among: str = "rows") -> int:
    """Read where the call's token goes on, 0 for none. It is good for the listing alone that it came from."""
    if not call.text("NextToken"):
        return 0
    try:
        return seals.read_place(call.text("NextToken"), of=_listing(call, among=among))
    except signing.BadSignature:
        raise ParameterValidationError(
            "NextToken was not issued for this listing.", code="InvalidParameterValue"
        ) from None


def _listing(call: Call, *, among: str) -> str:
    """Name what is listed: whose rows, by which operation, and chosen how."""
    chosen = {name: value for name, value in call.params.items() if name not in OF_THE_PAGE}
    asked = json.dumps(chosen, sort_keys=True, default=str)
    return f"{among}.{call.operation}.{call.requester.pk}.{seals.digest(asked)}"
