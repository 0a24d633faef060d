"""Exported files of weird images: by the command and from the admin, in each form, under pseudonyms."""

import csv
import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.whoops.models import Annotation, Category, Image, Project, Revision
from crowd.whoops.models.judged_items import Question
from crowd.whoops.results.exporting.whoops_export import FILES
from hits.core.models.audit_events import AuditEvent
from hits.data.exports import Naming
from hits.datasets.columns import Row
from tests.crowd.whoops.making_results import (
    Crowd,
    Kind,
    annotate,
    ask,
    cast,
    look,
    make_results,
    partner,
    visit,
)
from tests.factories import NOW, make_picture, make_study

pytestmark = pytest.mark.django_db
TAKE = "hits.export_batch"


def make_data() -> tuple[Project, Image, list[Annotation]]:
    """Make an accepted image with everything that can belong to one, and a refused image."""
    project, (image, refused) = make_results(images=2)
    physics = Category.objects.get_or_create(name="Physics")[0]
    Image.objects.filter(pk=image.pk).update(category=physics, seed="4711", accepted_at=NOW)
    Image.objects.filter(pk=refused.pk).update(state=Image.State.REFUSED)
    annotations = [annotate(image, number) for number in range(1, 6)]
    annotate(image, 6, state=Annotation.State.DROPPED)
    partner(image, "normal", prompt="a child on a bicycle", tool="A drawing machine")
    natural = partner(image, "natural")
    natural.picture = make_picture(credit="A. Museum", licence="CC0")
    natural.save()
    look(image, seen=True)
    Revision.objects.filter(image=image).update(outcome="accepted")
    image.refresh_from_db()
    return project, image, annotations


def export(project: Project, folder: Path, *options: str) -> dict[str, Any]:
    told = StringIO()
    arguments = ["--study", project.study.name, "--out", str(folder), "--json"]
    call_command("export", "whoops", *arguments, *options, stdout=told)
    report: dict[str, Any] = json.loads(told.getvalue())
    return report


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def rows_of(project: Project, name: str, *, everything: bool = False) -> list[Row]:
    naming = Naming(family="whoops", salt="salt")
    return list(FILES[name].rows(project, everything=everything, naming=naming))


def test_image_is_one_row_with_five_of_each_text_and_where_it_is_from(tmp_path: Path) -> None:
    project, image, annotations = make_data()

    report = export(project, tmp_path, "--format", "jsonl")

    (row,) = read_jsonl(tmp_path / "images.jsonl")
    assert report["rows"] == 1
    assert row.pop("designer").startswith("w-")
    assert row == {
        "image": str(image.public_id),
        "number": 1,
        "category": "Physics",
        "category_origin": "added",
        "weird_file": Path(str(image.picture.file)).name,
        "weird_sha256": image.picture.sha256,
        "weird_credit": "",
        "weird_licence": image.picture.licence,
        "weird_source": image.picture.source,
        "prompt": "a fish on a bicycle",
        "seed": "4711",
        "tool": "A drawing machine",
        "normal_pair": "a child with a bicycle",
        "weird_pair": "a fish with a bicycle",
        "designer_explanation": "Fish have no legs to pedal with.",
        "edited_explanation": "",
        "captions": [one.caption for one in annotations],
        "explanations": [one.explanation for one in annotations],
        "underspecified_captions": ["A fish rides something."] * 5,
        "normal_file": Path(str(image.picture.file)).name,
        "normal_sha256": image.picture.sha256,
        "normal_credit": "",
        "normal_licence": image.picture.licence,
        "normal_source": image.picture.source,
        "normal_prompt": "a child on a bicycle",
        "normal_seed": "",
        "normal_tool": "A drawing machine",
        "natural_file": Path(str(image.partners.get(kind="natural").picture.file)).name,
        "natural_sha256": image.partners.get(kind="natural").picture.sha256,
        "natural_credit": "A. Museum",
        "natural_licence": "CC0",
        "natural_source": "",
    }


def test_questions_stand_with_their_votes_and_open_ones_without_a_majority(tmp_path: Path) -> None:
    project, image, _ = make_data()
    people = Crowd(project, people=3, right=1, seed=1).people
    first, second = ask(image, Kind.EXPLAIN, offers=(("people", None), ("machine", None)), key="1-1")
    cast(first, [True, True, False], people)
    cast(second, [False, False, True], people)
    (third,) = ask(image, Kind.VERIFY, offers=(("machine", True),), key="a", text="What is it?")
    cast(third, [True], people)

    export(project, tmp_path)

    rows = list(csv.DictReader(StringIO((tmp_path / "questions.csv").read_text())))
    names = ("question", "kind", "option", "source", "label", "yes", "answers", "majority", "complete")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("1-1", "explanations", "1", "people", "", "2", "3", "true", "true"),
        ("1-1", "explanations", "2", "machine", "", "1", "3", "false", "true"),
        ("a", "answers", "1", "machine", "true", "1", "1", "", "false"),
    ]
    assert rows[2]["text"] == "What is it?"
    assert not (tmp_path / "answers.csv").exists()


def test_full_form_says_who_and_when_and_has_every_answer(tmp_path: Path) -> None:
    project, image, annotations = make_data()
    people = Crowd(project, people=3, right=1, seed=1).people
    (option,) = ask(image, Kind.IDENTIFY, offers=(("", True),), key="1-weird")
    cast(option, [True, False, True], people)

    report = export(project, tmp_path, "--full", "--format", "jsonl", "--linkable")

    (row,) = read_jsonl(tmp_path / "full.jsonl")
    answers = read_jsonl(tmp_path / "answers.jsonl")
    assert [one["annotation"] for one in row["annotations"]] == [one.pk for one in annotations]
    assert [one["outcome"] for one in row["revisions"]] == ["accepted"]
    assert [(one["text"], one["seen"]) for one in row["control_group"]] == [("A fish.", True)]
    assert row["study"] == str(project.study.public_id)
    assert [one["yes"] for one in answers] == [True, False, True]
    assert len({one["by"] for one in answers}) == 3
    assert {report[name]["name"] for name in ("questions", "answers")} == {
        "questions.jsonl",
        "answers.jsonl",
    }


def test_parquet_holds_the_same_rows(tmp_path: Path) -> None:
    project, _, annotations = make_data()

    export(project, tmp_path, "--full", "--format", "parquet")

    (row,) = pq.read_table(tmp_path / "full.parquet").to_pylist()
    assert row["captions"] == [one.caption for one in annotations]
    assert row["revisions"][0]["number"] == 1


def test_everything_has_images_that_are_not_accepted_too(tmp_path: Path) -> None:
    project, _, _ = make_data()

    report = export(project, tmp_path, "--full", "--all", "--format", "jsonl")

    states = [row["state"] for row in read_jsonl(tmp_path / "full.jsonl")]
    assert (report["rows"], states) == (2, ["accepted", "refused"])


def test_pseudonyms_are_new_in_each_export_unless_they_are_to_be_linked(tmp_path: Path) -> None:
    project, _, _ = make_data()

    names = []
    for number, options in enumerate([(), (), ("--linkable",), ("--linkable",)]):
        export(project, tmp_path / str(number), "--format", "jsonl", *options)
        names.append(read_jsonl(tmp_path / str(number) / "images.jsonl")[0]["designer"])

    assert names[2] == names[3]
    assert len(set(names)) == 3


def test_no_file_names_a_designer_or_a_worker_as_they_are_known(tmp_path: Path) -> None:
    project, image, annotations = make_data()

    export(project, tmp_path, "--full", "--format", "jsonl")

    written = "".join(path.read_text() for path in tmp_path.glob("*.jsonl"))
    people = [image.designer.name, str(image.designer.public_id)]
    people += [str(one.worker.public_id) for one in annotations] + [annotations[0].worker.pseudonym]
    assert [one for one in people if one in written] == []


def test_study_without_weird_images_is_refused(tmp_path: Path) -> None:
    make_study(name="Other")

    with pytest.raises(CommandError, match="has no weird images"):
        call_command("export", "whoops", "--study", "Other", "--out", str(tmp_path))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ["images", "full", "questions", "answers"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_file_is_taken_from_the_admin_and_that_is_on_record(client: Client, what: str, form: str) -> None:
    project, image, _ = make_data()
    people = Crowd(project, people=3, right=1, seed=1).people
    cast(ask(image, Kind.IDENTIFY, offers=(("", True),))[0], [True] * 3, people)
    user = visit(client, project, TAKE)

    answer = client.post(reverse("admin:whoops_take", args=[project.pk]), {"what": what, "form": form})

    content = b"".join(answer)
    rows = {"images": 1, "full": 1, "questions": 1, "answers": 3}[what]
    if form == "parquet":
        assert pq.read_table(BytesIO(content)).num_rows == rows
    else:
        assert len(content.splitlines()) == rows + (form == "csv")
    assert answer["Content-Disposition"].endswith(f'.{form}"')
    assert AuditEvent.objects.values_list("kind", "words", "by").get() == (
        "whoops.taken",
        f"Weird images were taken: {what}, {form}.",
        user.pk,
    )


def test_form_of_the_data_says_what_there_is_and_asks_for_its_permission(client: Client) -> None:
    project, image, _ = make_data()
    ask(image, Kind.IDENTIFY)
    page = reverse("admin:whoops_take", args=[project.pk])

    visit(client, project)
    assert client.get(page).status_code == 403
    visit(client, project, TAKE)
    text = client.get(page).text

    assert "1 accepted image, and 1 question that people are asked" in text
    assert "manage.py export whoops" in text
    assert client.post(page, {"what": "secrets", "form": "csv"}).status_code == 200
    assert not AuditEvent.objects.exists()


def test_withdrawn_question_is_in_the_file_only_with_everything() -> None:
    project, image, _ = make_data()
    ask(image, Kind.IDENTIFY, key="here")
    ask(image, Kind.IDENTIFY, key="gone")
    Question.objects.filter(key="gone").update(withdrawn_at=NOW)

    found = [
        [row["question"] for row in rows_of(project, "questions", everything=everything)]
        for everything in (False, True)
    ]

    assert found == [["here"], ["here", "gone"]]


def test_rows_ask_as_little_of_many_images() -> None:
    project, images = make_results(images=9)
    crowd = Crowd(project, people=3, right=1, seed=1)

    def fill(some: list[Image]) -> None:
        for image in some:
            annotate(image)
            partner(image, "normal")
            look(image, seen=None)
            cast(ask(image, Kind.IDENTIFY)[0], [True] * 3, crowd.people)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            for name in ("full", "questions", "answers"):
                rows_of(project, name)
        return len(queries)

    fill(images[:2])
    few = count()
    fill(images[2:])

    assert count() == few <= 15
