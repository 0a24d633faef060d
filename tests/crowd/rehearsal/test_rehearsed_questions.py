"""Caption matching and the judging of weird images are rehearsed, and say what their answers rest on."""

import json

import pytest

from crowd.rehearsal.playing.private_copy import write_copy
from crowd.whoops import domain as whoops
from crowd.whoops.judge.services.explanation_lists import make_explanations
from crowd.whoops.models.judged_items import Question
from crowd.whoops.rehearsed_judging import RehearsedJudging
from crowd.winoground.domain import VALIDATE
from crowd.winoground.rehearsed_matching import RehearsedMatching
from hits.studies.models import Batch
from hits.work.models.items import Item
from scoring.services.score_recording import judge_submitted
from tests.crowd.rehearsal.rehearsing import rehearse
from tests.crowd.whoops import making_questions
from tests.crowd.winoground.making_asked import answer_all, ask, make_project, open_batch
from tests.factories import NOW, make_batch, make_worker

pytestmark = pytest.mark.django_db


def make_matching(examples: int = 1) -> Batch:
    project = make_project(answers_wanted=2)
    ask(project, count=examples)
    return make_batch(study=project.study, task=VALIDATE, hits_wanted=8, assignments_per_hit=1)


def test_caption_matching_needs_a_worker_for_each_answer_to_an_example() -> None:
    batch = make_matching()

    enough = rehearse(batch, workers=12, works_each=100)
    few = rehearse(batch, workers=4, works_each=100, most_days=2)

    assert (enough["final_in_runs"], enough["runs"][0]["workers"]["worked"]) == (1, 8)
    assert few["final_in_runs"] == 0
    assert sum(few["runs"][0]["starving"].values()) > 0
    assert "Nothing is recorded" in enough["sources"][0]


def test_recorded_votes_of_the_study_are_used_where_there_are_enough() -> None:
    project = make_project(answers_wanted=20)
    ask(project, count=2)
    batch = open_batch(project)
    for _ in range(20):
        answer_all(batch, make_worker(account=batch.account), yes=True)
    judge_submitted(now=NOW)

    recorded = RehearsedMatching.record(project.study)

    assert recorded["votes"] >= 30
    assert 0 < recorded["right"] < recorded["votes"]


@pytest.mark.parametrize("kind", [whoops.EXPLAIN, whoops.RATE])
def test_judging_weird_images_is_rehearsed_without_their_designers(kind: str) -> None:
    project = making_questions.make_data(judges_wanted=2)
    text = {whoops.EXPLAIN: making_questions.EXPLANATIONS, whoops.RATE: making_questions.CAPTIONS}[kind]
    for image in project.images.all():
        making_questions.make_annotation(image, f"A reason for {image.number}.")
    making_questions.bring_in(project, kind, text)
    if kind == whoops.EXPLAIN:
        make_explanations(project=project, incomplete=True, now=NOW)
    batch = make_batch(study=project.study, task=kind, hits_wanted=10, assignments_per_hit=1)
    asked = Item.objects.filter(task=kind).count()
    copied = {row["model"] for row in json.loads(write_copy(batch, family=RehearsedJudging))}

    report = rehearse(batch, works_each=100)

    assert asked > 0
    assert "whoops.question" in copied
    assert not copied & {"whoops.image", "whoops.designer", "hits.worker"}
    assert (report["final_in_runs"], report["starving"]) == (1, {})
    assert report["runs"][0]["refused"].keys() <= {"nothing left for this worker"}
    assert "what people wrote counts as good" in report["sources"][1]
    assert Question.objects.filter(image=None).count() == 0
