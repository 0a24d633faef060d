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
TAGS = re.compile(r"<[^>]*>|{%.*?%}|{{.*?}}|[…↑↓×]", re.DOTALL)


def words_of(text: str) -> str:
    return " ".join(TAGS.sub(" ", text).split()).casefold()


def named_elements() -> list[tuple[str, str, str]]:
    return [
        (str(path.relative_to(ROOT)), found["name"], found["shown"])
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.html"))
        for found in NAMED.finditer(path.read_text())
    ]


def test_accessible_names_contain_what_is_shown() -> None:
    found = named_elements()

    assert [one for one in found if words_of(one[2]) not in words_of(one[1])] == []
    assert len(found) > 15
