"""No shared package names a family: adding a sixth family touches its own folder and one line."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from crowd import family

pytestmark = pytest.mark.pure
ROOT = Path(settings.BASE_DIR)
LOWER = ("config", "hits", "qualifications", "scoring")
ABOVE_NONE = ("crowd/demo", "crowd/frame", "crowd/pictures", "crowd/questions", "crowd/statement")
# Settings install the apps, and migrations record the past.
LEFT_OUT = ("config/settings.py", "/migrations/", "__pycache__")
KINDS = ("*.py", "*.html", "*.css", "*.js", "*.txt")
# Keys that are everyday words: alone they may be a class or a style, so they count only with what follows.
EVERYDAY = ("plain",)


def names_of(one: family.Family) -> re.Pattern[str]:
    """Pattern of a family's package, of its label in keys and permissions, and of its name for people."""
    alone = rf"""|["':]{one.key}(_\w+)?["'/:]""" if one.key not in EVERYDAY else ""
    label = rf"""crowd[./]{one.key}\b|["':]{one.key}[._]\w{alone}"""
    return re.compile(rf"{label}|\b{re.escape(one.name)}\b", re.IGNORECASE)


def lines_that_name(one: family.Family, rooms: tuple[str, ...]) -> list[str]:
    named = names_of(one)
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for room in rooms
        for kind in KINDS
        for path in sorted((ROOT / room).rglob(kind))
        if not any(part in path.as_posix() for part in LEFT_OUT)
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if named.search(line)
    ]


@pytest.mark.parametrize("one", family.registered(), ids=lambda one: str(one.key))
@pytest.mark.parametrize("rooms", [LOWER, ABOVE_NONE], ids=["lower rooms", "what families share"])
def test_no_room_that_families_stand_on_names_one(one: family.Family, rooms: tuple[str, ...]) -> None:
    assert lines_that_name(one, rooms) == []


@pytest.mark.parametrize("one", family.registered(), ids=lambda one: str(one.key))
def test_the_search_finds_what_it_looks_for(one: family.Family) -> None:
    named = names_of(one)
    said = (
        f"from crowd.{one.key}.models import Project",
        f'"{one.key}.view_project",',
        *([] if one.key in EVERYDAY else [f'task = "{one.key}"']),
        f"Questions of {one.name.lower()}",
        f"{{% url 'admin:{one.key}_project_add' %}}",
    )

    assert [line for line in said if not named.search(line)] == []
