"""Questions of one's own are rehearsed, and what asking until it is sure saves is shown before it is paid."""

from decimal import Decimal
from typing import Any

import pytest

from crowd.plain.domain import ASK
from crowd.plain.models import Project, Row
from crowd.plain.rehearsed_asking import ANSWERS, RIGHT, RIGHT_BY_MOST, RehearsedAsking
from crowd.plain.services.uploading import add_rows
from crowd.rehearsal.services import rehearsal_jobs, rehearsal_turns
from hits.studies.models import Batch
from hits.work.models.items import Item
from tests.crowd.plain.describing import WHOLE
from tests.crowd.plain.making import (
    answer_each,
    ask,
    asked_project,
    describe,
    make_fit_picture,
    make_project,
    open_batch,
)
from tests.crowd.plain.test_asking_again import CHOSEN, NO, YES
from tests.crowd.rehearsal.rehearsing import rehearse
from tests.crowd.rehearsal.test_rehearsal_pages import ask as ask_rehearsal
from tests.factories import NOW, make_batch, make_study

pytestmark = pytest.mark.django_db
# Twenty people who stay, one of whom answers by chance.
CROWD = {"workers": 20, "works_each": 100, "skill": 85, "spammers": 5, "come_within_h": 6}


def project_of(*, rows: int, budget: int = 1000, **rules: int) -> Project:
    study = make_study(budget=Decimal(budget))
    return asked_project(*(f"Sentence {number}" for number in range(rows)), text=CHOSEN, study=study, **rules)


def draft_of(project: Project, *, answers: int, items: int = 10) -> Batch:
    return make_batch(
        study=project.study,
        task=ASK,
        hits_wanted=-(-answers // items),
        assignments_per_hit=1,
        items_per_assignment=items,
    )


def spread(figure: str, report: dict[str, Any]) -> tuple[float, float]:
    found = report["figures"][figure]
    return found["least"], found["most"]


def test_a_page_with_a_question_of_every_kind_is_answered_to_the_end() -> None:
    project = make_project(answers_wanted=3)
    describe(project, WHOLE)
    key = make_fit_picture().key
    add_rows(
        project=project, content=f"caption,source,id,image\nOne,there,1,{key}\nTwo,there,2,{key}\n".encode()
    )
    ask(project)

    report = rehearse(draft_of(project, answers=6, items=2), workers=12, spammers=30, runs=2)

    assert (report["final_in_runs"], report["starving"], report["beside"]) == (2, {}, None)
    assert spread(ANSWERS, report) == (3, 3)
    assert 0 <= report["figures"][RIGHT]["mean"] <= 100
    assert "careful workers are right in 85 of 100 answers" in report["sources"][1]


def test_those_who_are_always_right_leave_no_row_wrong() -> None:
    draft = draft_of(project_of(rows=6, answers_wanted=3), answers=18, items=6)

    sure = rehearse(draft, workers=12, skill=100, skill_spread=0)
    wrong = rehearse(draft, workers=12, skill=0, skill_spread=0)

    assert spread(RIGHT, sure) == (100, 100)
    assert spread(RIGHT, wrong) == (0, 0)


def test_asking_until_sure_saves_answers_and_leaves_no_fewer_rows_right() -> None:
    project = project_of(rows=100, answers_wanted=2, answers_most=5, sure_percent=90)

    report = rehearse(draft_of(project, answers=200), **CROWD, runs=2)
    other = report["beside"]

    assert (report["final_in_runs"], other["final_in_runs"]) == (2, 2)
    assert (other["design"], spread(ANSWERS, other)) == ("3 people for each row", (3, 3))
    assert report["figures"][ANSWERS]["most"] < 2.8
    for right in (RIGHT, RIGHT_BY_MOST):
        assert report["figures"][right]["mean"] >= other["figures"][right]["mean"]
    assert report["cost"]["mean"] < other["cost"]["mean"]
    assert other["said"].startswith(f"{report['figures'][ANSWERS]['mean']:.2f} answers for each row instead")
    assert Row.objects.filter(weighed_answers__gt=0).count() == 0


def test_rows_stay_unsure_where_the_budget_does_not_reach() -> None:
    project = project_of(rows=20, answers_wanted=2, answers_most=5, sure_percent=95)
    draft = draft_of(project, answers=40)
    rich = rehearse(draft, **CROWD)
    project.study.budget = Decimal("0.13")
    project.study.save()

    poor = rehearse(draft, **CROWD, most_days=1)

    assert rich["final_in_runs"] == 1
    assert rich["figures"][ANSWERS]["mean"] > poor["figures"][ANSWERS]["mean"] == 2
    assert poor["final_in_runs"] == 0
    assert list(poor["starving"]) == ["no HIT has a free place left"]


def test_a_row_that_has_answers_gets_those_that_it_lacks() -> None:
    project = project_of(rows=3, answers_wanted=2, answers_most=5, sure_percent=99)
    first, *_ = Item.objects.order_by("pk")
    Item.objects.filter(pk=first.pk).update(wanted=1)  # one of two is there
    Item.objects.exclude(pk=first.pk).update(wanted=0)  # both are there

    report = rehearse(draft_of(project, answers=1, items=1), workers=12)

    assert (report["final_in_runs"], report["runs"][0]["works"]) == (1, 1)
    assert report["figures"] == {}
    assert report["beside"]["runs"][0]["works"] == 1


def test_recorded_answers_say_how_often_people_are_right() -> None:
    project = project_of(rows=20, answers_wanted=2)
    batch = open_batch(project)
    answer_each(batch, [YES, NO] * 7 + [YES])
    assert RehearsedAsking.record(project.study) == {}
    answer_each(batch, [YES, NO] * 5 + [NO, YES] * 2 + [YES])

    recorded = RehearsedAsking.record(project.study)

    # In eleven of fifteen rows both say the same; where they do not, one of the two is right.
    assert recorded["votes"] == 30
    assert 24 <= recorded["right"] <= 26


def test_a_survey_of_people_who_have_worked_is_not_rehearsed_and_says_why() -> None:
    project = project_of(rows=1)
    Row.objects.update(role="Solvers")
    rehearsal = ask_rehearsal(draft_of(project, answers=1))

    rehearsal_turns.play_rehearsals(now=NOW)
    rehearsal.refresh_from_db()

    assert rehearsal_jobs.why_not(rehearsal.batch) == ""
    assert (rehearsal.status, rehearsal_turns._live) == ("failed", {})
    assert "simulated people have had no role yet" in rehearsal.problem
