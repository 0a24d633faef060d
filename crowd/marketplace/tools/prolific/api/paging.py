"""Two ways of paging: by pages, with 404 past the last one, and by limit and offset."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from crowd.marketplace.tools.prolific.api.routing import PREFIX, Asked
from crowd.marketplace.tools.prolific.refused import Refused

Row = TypeVar("Row")
PAGE_SIZE = 20
LARGEST_PAGE = 1000


def page_of(asked: Asked, rows: Sequence[Row], *, tell: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
    """Raises Refused with 404 past the last page; the first one exists even where it is empty."""
    size = _number(asked, "page_size", PAGE_SIZE, least=1, most=LARGEST_PAGE)
    number = _number(asked, "page", 1, least=1)
    last = max(1, -(-len(rows) // size))
    if number > last:
        raise Refused(404, "Invalid page.")
    return {
        "results": [tell(row) for row in rows[(number - 1) * size : number * size]],
        "meta": {"count": len(rows)},
        "_links": {
            "self": _link(asked, page=number),
            "next": _link(asked, page=number + 1 if number < last else None),
            "previous": _link(asked, page=number - 1 if number > 1 else None),
            "last": _link(asked, page=last),
        },
    }


def slice_of(asked: Asked, rows: Sequence[Row], *, tell: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
    """Rows from the offset on; past the end there are none, and that is no error."""
    limit = _number(asked, "limit", PAGE_SIZE, least=1, most=LARGEST_PAGE)
    offset = _number(asked, "offset", 0, least=0)
    following = offset + limit
    return {
        "results": [tell(row) for row in rows[offset:following]],
        "meta": {"count": len(rows)},
        "_links": {
            "self": _link(asked, offset=offset),
            "next": _link(asked, offset=following if following < len(rows) else None),
            "previous": _link(asked, offset=max(0, offset - limit) if offset else None),
            "last": _link(asked, offset=max(0, (len(rows) - 1) // limit * limit)),
        },
    }


def put_in_order(
    asked: Asked, rows: list[Row], *, tell: Callable[[Row], dict[str, Any]], allowed: Sequence[str]
) -> None:
    """Sort by `ordering`, which a minus sign turns around. Raises Refused for a field that is not allowed."""
    asked_for = asked.query.get("ordering")
    if asked_for is None:
        return
    name = asked_for.removeprefix("-")
    if name not in allowed:
        raise Refused(400, {"ordering": [f"One of {', '.join(allowed)} is possible."]})
    rows.sort(key=lambda row: str(tell(row)[name] or ""), reverse=asked_for.startswith("-"))


def _number(asked: Asked, name: str, default: int, *, least: int, most: int | None = None) -> int:
    text = asked.query.get(name, str(default))
    if not text.isdecimal() or int(text) < least or (most is not None and int(text) > most):
        if name == "page":
            raise Refused(404, "Invalid page.")
        raise Refused(400, {name: ["This is not a possible number."]})
    return int(text)


def _link(asked: Asked, **changes: int | None) -> dict[str, str | None]:
    """A whole address with the query of this request, changed; none where there is no such page."""
    if None in changes.values():
        return {"href": None}
    query = {**asked.query, **{name: str(value) for name, value in changes.items()}}
    return {"href": f"{asked.base_url}{PREFIX}{asked.path}?{urlencode(query)}"}
