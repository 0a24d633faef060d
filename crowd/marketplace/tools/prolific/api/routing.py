"""The routes: a function for each method and path."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.prolific_world import World

PREFIX = "/api/v1"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request to the API, as far as it is read."""

    method: str
    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    base_url: str = ""


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


Function = Callable[[World, Asked], Answer]


@dataclass(frozen=True, kw_only=True)
class Route:
    name: str
    function: Function
    params: Mapping[str, str]


_FUNCTIONS: dict[str, dict[str, Function]] = {}


def route(method: str, path: str) -> Callable[[Function], Function]:
    """Register a function for `GET /studies/{id}/` and the like."""

    def register(function: Function) -> Function:
        _FUNCTIONS.setdefault(path, {})[method] = function
        return function

    return register


def known_routes() -> set[str]:
    return {f"{method} {path}" for path, methods in _FUNCTIONS.items() for method in methods}


def find_route(method: str, path: str) -> Route:
    """Raises Refused with 404 for a path, or 405 for a method, that is not known."""
    for pattern, params in _matching(path):
        functions = _FUNCTIONS[pattern]
        if method not in functions:
            raise Refused(405, f'Method "{method}" not allowed.')
        return Route(name=f"{method} {pattern}", function=functions[method], params=params)
    raise Refused(404, "Not found.")


def _matching(path: str) -> Iterable[tuple[str, Mapping[str, str]]]:
    """Patterns that fit, those that spell out more before those with more placeholders."""
    for pattern in sorted(_FUNCTIONS, key=lambda one: one.count("{")):
        found = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[\\w-]+)", pattern), path)
        if found:
            yield pattern, found.groupdict()
