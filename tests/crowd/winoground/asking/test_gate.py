"""The gate between the first questions and the task: who is admitted, and who never is."""

import pytest
from django.test import Client

from crowd.winoground.asking.onboarding import WARNED
from crowd.winoground.domain import ONBOARDING, VALIDATE
from crowd.winoground.models import FirstQuestion, Project
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.services.leasing import give_up
from qualifications.models import Gate, Holding
from qualifications.presets import PRESETS
from qualifications.services.grading import grade_waiting
from qualifications.services.test_attempts import follow_tests
from scoring.services.score_recording import judge_submitted
from tests.crowd.winoground.making_asked import ask, make_first_questions, make_project, open_batch
from tests.crowd.winoground.visiting import fields_of, open_hit, send, visit
from tests.factories import NOW, make_hit
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    """A project with first questions, two examples that are asked, and the gate of the preset."""
    made, preset = make_project(), PRESETS["winoground.onboarding"]
    Gate.objects.create(
        study=made.study,
        name=preset.name,
        test_task=preset.test_task,
        opens=list(preset.opens),
        grading=preset.grading,
        rules=[dict(rule) for rule in preset.rules],
        items=preset.items,
    )
    make_first_questions(made)
    ask(made, count=2)
    return made


def take_test(client: Client, hit: HIT, *, mistakes: int, is_sure: bool = False) -> None:
    """Take the test with so many mistakes; `is_sure` keeps the one mistake that was warned of."""
    page = visit(client, hit)
    wrong = fields_of(page)[:mistakes]
    done = send(client, page, {f"{one}-match": said(one, right=one not in wrong) for one in fields_of(page)})
    if done.status_code == 400:
        [slip] = wrong
        send(client, page, {f"{slip}-match": said(slip, right=not is_sure), WARNED: slip})


def said(field: str, *, right: bool) -> str:
    question = FirstQuestion.objects.get(item__public_id=field)
    return "yes" if question.is_match == right else "no"


def grade() -> None:
    Assignment.objects.filter(status="saved").update(status="submitted", submitted_at=NOW)
    judge_submitted(now=NOW)
    follow_tests(now=NOW)
    grade_waiting(now=NOW)


@pytest.mark.parametrize(
    ("mistakes", "is_sure", "passes"),
    [(0, False, True), (1, False, True), (1, True, False), (2, False, False)],
    ids=["all-right", "put-right", "kept", "two"],
)
def test_who_is_let_in(client: Client, project: Project, mistakes: int, is_sure: bool, passes: bool) -> None:
    hit = open_hit(project, task=ONBOARDING)

    take_test(client, hit, mistakes=mistakes, is_sure=is_sure)
    grade()

    assert Holding.objects.get().is_held is passes
    batch = open_batch(project, task=VALIDATE, account=hit.batch.account)
    task = visit(client, make_hit(batch=batch, external_id="HIT2"))
    assert task.status_code == (200 if passes else 403)
    assert ("Each person has one attempt." in text_of(task)) is not passes
    assert not passes or len(fields_of(task)) == 2


def test_whoever_was_warned_and_gives_it_back_gets_no_other_ten(client: Client, project: Project) -> None:
    hit = open_hit(project, task=ONBOARDING)
    page = visit(client, hit)
    slip = fields_of(page)[0]
    send(client, page, {f"{one}-match": said(one, right=one != slip) for one in fields_of(page)})
    give_up(Assignment.objects.get(), now=NOW)

    again = visit(client, hit, attempt=2)

    assert again.status_code == 403
    assert "each person has one attempt" in text_of(again)
    assert (Assignment.objects.count(), Worker.objects.count()) == (1, 1)
