"""Checks of the layout: names with two meanings, folders and lines that are too large are refused."""

from pathlib import Path, PurePosixPath

import pytest

from tests import house

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    "places",
    [
        ["scoring/services/judging.py", "crowd/whoops/admin/judging.py"],
        ["hits/work/services/answers.py", "hits/sync/domain/answers.py"],
        ["hits/admin/people/letters.py", "hits/admin/payments/letters.py"],
        ["config/waking.py", "hits/common/waking.py"],
    ],
)
def test_names_that_see_each_other_are_told(places: list[str]) -> None:
    (told,) = house.two_meanings(map(PurePosixPath, places))

    assert told == f"{PurePosixPath(places[0]).stem} means several things: {', '.join(places)}"


@pytest.mark.parametrize(
    "places",
    [
        ["scoring/models/verdicts.py", "scoring/admin/verdicts.py"],
        ["crowd/whoops/design/services/links.py", "crowd/winoventi/services/links.py"],
        ["crowd/marketplace/models/people.py", "qualifications/domain/people.py"],
        ["hits/data/services.py", "hits/work/services.py"],
        ["hits/management/commands/replay.py", "crowd/winoventi/replaying/replay.py"],
        ["tests/words.py", "qualifications/words.py"],
    ],
)
def test_layers_families_and_the_marketplace_may_share_a_name(places: list[str]) -> None:
    assert list(house.two_meanings(map(PurePosixPath, places))) == []


def test_large_folders_are_told() -> None:
    large = [PurePosixPath(f"a/m{number}.py") for number in range(house.MOST_MODULES + 1)]
    small = [PurePosixPath("b/__init__.py"), *large[:-1]]

    assert list(house.large_folders(large)) == ["a holds 26 modules, more than 25"]
    assert list(house.large_folders(small)) == []


def test_docstrings_that_lean_on_a_name_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(house, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text(
        '"""Rows of a file."""\n\ndef f():\n    """Of one row."""\n\nasync def g():\n    """Ofsted."""\n'
    )

    assert list(house.leaning_docstrings([PurePosixPath("a.py")])) == [
        "a.py:3 says no whole sentence: Of one row."
    ]


def test_long_lines_of_templates_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(house, "ROOT", tmp_path)
    longest = "é" * house.LONGEST_LINE
    (tmp_path / "a.html").write_text(f"<p>\n{longest}\n{longest}!\n")

    assert list(house.long_lines([PurePosixPath("a.html")])) == [
        "a.html:3 is 121 characters long, more than 120"
    ]


def test_this_house_is_in_order() -> None:
    assert house.main() == 0
