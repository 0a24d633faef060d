"""Files of a release by which models are asked and fine-tuned."""

import json
from typing import Any

import pytest

from crowd.releases.models import Release
from crowd.releases.services.release_rows import columns_in
from crowd.releases.services.survey import frozen_rows
from crowd.releases.splits import TEST, split_of
from crowd.whoops.models import Image
from crowd.whoops.models.judged_items import Question
from crowd.whoops.release_contents import WhoopsContents
from tests.crowd.releases.studies import make_of, release_of
from tests.crowd.whoops.making_results import ask
from tests.factories import NOW

pytestmark = pytest.mark.django_db


def lines(release: Release, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (release.folder / f"{name}.jsonl").read_text().splitlines()]


def test_each_task_is_written_as_inputs_and_targets_in_folds() -> None:
    release = release_of(make_of("whoops", items=8), "whoops", split_seed=1)
    image = Image.objects.get(number=3)

    rows = lines(release, "sequences")
    own = [row for row in rows if row["image"] == str(image.public_id)]

    assert len(rows) == release.counts["files"]["sequences"] == 8 * 7
    told = {(row["task"], row["input"]): row["target"] for row in own}
    matching = next(text for task, text in told if task == "matching")
    assert told.pop(("matching", matching)) == ("A" if "A: caption 2 of it" in matching else "B")
    assert matching in {
        "Which is better? A: caption 2 of it B: A fish rides something.",
        "Which is better? A: A fish rides something. B: caption 2 of it",
    }
    weird, normal = (row for row in own if row["task"] == "identification")
    assert (weird["target"], weird["picture_sha256"]) == ("weird", image.picture.sha256)
    assert (normal["target"], normal["picture_sha256"]) == ("normal", image.partners.get().picture.sha256)
    told.pop(("identification", "Is this normal or weird?"))
    assert told == {
        ("vqa", "Question: What is it?"): "answer 2 to it",
        ("captioning", "Describe the image."): "caption 2 of it",
        ("explanation", "Why is it weird?"): "Fish have no legs, reason 1.",
        ("explanation_in_detail", "Why is it weird, in detail?"): "explained 2 times",
    }
    folds = {row["image"]: row["fold"] for row in lines(release, "images")}
    assert {row["fold"] for row in own} == {folds[str(image.public_id)]}
    assert {row["fold"] for row in rows} <= {1, 2, 3, 4, 5}


def test_the_detailed_caption_is_first_by_lot_and_the_same_each_time() -> None:
    study = make_of("whoops", items=30)
    one, other = (lines(release_of(study, "whoops", version=version), "sequences") for version in ("1", "2"))

    targets = [row["target"] for row in one if row["task"] == "matching"]

    assert one == other
    assert 5 < targets.count("A") < 25


def test_questions_are_asked_with_their_right_answers_alone() -> None:
    study = make_of("whoops", items=2)
    image = Image.objects.get(number=1)
    wrong = ask(image, Question.Kind.VERIFY, offers=(("machine", False),), key="x:wrong", text="What is it?")
    (gone,) = ask(image, Question.Kind.VERIFY, offers=(("machine", True),), key="gone", text="Who is it?")
    Question.objects.filter(pk=gone.question_id).update(withdrawn_at=NOW)
    # One that waits for a sample is asked of nobody, and is a question all the same.
    (waits,) = ask(image, Question.Kind.VERIFY, offers=(("machine", True),), key="waits", text="Where?")
    Question.objects.filter(pk=waits.question_id).update(item=None)

    rows = lines(release_of(study, "whoops"), "question_answering")

    assert [(row["text"], row["answer"]) for row in rows if row["image"] == str(image.public_id)] == [
        ("What is it?", "answer 0 to it"),
        ("Where?", waits.text),
    ]
    assert {row["picture_sha256"] for row in rows} == {one.picture.sha256 for one in Image.objects.all()}
    assert wrong


def test_a_hidden_split_has_questions_and_no_answers_and_no_targets() -> None:
    release = release_of(make_of("whoops", items=20), "whoops", split_seed=2, hides_test=True)
    hidden = {row["image"] for row in frozen_rows(release, "full") if split_of(row["image"], seed=2) == TEST}

    questions = lines(release, "question_answering")

    assert hidden
    assert {row["image"] for row in questions if row["answer"] is None} == hidden
    assert all(row["text"] for row in questions)
    assert not hidden & {row["image"] for row in lines(release, "sequences")}


def test_a_release_of_before_has_no_such_files() -> None:
    release = release_of(make_of("whoops", items=2), "whoops")
    del release.counts["files"]["sequences"], release.counts["files"]["question_answering"]

    files = WhoopsContents().files(release)

    assert [file.name for file in files] == ["images", "full", "questions", "answers"]
    names = {column.name for file in files for column in columns_in(release, file)}
    assert not names & {"identified", "question_answers"}
