"""Annotating weird images is rehearsed: by whoever comes, and as a person lets it count."""

from typing import Any

import pytest

from crowd.rehearsal.playing.private_copy import write_copy
from crowd.whoops.annotate.rehearsed_annotation import RehearsedAnnotation
from crowd.whoops.annotate.services.posting_annotations import post_annotations
from crowd.whoops.domain import ANNOTATE
from crowd.whoops.models import Annotation, Designer, Image, Project
from hits.studies.models import Batch
from hits.work.models.items import Item
from tests.crowd.rehearsal.rehearsing import rehearse
from tests.crowd.whoops import making_questions
from tests.factories import NOW, make_batch, make_worker

pytestmark = pytest.mark.django_db


def make_images(count: int = 2, **rules: Any) -> Project:
    project = making_questions.make_data(images=count, **{"annotations_wanted": 2, **rules})
    post_annotations(now=NOW)
    return project


def draft(project: Project, **changes: Any) -> Batch:
    return make_batch(
        study=project.study, task=ANNOTATE, hits_wanted=2, **{"assignments_per_hit": 2, **changes}
    )


def test_images_are_annotated_by_as_many_as_they_lack() -> None:
    project = make_images()
    Item.objects.filter(whoops_annotation=project.images.earliest("pk")).update(wanted=1)

    report = rehearse(draft(project))

    assert (report["final_in_runs"], report["runs"][0]["works"], report["starving"]) == (1, 3, {})
    assert report["nothing_lost"] is True
    assert "nobody reads it first" in report["sources"][0]


def test_what_a_person_drops_is_asked_of_others_where_the_batch_grows() -> None:
    grows, stays = make_images(grows_by_itself=True), make_images()
    half = {"skill": 50, "skill_spread": 0, "review_h": 2, "workers": 20}

    grown = rehearse(draft(grows, review_by="hand"), **half)
    short = rehearse(draft(stays, review_by="hand"), **half, most_days=2)

    assert (grown["final_in_runs"], grown["starving"]) == (1, {})
    dropped = grown["runs"][0]["figures"]["Annotations that were dropped"]
    assert grown["runs"][0]["works"] == 4 + dropped > 4
    assert grown["hours"]["least"] >= 2
    assert list(short["starving"]) == ["no HIT has a free place left"]
    assert "drops where a worker does badly: 50 of 100" in grown["sources"][0]


def test_a_copy_of_images_names_no_designer_and_none_of_their_words() -> None:
    project = make_images()
    Designer.objects.update(name="Somebody Real", worker=make_worker(external_id="AREALDESIGNER"))
    Image.objects.update(prompt="a secret prompt")

    copy = write_copy(draft(project), family=RehearsedAnnotation)

    assert "whoops.image" in copy
    assert [word for word in ("Somebody Real", "AREALDESIGNER", "secret prompt") if word in copy] == []


def test_recorded_texts_say_how_many_are_dropped() -> None:
    project = make_images(1)
    image = project.images.get()
    for number in range(30):
        state = "dropped" if number < 6 else "counted"
        making_questions.make_annotation(image, "It floats.", state=state, why="Why.")

    recorded = RehearsedAnnotation.record(project.study)
    Annotation.objects.latest("pk").delete()

    assert recorded == {"votes": 30, "right": 24}
    assert RehearsedAnnotation.record(project.study) == {}
