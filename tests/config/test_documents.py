"""Documents name what exists: decisions are numbered without a gap, and every link leads to a file."""

import re
from pathlib import Path

import pytest

from tests.config.test_repository import ROOT, committed

DECISIONS = ROOT / "docs" / "decisions"
ROW = re.compile(r"^\| (\d{4}) \| (?:\[(.+)\]\((.+)\)|No decision: .+) \|$", re.MULTILINE)
LINK = re.compile(r"(?<!`)\]\((?!https?://|mailto:)([^)\s#]+)")
PAGES = sorted(name for name in committed() if name.endswith(".md"))


def test_index_lists_every_decision_by_its_title_and_leaves_no_gap() -> None:
    rows = ROW.findall((DECISIONS / "README.md").read_text())
    files = sorted(DECISIONS.glob("[0-9]*.md"))

    listed = {file: title for _, title, file in rows if file}

    assert [int(number) for number, _, _ in rows] == list(range(1, len(rows) + 1))
    assert listed == {file.name: file.read_text().splitlines()[0].removeprefix("# ") for file in files}
    assert [file for number, _, file in rows if file and not file.startswith(number)] == []


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_to_a_file(name: str) -> None:
    page = ROOT / name

    links = LINK.findall(page.read_text())

    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_picture_is_shown_somewhere_and_small() -> None:
    shown = {
        (Path(ROOT / name).parent / link).resolve()
        for name in PAGES
        for link in LINK.findall((ROOT / name).read_text())
    }
    pictures = sorted((ROOT / "docs" / "images").iterdir())

    assert [picture.name for picture in pictures if picture not in shown] == []
    assert [picture.name for picture in pictures if picture.stat().st_size > 150_000] == []
