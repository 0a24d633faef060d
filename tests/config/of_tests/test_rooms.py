"""The table of the tests' coverage, and its gate."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests import rooms

pytestmark = pytest.mark.pure


def counted(lines: tuple[int, int], branches: tuple[int, int]) -> dict[str, Any]:
    return {
        "summary": {
            "covered_lines": lines[0],
            "num_statements": lines[1],
            "covered_branches": branches[0],
            "num_branches": branches[1],
            "percent_covered": 12.3,
        }
    }


REPORT = {
    "files": {
        "hits/a.py": counted((9, 10), (1, 2)),
        "hits/payments/b.py": counted((10, 10), (2, 2)),
        "config/c.py": counted((1, 4), (0, 0)),
    }
}


def test_files_are_added_up_by_room_and_over_all() -> None:
    assert rooms.shares(REPORT) == {
        "config": {"lines": 25.0, "branches": 0.0},
        "hits": {"lines": 95.0, "branches": 75.0},
        "all": {"lines": 83.3, "branches": 75.0},
    }


def test_less_than_was_reached_is_told_by_room() -> None:
    floors = {"hits": {"lines": 95.0, "branches": 75.1}, "scoring": {"lines": 1.0}}

    assert list(rooms.fallen(rooms.shares(REPORT), floors)) == [
        "hits: 75.0 % of its branches are reached by tests, and 75.1 % were.",
        "scoring: 0.0 % of its lines are reached by tests, and 1.0 % were.",
    ]


@pytest.mark.parametrize(("least", "status"), [(95.0, 0), (95.1, 1)])
def test_gate_stands_in_the_project_file(
    least: float, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    report, project = tmp_path / "coverage.json", tmp_path / "pyproject.toml"
    report.write_text(json.dumps(REPORT))
    project.write_text(f"[tool.rooms.reached]\nhits = {{lines = {least}}}\n")
    monkeypatch.setattr(rooms, "PYPROJECT", project)

    assert rooms.main(str(report)) == status
    assert "hits               95.0%     75.0%\n" in capsys.readouterr().out


def test_each_room_has_its_gate() -> None:
    floors = tomllib.loads(rooms.PYPROJECT.read_text())["tool"]["rooms"]["reached"]

    assert set(floors) == {"config", "crowd", "hits", "qualifications", "scoring"}
    assert all(set(floor) == {"lines", "branches"} for floor in floors.values())
