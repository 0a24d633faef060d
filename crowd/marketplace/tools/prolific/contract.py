"""Holds every request and every answer to `schema.json`."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from crowd.marketplace.tools.prolific.json_shapes import misfits
from crowd.marketplace.tools.prolific.refused import Refused

FILE = Path(__file__).with_name("schema.json")


@cache
def read_schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(FILE.read_text())
    return schema


def check_request(route: str, *, query: Mapping[str, str], body: Any) -> None:
    """Raises Refused with 400 and each misfit by its field."""
    rules = read_schema()["routes"][route]
    problems: dict[str, list[str]] = {}
    for name in query.keys() - set(rules.get("query", [])):
        problems[name] = ["This parameter is not known."]
    if "request" in rules:
        for path, problem in _misfits(body, rules["request"]):
            problems.setdefault(path or "non_field_errors", []).append(problem)
    elif body not in (None, {}):
        problems["non_field_errors"] = ["This request has no body."]
    if problems:
        raise Refused(400, problems)


def answer_misfits(route: str | None, *, status: int, body: Any) -> list[str]:
    """What is wrong with an answer, in words; errors have one schema for all routes."""
    if status >= 400:
        wanted = read_schema()["error"]
    else:
        wanted = read_schema()["routes"][route]["answers"].get(str(status))
    if wanted is None:
        return [f"{route} has no answer {status}"]
    return [f"{route} {status} {path}: {problem}" for path, problem in _misfits(body, wanted)]


def _misfits(value: Any, schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    return list(misfits(value, schema, definitions=read_schema()["definitions"]))
