"""`manage.py export winogavil`: the same rows as a release, straight into a file."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from crowd.winogavil.releases.columns import FULL, PUBLISHED
from hits.studies.models import Study
from tests.crowd.winogavil.releases.data import make_final, people
from tests.factories import make_association, make_study

pytestmark = pytest.mark.django_db


def export(study: Study, out: Path, *options: str) -> Any:
    told = StringIO()
    call_command(
        "export", "winogavil", "--study", study.name, "--out", str(out), "--json", *options, stdout=told
    )
    return json.loads(told.getvalue())


def ids(path: str) -> list[str]:
    return [json.loads(line)["ID"] for line in Path(path).read_text().splitlines()]


def test_published_csv_by_default(tmp_path: Path) -> None:
    study = make_study()
    one = make_final(study, concepts=["moon", "puppy", "cup", "key", "tree"])
    make_final(study, picks=[(2, 3), (2, 3), (2, 3)])
    make_final(study, source="player")
    make_association(study=study)

    report = export(study, tmp_path / "new" / "folder")

    with Path(report["file"]).open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == [column.name for column in PUBLISHED]
    assert rows[1:] == [
        [
            str(one.item.public_id), '["moon","puppy","cup","key","tree"]', "cold", '["moon","puppy"]',
            "67", "2", "5", "1.0", "0.0",
        ]
    ]  # fmt: skip
    assert (report["rows"], report["name"]) == (1, "associations.csv")


def test_everything_final_of_the_named_sources_in_full(tmp_path: Path) -> None:
    study = make_study()
    good = make_final(study, source="recorded", recorded_as="A00001")
    bad = make_final(study, source="player", picks=[(2, 3), (2, 3), (2, 3)])
    make_final(study)
    make_association(study=study)

    report = export(
        study, tmp_path, "--format", "jsonl", "--full", "--all", "--sources", "recorded", "player"
    )

    assert ids(report["file"]) == [str(good.item.public_id), str(bad.item.public_id)]
    first = json.loads(Path(report["file"]).read_text().splitlines()[0])
    assert list(first) == [column.name for column in FULL]
    assert (first["recorded_as"], first["selected"]) == ("A00001", True)


@pytest.mark.parametrize("full", [(), ("--full",)], ids=["published", "full"])
def test_parquet_holds_the_same_as_json(tmp_path: Path, full: tuple[str, ...]) -> None:
    study = make_study()
    for size in (5, 6, 10, 12):
        make_final(study, size=size)

    lines = export(study, tmp_path, "--format", "jsonl", "--linkable", *full)["file"]
    table = pq.read_table(export(study, tmp_path, "--format", "parquet", "--linkable", *full)["file"])

    rows = [json.loads(line) for line in Path(lines).read_text().splitlines()]
    assert table.column_names == list(rows[0])
    assert json.loads(json.dumps(table.to_pylist(), default=lambda at: at.isoformat())) == rows


def test_pseudonyms_are_new_in_each_export_unless_asked_for(tmp_path: Path) -> None:
    study = make_study()
    make_final(study, author=people(1)[0])

    def author(*options: str) -> str:
        report = export(study, tmp_path, "--format", "jsonl", "--full", *options)
        found: str = json.loads(Path(report["file"]).read_text())["author"]
        return found

    assert author() != author()
    assert author("--linkable") == author("--linkable")


def test_failed_export_leaves_the_former_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study()
    make_final(study)
    path = Path(export(study, tmp_path)["file"])
    before = path.read_bytes()

    def full_disk(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hits.datasets.whole_files.os.fsync", full_disk)
    with pytest.raises(CommandError, match="No space left on device"):
        export(study, tmp_path)

    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody", "--study", "Snow"], "invalid choice: 'nobody'"),
        (["winogavil", "--study", "Rain"], "There is no study 'Rain'. There are: Snow."),
        (
            ["winogavil", "--study", "Snow", "--sources", "friends"],
            "There is no source friends. There are: file",
        ),
        (["winogavil", "--study", "Snow", "--format", "xls"], "invalid choice"),
        (["winogavil", "--study", "Snow", "--all", "--selected"], "not allowed with"),
    ],
    ids=["family", "study", "source", "format", "both"],
)
def test_what_cannot_be_exported_is_refused_in_words(
    tmp_path: Path, arguments: list[str], words: str
) -> None:
    make_study(name="Snow")

    with pytest.raises(CommandError, match=words):
        call_command("export", *arguments, "--out", str(tmp_path / "out"))

    assert not (tmp_path / "out").exists()
