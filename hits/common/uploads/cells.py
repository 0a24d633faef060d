"""Readers of a cell of CSV or JSON. The words of a ValueError are those that follow the column's name."""

import math
import re
from collections.abc import Callable
from typing import Any

# Controls, halves of a character, and what breaks a line.
UNKEPT = re.compile(r"[\0-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
# No database keeps these, whatever else a recording holds.
UNSTORED = re.compile(r"[\0\ud800-\udfff]")
SHOWN = 40


def is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def read_text(value: Any) -> str:
    """Return the text trimmed, with each stretch of spaces as one space. JSON's numbers are taken too."""
    text = " ".join(_text(value).split())
    if UNKEPT.search(text):
        raise ValueError("has a character in it that cannot be kept.")
    return text


def text_within(longest: int) -> Callable[[Any], str]:
    """Return a reader like `read_text` that refuses more than so many characters."""

    def read(value: Any) -> str:
        if len(text := read_text(value)) > longest:
            raise ValueError(f"has more than {longest} characters.")
        return text

    return read


def as_written(value: Any) -> str:
    """Return the text unchanged. Raises ValueError if no database can store it."""
    text = _text(value)
    if UNSTORED.search(text):
        raise ValueError("holds a NUL or half a character.")
    return text


def read_number(value: Any) -> float | None:
    """Return the number, or None for an empty cell. Raises ValueError if it is not finite."""
    if is_blank(value):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or "_" in str(value) or not math.isfinite(number):
        raise ValueError(f"is “{_shown(value)}”, which is not a finite number.")
    return number


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("must be text.")  # noqa: TRY004 - a fault of the file's
    return str(value)


def _shown(value: Any) -> str:
    return f"{str(value).strip():.{SHOWN}}"
