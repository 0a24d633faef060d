"""How a cell is read, of CSV or JSON. The words of a ValueError are those that follow the column's name."""

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
    """Trimmed, with one space for each stretch of them. Numbers too, as JSON writes them."""
    text = " ".join(_text(value).split())
    if UNKEPT.search(text):
        raise ValueError("has a character in it that cannot be kept.")
    return text


def text_within(longest: int) -> Callable[[Any], str]:
    """As `read_text`, of so many characters at most."""

    def read(value: Any) -> str:
        if len(text := read_text(value)) > longest:
            raise ValueError(f"has more than {longest} characters.")
        return text

    return read


def as_written(value: Any) -> str:
    """Nothing of it is changed."""
    text = _text(value)
    if UNSTORED.search(text):
        raise ValueError("holds a NUL or half a character.")
    return text


def read_number(value: Any) -> float | None:
    """None where there is nothing."""
    if is_blank(value):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or "_" in str(value) or not math.isfinite(number):
        raise ValueError(f"is “{_shown(value)}”, which is no finite number.")
    return number


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("must be text.")  # noqa: TRY004 - a fault of the file's
    return str(value)


def _shown(value: Any) -> str:
    return f"{str(value).strip():.{SHOWN}}"
