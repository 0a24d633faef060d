"""A parser for JSON that every database can keep."""

import re
from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

DEEPEST = 20
UNKEEPABLE = re.compile("[\0\ud800-\udfff]")


class PlainJSON(JSONParser):
    """A JSON parser that refuses what PostgreSQL cannot store, anywhere in the body."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        try:
            data = super().parse(stream, media_type, {"encoding": "utf-8"})
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None
        _check(data, depth=0)
        return data


def _check(data: Any, *, depth: int) -> None:
    if depth > DEEPEST:
        raise ParseError("The JSON is nested too deeply.")
    if isinstance(data, str) and UNKEEPABLE.search(data):
        raise ParseError("The JSON holds a NUL or half a character, which cannot be stored.")
    if isinstance(data, Mapping):
        _check(list(data), depth=depth)
        data = list(data.values())
    if isinstance(data, list):
        for each in data:
            _check(each, depth=depth + 1)
