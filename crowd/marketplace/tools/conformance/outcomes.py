"""How a check ends: quietly if all is well, with words otherwise."""

from typing import Any


class Failed(Exception):
    """The words say what was expected and what was seen."""


class Skipped(Exception):
    """The words say what is missing for this check."""


def expect(condition: object, words: str) -> None:
    if not condition:
        raise Failed(words)


def same(what: str, seen: Any, expected: Any) -> None:
    if seen != expected:
        raise Failed(f"{what}: expected {expected!r}, saw {seen!r}")
