"""The verbs of the control API by name."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from crowd.marketplace.tools.control.fields import Fields

Verb = Callable[[Fields, datetime], dict[str, Any]]
VERBS: dict[str, Verb] = {}


def verb(name: str) -> Callable[[Verb], Verb]:
    def register(function: Verb) -> Verb:
        VERBS[name] = function
        return function

    return register
