"""Functions shared by the Python programs beside this file. It uses the standard library only."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any


def ask(what: str, **values: str) -> dict[str, str]:
    """Ask the test to do a worker's part, and return its answer."""
    print(json.dumps({"ask": what, **values}), flush=True)  # noqa: T201
    answer: dict[str, str] = json.loads(sys.stdin.readline())
    return answer


def refusal(call: Callable[..., Any], *values: Any, **named: Any) -> str | None:
    """The class of the error that the client raises; None if it raises none."""
    try:
        call(*values, **named)
    except Exception as error:  # noqa: BLE001 - whichever the client raises is what is asked for
        return type(error).__name__
    return None


def report(topics: Mapping[str, Callable[[], Any]]) -> None:
    print(json.dumps({"report": topics[sys.argv[1]]()}), flush=True)  # noqa: T201
