"""Feedback to workers on how their work turned out: by the study's setting, and on their own work only."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from crowd.statement.statement_links import write_token
from crowd.winogavil.domain import SOLVER_TIERS
from crowd.winogavil.models import Association, Game
from crowd.winogavil.services import final_associations
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from scoring.services.score_recording import judge_submitted
from tests.crowd.winogavil.game import SOLVE, hand_in, make_game_batch, open_work, solve
from tests.factories import NOW, make_association, make_batch, make_study, make_worker
from tests.pages import text_of

pytestmark = pytest.mark.django_db
RIGHT = "✓ picked, belongs to the word"
NOTHING = "There is nothing to tell yet"


@pytest.fixture
def study() -> Study:
    study = make_study()
    make_association(study=study, cue="frosty")
    return study


@pytest.fixture
def batch(study: Study) -> Batch:
    return make_game_batch(SOLVE, study=study)


def read(client: Client, work: Assignment, *, of: Assignment | None = None) -> Any:
    token = write_token(assignment=work, now=timezone.now())
    return client.get(f"/statement/{token}/work/{(of or work).public_id}/")


def solved_by(batch: Batch, *, count: int) -> list[Assignment]:
    works = [solve(batch, make_worker(account=batch.account)) for _ in range(count)]
    judge_submitted(now=NOW)
    final_associations.finalize_associations(now=NOW)
    return [work for work in works if work]


@pytest.mark.parametrize(
    ("feedback", "told"),
    [("final", (False, True)), ("at_once", (True, True)), ("never", (False, False)), ("", (False, True))],
    ids=["final", "at-once", "never", "no-setting"],
)
def test_what_was_right_is_told_when_the_study_says(
    client: Client, study: Study, batch: Batch, feedback: str, told: tuple[bool, bool]
) -> None:
    if feedback:
        Game.objects.create(study=study, feedback=feedback)
    work = solved_by(batch, count=1)[0]

    first = text_of(read(client, work))
    solved_by(batch, count=2)
    then = text_of(read(client, work))

    assert Association.objects.get().final_at is not None
    assert (RIGHT in first, RIGHT in then) == told
    assert (NOTHING in first, NOTHING in then) == (not told[0], not told[1])


def test_missed_pictures_and_the_pay_of_a_score_are_told_in_words(client: Client, study: Study) -> None:
    Game.objects.create(study=study, feedback="at_once")
    terms = {"bonus_rules": [dict(rule) for rule in SOLVER_TIERS], "fee_schedule": "none"}
    work = open_work(make_batch(study=study, task=SOLVE, status="open", terms=terms), make_worker())
    association = Association.objects.get()
    right, *_, other = [place.picture.key for place in association.places.all() if place.picture]
    assert right in association.chosen_keys
    assert other not in association.chosen_keys
    hand_in(work, {str(association.item.public_id): [right, other]})

    page = read(client, work)

    said = text_of(page)
    assert "Found <strong>1 of 2</strong> right pictures: a score of <strong>33 %</strong>." in said
    assert "It pays <strong>$0.01</strong> (100 % pays $0.03)." in said
    assert said.count("– missed, belongs to the word") == 1
    classes = [" ".join(one.split()) for one in re.findall(r'figure class="([^"]*)"', page.content.decode())]
    assert sorted(one for one in classes if one != "picture") == [
        "picture missed",
        "picture right",
        "picture wrong",
    ]


def test_nobody_reads_of_anothers_work(client: Client, batch: Batch) -> None:
    mine, theirs, _ = solved_by(batch, count=3)

    page = read(client, mine, of=theirs)

    assert page.status_code == 403
    assert "frosty" not in text_of(page)
