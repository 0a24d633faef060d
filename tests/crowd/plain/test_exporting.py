"""Rows and answers as files: `manage.py export plain`, and the download in the admin."""

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

from crowd.plain.exporting.columns import answer_columns, row_columns
from crowd.plain.exporting.export import PlainExport
from crowd.plain.models import Description, Project
from hits.core.models.audit_events import AuditEvent
from hits.data.exports import Naming
from hits.identity.roles import RESEARCHER
from hits.studies.models import Study
from tests.crowd.plain.making import answer_each, asked_project, open_batch
from tests.crowd.plain.test_results import TEXT
from tests.factories import NOW, make_study
from tests.people import sign_in

pytestmark = pytest.mark.django_db
FIRST = {"q1": "1", "q2": "1 2", "q3": "2", "q4": "1.5", "q5": "=1+1"}
SECOND = {"q1": "2", "q3": "4"}


def export(study: Study, out: Path, *options: str) -> Any:
    told = StringIO()
    call_command("export", "plain", "--study", study.name, "--out", str(out), "--json", *options, stdout=told)
    return json.loads(told.getvalue())


def lines_of(path: Path | str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


@pytest.fixture
def project() -> Project:
    """A project with two rows and two people, who disagree about the first row."""
    made = asked_project("A", "B", text=TEXT, answers_wanted=2)
    batch = open_batch(made)
    answer_each(batch, [FIRST, FIRST])
    answer_each(batch, [SECOND, FIRST])
    return made


def test_row_says_what_was_uploaded_and_what_most_have_said(project: Project, tmp_path: Path) -> None:
    report = export(project.study, tmp_path, "--format", "jsonl")

    first, second = lines_of(report["file"])
    page = Description.objects.get().page
    assert list(first) == [column.name for column in row_columns(page)]
    assert (report["name"], report["rows"]) == ("rows.jsonl", 2)
    assert (first["row"], first["Input.sentence"]) == (1, "A")
    assert (first["Majority.natural"], first["Tied.natural"], first["Share.natural"]) == (
        ["yes", "no"], True, 0.5,
    )  # fmt: skip
    assert (first["Majority.faults"], first["Tied.faults"]) == ([], True)
    assert (first["Mean.sure"], first["Answers.words"], first["Answers.why"]) == (3.0, 1, 1)
    assert (second["Majority.natural"], second["Tied.natural"], second["Share.natural"]) == (
        ["yes"], False, 1.0,
    )  # fmt: skip
    assert second["Majority.words"] == ["1.5"]


def test_full_form_has_every_answer_that_counts(project: Project, tmp_path: Path) -> None:
    report = export(project.study, tmp_path, "--format", "jsonl", "--full")

    answers = lines_of(tmp_path / report["answers"]["name"])
    assert list(answers[0]) == [column.name for column in answer_columns(Description.objects.get().page)]
    assert [answer["row"] for answer in answers] == [1, 1, 2, 2]
    assert answers[0] | {"by": ""} == {
        "row": 1,
        "Input.sentence": "A",
        "Answer.natural": "yes",
        "Answer.faults": ["a", "b"],
        "Answer.sure": 2,
        "Answer.words": 1.5,
        "Answer.why": "=1+1",
        "by": "",
        "at": NOW.isoformat(),
    }
    assert (answers[1]["Answer.faults"], answers[1]["Answer.words"]) == ([], None)
    assert answers[0]["by"] == answers[2]["by"] != answers[1]["by"]


def test_pseudonyms_differ_between_files_unless_they_shall_not(project: Project, tmp_path: Path) -> None:
    people = [
        {row["by"] for row in lines_of(tmp_path / name / "answers.jsonl")}
        for name, more in (("one", ["--linkable"]), ("two", ["--linkable"]), ("three", []))
        if export(project.study, tmp_path / name, "--format", "jsonl", "--full", *more)
    ]

    assert people[0] == people[1]
    assert not people[0] & people[2]


def test_rows_that_nobody_has_answered_stand_there_if_somebody_wants_them(tmp_path: Path) -> None:
    project = asked_project("A", "B")
    answer_each(open_batch(project), [{"q1": "1"}])

    some, everything = (
        lines_of(export(project.study, tmp_path / str(len(more)), "--format", "jsonl", *more)["file"])
        for more in ([], ["--all"])
    )

    assert [row["row"] for row in some] == [1]
    assert [(row["row"], row["Answers.natural"]) for row in everything] == [(1, 1), (2, 0)]


def test_parquet_holds_lists_and_figures(project: Project, tmp_path: Path) -> None:
    report = export(project.study, tmp_path, "--format", "parquet", "--full")

    answers = pq.read_table(tmp_path / report["answers"]["name"]).to_pylist()
    assert (answers[0]["Answer.faults"], answers[0]["Answer.words"]) == (["a", "b"], 1.5)
    assert answers[0]["at"] == NOW


def test_nothing_in_a_csv_is_run(project: Project, client: Client) -> None:
    sign_in(client, RESEARCHER, project.study)

    taken = client.post(reverse("admin:plain_take", args=[project.pk]), {"what": "answers", "form": "csv"})

    rows = list(csv.DictReader(StringIO(b"".join(taken).decode())))
    assert rows[0]["Answer.why"] == "'=1+1"
    assert AuditEvent.objects.get(kind="plain.taken").study == project.study


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("what", ["rows", "answers"])
def test_each_file_can_be_downloaded(project: Project, client: Client, what: str, form: str) -> None:
    sign_in(client, RESEARCHER, project.study)

    taken = client.post(reverse("admin:plain_take", args=[project.pk]), {"what": what, "form": form})

    assert f"-{what}-" in taken["Content-Disposition"]
    assert b"".join(taken)


def test_study_that_asks_nothing_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="has asked no questions of its own"):
        export(make_study(), tmp_path)


def test_queries_do_not_grow_with_the_rows() -> None:
    counts = []
    for size in (2, 12):
        project = asked_project(*map(str, range(size)), answers_wanted=1)
        answer_each(open_batch(project), [{"q1": "1"}] * size)
        description = Description.objects.get(project=project)
        with CaptureQueriesContext(connection) as queries:
            for file in PlainExport().files_of(description).values():
                list(file.rows(description, everything=True, naming=Naming(family="plain", salt="x")))
        counts.append(len(queries))

    assert counts[0] == counts[1]
