"""Rivals by name. A model is imported and loaded at the first question, and only in the process that asks."""

from functools import cache
from importlib import import_module

from hits.errors import CrowdError
from scoring.rivals.interface import Rival

PATHS = {"minilm": "scoring.rivals.caption:MiniLM"}


def names() -> list[str]:
    return sorted(PATHS)


@cache
def get(name: str) -> Rival:
    if name not in PATHS:
        raise CrowdError(f"There is no rival {name}. Known: {', '.join(names())}. Set CROWD_RIVAL.")
    module, _, class_name = PATHS[name].partition(":")
    rival: Rival = getattr(import_module(module), class_name)()
    return rival
