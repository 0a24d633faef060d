"""Entries of a page: checked as they were sent, and read as data."""

import re
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum

from crowd.plain.domain.pages import Kind, Page, Part

# A choice is its code, several choices are their codes in the page's order, a scale or number its figure.
Value = str | int | Decimal | tuple[str, ...]
FIGURE = re.compile(r"[+-]?[0-9]{1,12}(?:[.,][0-9]{1,6})?")


class Wrong(StrEnum):
    MISSING = "missing"
    NOT_OFFERED = "not_offered"
    TOO_LONG = "too_long"
    NO_NUMBER = "no_number"
    NOT_WHOLE = "not_whole"
    TOO_LITTLE = "too_little"
    TOO_MUCH = "too_much"


def entry_of(place: int) -> str:
    """The name of the question at this place, counted from 1, on pages and in stored answers."""
    return f"q{place}"


def fault_of(part: Part, text: str) -> Wrong | None:
    """The fault of an entry as it is stored: options by number on the page, several with spaces between."""
    if not text:
        return None if part.is_optional else Wrong.MISSING
    if part.kind == Kind.TEXT:
        return Wrong.TOO_LONG if len(text) > part.longest else None
    if part.kind == Kind.NUMBER:
        return _fault_of_number(part, text)
    numbers = {str(number) for number in range(1, len(part.options) + 1)}
    picked = text.split(" ") if part.kind == Kind.CHOICES else [text]
    fits = set(picked) <= numbers and len(picked) == len(set(picked))
    return None if fits else Wrong.NOT_OFFERED


def values_of(page: Page, texts: Mapping[str, str], *, role: str = "") -> dict[str, Value]:
    """Answers by the questions' names, without what was not answered or does not fit the page.

    No tick among several choices is an answer, unless a picture was away and nothing was answered at all.
    """
    found: dict[str, Value] = {}
    was_seen = any(texts.values()) or not page.pictures
    asked = [(place, part) for place, part in enumerate(page.questions, 1) if part.is_asked_of(role)]
    for place, part in asked:
        text = texts.get(entry_of(place), "")
        if text and fault_of(part, text) is None:
            found[part.name] = _value(part, text)
        elif not text and part.kind == Kind.CHOICES and part.is_optional and was_seen:
            found[part.name] = ()
    return found


def _value(part: Part, text: str) -> Value:
    match part.kind:
        case Kind.TEXT:
            return text
        case Kind.NUMBER:
            return _number(text)
        case Kind.SCALE:
            return int(part.options[int(text) - 1].code)
        case Kind.CHOICES:
            return tuple(
                part.options[place].code for place in sorted(int(one) - 1 for one in text.split(" "))
            )
        case _:
            return part.options[int(text) - 1].code


def _fault_of_number(part: Part, text: str) -> Wrong | None:
    if not FIGURE.fullmatch(text):
        return Wrong.NO_NUMBER
    number = _number(text)
    if part.is_whole and number != number.to_integral_value():
        return Wrong.NOT_WHOLE
    if part.least is not None and number < part.least:
        return Wrong.TOO_LITTLE
    return Wrong.TOO_MUCH if part.most is not None and number > part.most else None


def _number(text: str) -> Decimal:
    return Decimal(text.replace(",", "."))
