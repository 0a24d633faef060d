"""`manage.py export winoventi`: two prompts a pair, in the published columns and in full."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from crowd.winoventi.challenge.exporting.columns import FULL, PUBLISHED, SPLIT
from crowd.winoventi.models import Choice, FilterScore, Judgement, PieceScoring, Premise, Project, Prompt
from hits.studies.models import Study
from tests.crowd.winoventi.rows import make_pair, make_project
from tests.factories import NOW, make_study, make_worker

pytestmark = pytest.mark.django_db


def export(study: Study, out: Path, *options: str) -> Any:
    told = StringIO()
    call_command(
        "export", "winoventi", "--study", study.name, "--out", str(out), "--json", *options, stdout=told
    )
    return json.loads(told.getvalue())


def make_set(*, pairs: int = 1) -> Project:
    """Make so many valid pairs, the first one by hand, and one pair that failed."""
    project = make_project("lemon")
    make_pair(project)
    for number in range(1, pairs):
        make_pair(project, f"noun-{number}")
    failed = make_pair(project, "chili", ("hot", "frozen"), "He took a [spoon / saw].")
    Premise.objects.filter(pk=failed.pk).update(state=Premise.State.FAILED, reason="generic_synonym")
    return project


def lines_of(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_published_tsv_has_two_prompts_a_valid_pair(tmp_path: Path) -> None:
    project = make_set()

    report = export(project.study, tmp_path, "--format", "tsv")

    rows = [line.split("\t") for line in Path(report["file"]).read_text().splitlines()]
    assert rows == [
        [column.name for column in PUBLISHED],
        [
            "lemon", "sour", "sweet", "She made a face.", "She made a smile.",
            "She made a face. The lemon is [MASK].", "sour", "sweet", "generic",
        ],
        [
            "lemon", "sour", "sweet", "She made a face.", "She made a smile.",
            "She made a smile. The lemon is [MASK].", "sweet", "sour", "exception",
        ],
    ]  # fmt: skip
    assert (report["rows"], report["name"]) == (2, "challenge.tsv")


def test_full_form_says_who_asked_what_and_hides_who_they_are(tmp_path: Path) -> None:
    project = make_set()
    pair = project.premises.get(state="valid")
    judge, chooser = make_worker(), make_worker()
    FilterScore.objects.create(
        alternative=pair.alternative, way=PieceScoring.PROPERLY, p_generic=0.5, p_exception=0.25, passes=True,
        provenance={"weights_sha256": "ab" * 32}, scored_at=NOW,
    )  # fmt: skip
    Judgement.objects.create(
        premise=pair, worker=judge, generic_synonym=False, exception_synonym=True,
        exception_fits_generic=False, generic_fits_exception=False,
    )  # fmt: skip
    prompt = Prompt.objects.create(premise=pair, kind="exception")
    Choice.objects.create(prompt=prompt, worker=chooser, word="sour", is_right=False)

    report = export(project.study, tmp_path, "--format", "jsonl", "--full", "--all")

    rows = lines_of(report["file"])
    generic, exception = rows[:2]
    assert list(generic) == [column.name for column in FULL]
    assert [row["state"] for row in rows] == ["valid", "valid", "failed", "failed"]
    assert rows[2]["failed_by"] == ["generic_synonym"]
    assert generic["filter"][0]["weights_sha256"] == "ab" * 32
    assert (generic["filter"][0]["p_generic"], generic["filter"][0]["passes"]) == (0.5, True)
    assert [one["exception_synonym"] for one in generic["judgements"]] == [True]
    assert generic["choices"] == []
    assert [(one["word"], one["right"]) for one in exception["choices"]] == [("sour", False)]
    written = Path(report["file"]).read_text()
    for worker in (pair.worker, pair.alternative.worker, judge, chooser):
        assert worker.pseudonym not in written
        assert worker.external_id not in written
        assert str(worker.public_id) not in written


def test_pseudonyms_are_new_each_time_unless_they_are_to_be_linkable(tmp_path: Path) -> None:
    study = make_set().study

    def author(*options: str) -> str:
        report = export(study, tmp_path, "--format", "jsonl", "--full", *options)
        return str(lines_of(report["file"])[0]["premise_by"])

    assert author() != author()
    assert author("--linkable") == author("--linkable")


@pytest.mark.parametrize("full", [(), ("--full",)], ids=["published", "full"])
def test_parquet_and_csv_hold_as_many_rows_as_json(tmp_path: Path, full: tuple[str, ...]) -> None:
    study = make_set(pairs=3).study

    lines = lines_of(export(study, tmp_path, "--format", "jsonl", *full)["file"])
    table = pq.read_table(export(study, tmp_path, "--format", "parquet", *full)["file"])
    with Path(export(study, tmp_path, "--format", "csv", *full)["file"]).open(newline="") as file:
        cells = list(csv.reader(file))

    assert table.column_names == list(lines[0])
    assert table.column("masked_prompt").to_pylist() == [row["masked_prompt"] for row in lines]
    assert (cells[0], len(cells)) == (list(lines[0]), len(lines) + 1)


def test_splits_hold_whole_pairs_apart_and_are_the_same_for_one_seed(tmp_path: Path) -> None:
    study = make_set(pairs=10).study

    first = export(study, tmp_path / "a", "--format", "tsv", "--splits", "7")["splits"]
    again = export(study, tmp_path / "b", "--format", "tsv", "--splits", "7")["splits"]
    other = export(study, tmp_path / "c", "--format", "tsv", "--splits", "8")["splits"]

    names = [one["name"] for one in first]
    assert names == [
        "half-train-7.tsv",
        "half-test-unseen-7.tsv",
        "full-train-7.tsv",
        "full-test-unseen-exceptions-7.tsv",
        "full-test-generics-7.tsv",
        "full-test-mixed-7.tsv",
    ]
    assert [one["sha256"] for one in first] == [one["sha256"] for one in again]
    assert [one["sha256"] for one in first] != [one["sha256"] for one in other]
    prompts = {
        name: [line.split("\t")[0] for line in (tmp_path / "a" / name).read_text().splitlines()[1:]]
        for name in names
    }
    assert [len(prompts[name]) for name in names] == [10, 10, 8, 2, 10, 4]
    pairs = [{prompt.partition("-")[0] for prompt in prompts[name]} for name in names]
    assert pairs[0].isdisjoint(pairs[1])
    assert pairs[2].isdisjoint(pairs[3])
    header = (tmp_path / "a" / names[0]).read_text().splitlines()[0]
    assert header.split("\t") == [column.name for column in SPLIT]


def test_refuses_what_cannot_be_written(tmp_path: Path) -> None:
    project = make_set()
    without = make_study()

    with pytest.raises(CommandError, match="rows within rows"):
        export(project.study, tmp_path, "--format", "tsv", "--full")
    with pytest.raises(CommandError, match="has no exception procedure"):
        export(without, tmp_path)

    assert list(tmp_path.iterdir()) == []
