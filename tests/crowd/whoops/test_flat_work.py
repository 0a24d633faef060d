"""What a file says of work on weird images: which image, what was written or chosen, what became of it."""

from typing import Any

import pytest

from crowd.whoops import domain
from crowd.whoops.design.services.invitations import want_designers
from crowd.whoops.judge.services.explanation_lists import make_explanations
from crowd.whoops.judge.services.weird_normal_pairs import make_pairs
from crowd.whoops.models import Designer
from crowd.whoops.models.control_and_review import ControlAnswer
from hits.data.services.flat_export import export_flat
from hits.studies.models import Batch
from tests.crowd.whoops import making_designers
from tests.crowd.whoops.making_annotations import GOOD, Annotators, make_training_images
from tests.crowd.whoops.making_designers import send
from tests.crowd.whoops.making_images import SAW, SAW_NOTHING, ControlGroup
from tests.crowd.whoops.making_questions import (
    ANSWERS,
    EXPLANATIONS,
    Judges,
    bring_in,
    make_annotation,
    make_data,
)
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_worker

pytestmark = pytest.mark.django_db


def rows_of(batch: Batch) -> list[dict[str, Any]]:
    return list(export_flat(batch=batch, include_excluded=False))


def test_annotations_say_the_image_the_texts_and_whether_they_count() -> None:
    crowd = Annotators()
    crowd.answer()

    [row] = rows_of(crowd.batch())

    assert (row["image"], row["image_sha256"]) == (crowd.image.number, crowd.image.picture.sha256)
    assert {name: row[name] for name in GOOD} == GOOD
    assert (row["state"], row["why"]) == ("counted", "")


def test_an_annotation_of_an_image_that_was_replaced_is_said_without_it() -> None:
    crowd = Annotators()
    crowd.answer()
    image = crowd.image
    image.annotation_item = None
    image.save(update_fields=["annotation_item"])

    [row] = rows_of(crowd.batch())

    assert (row["image"], row["image_sha256"], row["caption"]) == (None, None, GOOD["caption"])


def test_the_annotators_test_says_the_texts_about_each_image() -> None:
    crowd = Annotators()
    images = make_training_images(crowd.project, 2)
    crowd.hand_in(crowd.open(task=domain.EXAMPLES, items_per_assignment=2))

    rows = rows_of(crowd.batch(domain.EXAMPLES))

    assert {row["image_sha256"] for row in rows} == {image.picture.sha256 for image in images}
    assert {row["explanation"] for row in rows} == {GOOD["explanation"]}


def test_the_control_group_says_what_it_saw_and_how_it_was_compared() -> None:
    group = ControlGroup()
    image = group.post()
    group.look(SAW)
    group.look(SAW_NOTHING)
    ControlAnswer.objects.filter(saw_nothing=False).update(seen=True)

    saw, nothing = rows_of(group.batch)

    assert (saw["image"], saw["revision"], saw["image_sha256"]) == (image.number, 1, image.picture.sha256)
    assert (saw["text"], saw["saw_nothing"], saw["seen"]) == (SAW["text"], False, True)
    assert (nothing["text"], nothing["saw_nothing"], nothing["seen"]) == ("", True, False)


def test_weird_or_normal_says_the_choice_and_whether_it_is_right() -> None:
    project = make_data()
    make_pairs(project=project, wanted=100, seed=1, now=NOW)
    judges = Judges(project, domain.IDENTIFY, items=2)
    judges.answer({"pick": "weird"})
    judges.answer({"pick": "weird"})

    rows = rows_of(judges.batch)

    assert {row["said"] for row in rows} == {"Weird"}
    assert all(row["is_right"] == (row["variant"] == "weird") for row in rows)
    assert all(len(row["image_sha256"]) == 64 for row in rows)


def test_explanations_say_which_were_marked_and_who_wrote_them() -> None:
    project = make_data(annotations_wanted=3)
    bring_in(project, domain.EXPLAIN, EXPLANATIONS)
    for text in ("Flames need air.", "candles  need air.", "Water puts out fire."):
        make_annotation(project.images.get(number=1), text)
    make_explanations(project=project, incomplete=False, now=NOW)
    judges = Judges(project, domain.EXPLAIN)
    judges.answer({"marked": "1"})

    [row] = rows_of(judges.batch)

    assert len(row["options"]) == len(row["sources"]) == len(row["votes"])
    assert row["marked"] == [
        option for option, vote in zip(row["options"], row["votes"], strict=True) if vote == "yes"
    ]
    assert row["is_right"] is None


def test_questions_and_answers_say_both_and_the_verdict() -> None:
    project = make_data()
    bring_in(project, domain.VERIFY, ANSWERS)
    judges = Judges(project, domain.VERIFY)
    judges.answer({"pick": "yes"})

    [row] = rows_of(judges.batch)

    assert row["text"].endswith("?")
    assert (len(row["options"]), row["said"], row["votes"]) == (1, "Yes", ["yes"])


def test_designers_work_is_said_as_one_row_for_each_image() -> None:
    project = making_designers.make_project()
    want_designers(project=project, places=2)
    batch = make_batch(study=project.study, task=domain.DESIGN, status="open")
    worker = make_worker(account=batch.account)
    designer: Designer = making_designers.make_designer(project, worker=worker)
    images = [send(designer) for _ in range(2)]
    answer = {"images": [str(image.public_id) for image in images]}
    make_assignment(hit=make_hit(batch=batch), worker=worker, status="submitted", answer=answer)

    first, second = rows_of(batch)

    assert (first["image"], second["image"]) == (1, 2)
    assert first["image_sha256"] == images[0].picture.sha256
    assert (first["weird"], first["category"], first["state"]) == (
        "A snowman with a gas stove",
        "Physics",
        images[0].state,
    )
