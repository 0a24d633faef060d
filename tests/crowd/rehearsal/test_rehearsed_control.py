"""The control group of weird images is rehearsed until a person has compared what decides on each image."""

import pytest

from crowd.rehearsal.playing.private_copy import write_copy
from crowd.whoops.control.rehearsed_control import RehearsedControl
from crowd.whoops.control.services.posting_control import post_control
from crowd.whoops.domain import CONTROL
from crowd.whoops.models import Designer, Image, Project, Revision
from crowd.whoops.models.control_and_review import ControlAnswer
from hits.studies.models import Batch
from hits.work.models.items import Item
from tests.crowd.rehearsal.rehearsing import rehearse
from tests.crowd.whoops.making_images import make_image, make_project
from tests.factories import NOW, make_assignment, make_batch, make_worker

pytestmark = pytest.mark.django_db
SURE = {"skill": 100, "skill_spread": 0, "review_h": 3}


def make_sent(count: int = 2) -> Project:
    project = make_project()
    for _ in range(count):
        make_image(project)
    post_control(now=NOW)
    return project


def draft(project: Project) -> Batch:
    return make_batch(study=project.study, task=CONTROL, hits_wanted=2, assignments_per_hit=3)


def answer_once(image: Image, *, seen: bool) -> None:
    work = make_assignment(status="submitted")
    ControlAnswer.objects.create(image=image, revision=1, worker=work.worker, assignment=work, seen=seen)


def test_images_go_on_once_what_decides_on_them_is_compared() -> None:
    project = make_sent()
    image = project.images.earliest("pk")
    answer_once(image, seen=True)
    Item.objects.filter(whoops_control=image).update(wanted=2)

    report = rehearse(draft(project), **SURE)

    assert (report["final_in_runs"], report["starving"], report["nothing_lost"]) == (1, {}, True)
    assert report["hours"]["least"] >= 3
    # Two of three have to see it: one answer more is enough for the first image.
    assert report["runs"][0]["works"] <= 5
    assert report["runs"][0]["figures"] == {"Images that passed the control group": 2}
    assert "in 100 of 100 answers" in report["sources"][0]


def test_nothing_is_final_before_a_person_has_compared_it() -> None:
    report = rehearse(draft(make_sent(1)), **{**SURE, "review_h": 200}, most_days=2)

    assert (report["final_in_runs"], report["hours"]["least"] > 200) == (0, True)


def test_a_copy_of_what_was_sent_names_nobody() -> None:
    project = make_sent()
    Designer.objects.update(name="Somebody Real", worker=make_worker(external_id="AREALDESIGNER"))
    Image.objects.update(prompt="a secret prompt")
    Revision.objects.update(texts={"prompt": "a secret prompt"})

    copy = write_copy(draft(project), family=RehearsedControl)

    assert "whoops.revision" in copy
    assert [word for word in ("Somebody Real", "AREALDESIGNER", "secret prompt") if word in copy] == []


def test_recorded_comparisons_say_how_often_people_see_it() -> None:
    project = make_sent(1)
    image = project.images.get()
    for number in range(30):
        answer_once(image, seen=number < 21)

    assert RehearsedControl.record(project.study) == {"votes": 30, "right": 21}
    ControlAnswer.objects.latest("pk").delete()
    assert RehearsedControl.record(project.study) == {}
