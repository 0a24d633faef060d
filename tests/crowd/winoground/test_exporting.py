"""Examples and answers as files: `manage.py export winoground`, and the download in the admin."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winoground.exporting import rows as made_rows
from crowd.winoground.exporting.columns import ANSWERS, EXAMPLES, FULL
from crowd.winoground.exporting.export import FILES
from crowd.winoground.models import Example, Project
from hits.core.models.audit_events import AuditEvent
from hits.data.exports import Naming
from hits.datasets.columns import Row
from hits.identity.roles import RESEARCHER
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from tests.crowd.winoground.making_scores import (
    RIGHT,
    TEXT_ONLY,
    answer,
    make_answered,
    make_example,
    make_project,
    make_voters,
)
from tests.factories import NOW, make_picture, make_study
from tests.people import sign_in

pytestmark = pytest.mark.django_db


def export(study: Study, out: Path, *options: str) -> Any:
    told = StringIO()
    call_command(
        "export", "winoground", "--study", study.name, "--out", str(out), "--json", *options, stdout=told
    )
    return json.loads(told.getvalue())


def lines_of(path: Path | str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def rows_of(project: Project, name: str, *, everything: bool = False) -> list[Row]:
    naming = Naming(family="winoground", salt="salt")
    return list(FILES[name].rows(project, everything=everything, naming=naming))


@pytest.fixture
def project() -> Project:
    return make_project()


def test_example_says_everything_of_itself(project: Project, tmp_path: Path) -> None:
    picture = make_picture(credit="A museum", licence="CC0-1.0", source="https://example.org/bird")
    voters = make_voters(project)
    example = make_example(
        project, image_0=picture, swap="both", predicates=2, is_series=True, tags=("verb", "noun")
    )
    answer(example, TEXT_ONLY, voters)

    report = export(project.study, tmp_path, "--format", "jsonl")

    (row,) = lines_of(report["file"])
    assert list(row) == [column.name for column in EXAMPLES]
    assert (report["name"], report["rows"]) == ("examples.jsonl", 1)
    assert (row["example"], row["number"]) == (str(example.public_id), 1)
    assert (row["caption_0"], row["caption_1"]) == ("a bird 1 above a boat", "a boat 1 above a bird")
    assert row["image_0_sha256"] == picture.sha256
    assert f"pictures/{row['image_0_file']}" == picture.file.name
    assert [row[f"image_0_{what}"] for what in ("credit", "licence", "source")] == [
        "A museum", "CC0-1.0", "https://example.org/bird",
    ]  # fmt: skip
    assert (row["swap"], row["tags"], row["predicates"]) == ("both", ["noun", "verb"], 2)
    flags = ("symbolic", "series", "pragmatic", "altered_morpheme")
    assert [row[flag] for flag in flags] == [False, True, False, False]
    assert [row[f"yes_{place}"] for place in ("c0_i0", "c0_i1", "c1_i0", "c1_i1")] == [6, 8, 4, 9]
    assert {row[f"answers_{place}"] for place in ("c0_i0", "c0_i1", "c1_i0", "c1_i1")} == {10}
    assert (row["text"], row["image"], row["group"]) == (True, False, False)


def test_open_example_has_counts_and_no_scores(project: Project) -> None:
    make_answered(project, ((3, 4), (0, 4), (0, 0), (4, 4)))

    (row,) = rows_of(project, "examples")

    assert (row["yes_c0_i0"], row["answers_c0_i0"]) == (3, 4)
    assert (row["yes_c1_i0"], row["answers_c1_i0"]) == (0, 0)
    assert (row["text"], row["image"], row["group"]) == (None, None, None)


def test_full_form_hides_who_they_are(project: Project, tmp_path: Path) -> None:
    (example,) = make_answered(project, RIGHT)

    report = export(project.study, tmp_path, "--format", "jsonl", "--full")

    (row,) = lines_of(report["file"])
    assert list(row) == [column.name for column in FULL]
    assert (row["state"], row["asked_at"]) == ("asked", NOW.isoformat())
    answers = lines_of(tmp_path / "answers.jsonl")
    assert list(answers[0]) == [column.name for column in ANSWERS]
    written = Path(report["file"]).read_text() + (tmp_path / "answers.jsonl").read_text()
    assert example.author.username not in written
    for work in Assignment.objects.select_related("worker"):
        for secret in (work.worker.external_id, work.worker.pseudonym, str(work.worker.public_id)):
            assert secret not in written


def test_answers_are_those_that_count(project: Project) -> None:
    voters = make_voters(project, 3)
    example = make_example(project)
    answer(example, ((1, 3), (0, 0), (0, 0), (0, 1)), voters)
    Assignment.objects.filter(pk=voters[1].pk).update(status="rejected")

    found = rows_of(project, "answers")

    told = [(row["caption"], row["image"], row["belong_together"], row["match"]) for row in found]
    assert told == [(0, 0, True, True), (0, 0, True, False), (1, 1, True, False)]
    assert found[0]["by"] == found[2]["by"] != found[1]["by"]
    assert {row["example"] for row in found} == {str(example.public_id)}
    assert {row["at"] for row in found} == {NOW.isoformat()}


def test_withdrawn_examples_are_there_only_if_asked_for(project: Project) -> None:
    make_answered(project, RIGHT, RIGHT)
    Example.objects.filter(number=2).update(state="withdrawn")
    make_example(project, state="withdrawn", asked_at=None)
    make_example(project, state="ready", asked_at=None)

    def numbers(*, everything: bool) -> list[tuple[int, bool]]:
        rows = rows_of(project, "examples", everything=everything)
        return [(row["number"], row["group"]) for row in rows]

    assert numbers(everything=False) == [(1, True)]
    assert numbers(everything=True) == [(1, True), (2, True)]


def test_pseudonyms_are_new_each_time_unless_they_are_to_be_linkable(
    project: Project, tmp_path: Path
) -> None:
    make_answered(project, RIGHT)

    def worker(*options: str) -> str:
        export(project.study, tmp_path, "--format", "jsonl", "--full", *options)
        return str(lines_of(tmp_path / "answers.jsonl")[0]["by"])

    assert worker() != worker()
    assert worker("--linkable") == worker("--linkable")


@pytest.mark.parametrize("full", [(), ("--full",)], ids=["examples", "full"])
def test_parquet_and_csv_hold_as_many_rows_as_json(
    project: Project, tmp_path: Path, full: tuple[str, ...]
) -> None:
    make_answered(project, RIGHT, TEXT_ONLY, ((0, 0),) * 4, tags=("noun",))

    lines = lines_of(export(project.study, tmp_path, "--format", "jsonl", *full)["file"])
    table = pq.read_table(export(project.study, tmp_path, "--format", "parquet", *full)["file"])
    with Path(export(project.study, tmp_path, "--format", "csv", *full)["file"]).open(newline="") as file:
        cells = list(csv.DictReader(file))

    assert table.column_names == list(lines[0])
    assert table.column("group").to_pylist() == [True, False, None] == [row["group"] for row in lines]
    assert [row["group"] for row in cells] == ["true", "false", ""]
    assert [row["tags"] for row in cells] == ['["noun"]'] * 3


def test_study_without_caption_matching_says_so(tmp_path: Path) -> None:
    study = make_study(name="Bare")

    with pytest.raises(CommandError, match="The study “Bare” has no caption matching"):
        export(study, tmp_path)


def test_rows_are_read_in_chunks(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    make_answered(project, *[RIGHT] * 5)
    whole = rows_of(project, "examples"), rows_of(project, "answers")
    monkeypatch.setattr(made_rows, "AT_ONCE", 2)
    monkeypatch.setattr(made_rows, "ANSWERS_AT_ONCE", 7)

    parts = rows_of(project, "examples"), rows_of(project, "answers")

    assert parts == whole
    assert (len(whole[0]), len(whole[1])) == (5, 200)


def test_as_many_queries_for_any_number_of_rows(project: Project) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            rows_of(project, "full")
            rows_of(project, "answers")
        return len(captured)

    make_answered(project, RIGHT, tags=("noun",))
    before = queries()
    make_answered(project, *[RIGHT] * 4, tags=("noun", "verb"))

    assert queries() == before


@pytest.mark.parametrize(
    ("what", "form", "rows"),
    [("examples", "csv", 2), ("full", "jsonl", 2), ("answers", "csv", 80), ("answers", "jsonl", 80)],
)
def test_data_are_taken_in_the_admin_and_that_is_put_on_record(
    client: Client, project: Project, what: str, form: str, rows: int
) -> None:
    make_answered(project, RIGHT, TEXT_ONLY)
    user = sign_in(client, RESEARCHER, project.study)

    answered = client.post(reverse("admin:winoground_take", args=[project.pk]), {"what": what, "form": form})

    lines = b"".join(answered.streaming_content).splitlines()  # type: ignore[attr-defined]
    assert len(lines) == rows + (form == "csv")
    assert f"-{what}-" in answered["Content-Disposition"]
    event = AuditEvent.objects.get(kind="winoground.taken")
    assert (event.by, event.study, event.words) == (
        user, project.study, f"Caption matching was taken: {what}, {form}.",
    )  # fmt: skip


def test_parquet_is_taken_in_the_admin(client: Client, project: Project, tmp_path: Path) -> None:
    make_answered(project, RIGHT)
    sign_in(client, RESEARCHER, project.study)

    answered = client.post(
        reverse("admin:winoground_take", args=[project.pk]), {"what": "answers", "form": "parquet"}
    )

    path = tmp_path / "answers.parquet"
    path.write_bytes(b"".join(answered.streaming_content))  # type: ignore[attr-defined]
    assert pq.read_table(path).num_rows == 40
