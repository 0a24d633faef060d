"""What a button or link shows is part of its accessible name: who speaks to a page says what it shows."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.pure
ROOT = Path(__file__).parents[3]
ROOMS = ("config", "crowd", "hits", "qualifications", "scoring")
NAMED = re.compile(
    r"<(?P<tag>a|button)\b(?P<before>[^<>]*?)aria-label=\"(?P<name>[^\"]*)\"[^<>]*>(?P<shown>.*?)</(?P=tag)>",
    re.DOTALL,
)
TAGS = re.compile(r"<[^>]*>|{%.*?%}|[…↑↓×]", re.DOTALL)
VALUE = re.compile(r"{{.*?}}", re.DOTALL)


def words_of(text: str) -> str:
    """The text as it is read, with one sign for each value."""
    return " ".join(TAGS.sub(" ", VALUE.sub(" § ", text)).split()).casefold()


def named_elements() -> list[tuple[str, str, str]]:
    return [
        (str(path.relative_to(ROOT)), found["name"], found["shown"])
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.html"))
        for found in NAMED.finditer(path.read_text())
    ]


def test_a_value_between_the_words_that_are_shown_is_found() -> None:
    assert words_of("Compare now") not in words_of("Compare {{ account.name }} now")
    assert words_of("Compare now") in words_of("Compare now: {{ account.name }}")


def test_accessible_names_contain_what_is_shown() -> None:
    found = named_elements()

    assert [one for one in found if words_of(one[2]) not in words_of(one[1])] == []
    assert len(found) > 15
