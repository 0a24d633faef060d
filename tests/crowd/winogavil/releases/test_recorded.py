"""The authors' recorded games, replayed: tables and files have the published figures."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from crowd.winogavil.releases.statistics.kept_figures import statistics_of
from hits.studies.models import Study
from tests.factories import NOW

DATA = Path(__file__).parents[5] / "shared" / "data" / "winogavil"
pytestmark = [
    pytest.mark.skipif(not DATA.is_dir(), reason="the recorded data of ../shared is not here"),
    pytest.mark.django_db,
]


@pytest.fixture
def study(capsys: pytest.CaptureFixture[str]) -> Study:
    call_command("replay", "winogavil", str(DATA), "--study", "Recorded", "--json")
    capsys.readouterr()
    return Study.objects.get(name="Recorded")


def test_table_by_candidates_and_chosen_is_the_recorded_one(study: Study) -> None:
    expected = json.loads((DATA / "expected.json").read_text())

    found = statistics_of(study, sources=["recorded"], now=NOW).figures

    by_size = {
        f"{row['candidates']}/{row['chosen']}": {"items": row["selected"], "mean_model_score": row["model"]}
        for row in found["shapes"]
    }
    assert by_size == expected["by_size"]
    assert found["sizes"][1]["selected"] == expected["selected"]


def test_export_is_the_recording(study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command(
        "export", "winogavil", "--study", "Recorded", "--out", str(tmp_path), "--format", "jsonl", "--full"
    )
    capsys.readouterr()

    rows = [json.loads(line) for line in (tmp_path / "full.jsonl").read_text().splitlines()]

    exported = {row["recorded_as"]: row for row in rows}
    for recorded in _recorded("associations.csv"):
        row = exported.pop(recorded["association"])
        assert row["candidates"] == json.loads(recorded["candidates"])
        assert row["cue"] == recorded["cue"]
        assert set(row["associations"]) == set(json.loads(recorded["selected"]))
        predicted = {picture["name"] for picture in row["pictures"] if picture["predicted"]}
        assert predicted == set(json.loads(recorded["rival_prediction"]))
        assert row["source"] == "recorded"
    assert exported == {}
    assert _solutions(rows) == sorted(
        (one["association"], sorted(json.loads(one["selected"]))) for one in _recorded("solutions.csv")
    )


def _recorded(name: str) -> Iterator[dict[str, str]]:
    with (DATA / name).open(newline="") as file:
        yield from csv.DictReader(file)


def _solutions(rows: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    return sorted((row["recorded_as"], sorted(one["picked"])) for row in rows for one in row["solvers"])
