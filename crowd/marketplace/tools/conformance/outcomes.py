"""The outcomes of a check: silence if all is well, an exception with a message otherwise."""

from typing import Any


class Failed(Exception):
    """A check failed; the message says what was expected and what was seen."""


class Skipped(Exception):
    """A check was skipped; the message says what is missing for it."""


def expect(condition: object, words: str) -> None:
    if not condition:
        raise Failed(words)


def same(what: str, seen: Any, expected: Any) -> None:
    if seen != expected:
        raise Failed(f"{what}: expected {expected!r}, saw {seen!r}")
