"""First questions: any worker is warned of one mistake and may correct it, but not of a second."""

from collections.abc import Collection
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from crowd.pictures.services.removing_pictures import remove_pictures
from crowd.winoground.asking.onboarding import WARNED
from crowd.winoground.domain import ONBOARDING, RIGHT
from crowd.winoground.models import FirstQuestion, SecondChance
from hits import families
from hits.core.errors import InvalidAnswer
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.services.leasing import items_of
from scoring.models import Score
from scoring.services.score_recording import judge_submitted
from tests.crowd.winoground.making_asked import make_first_questions, make_project
from tests.crowd.winoground.visiting import fields_of, open_hit, send, told_by, visit
from tests.factories import NOW, make_user
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def hit() -> HIT:
    project = make_project()
    make_first_questions(project)
    return open_hit(project, task=ONBOARDING)


def said(field: str, *, right: bool = True) -> str:
    question = FirstQuestion.objects.get(item__public_id=field)
    return "yes" if question.is_match == right else "no"


def form(page: Any, *, wrong: Collection[str] = (), **more: str) -> dict[str, str]:
    return {f"{field}-match": said(field, right=field not in wrong) for field in fields_of(page)} | more


def scores() -> list[Fraction]:
    Assignment.objects.filter(status="saved").update(status="submitted", submitted_at=NOW)
    judge_submitted(now=NOW)
    return sorted(score.value for score in Score.objects.filter(measure=RIGHT))


def test_all_right_at_first_are_handed_in(client: Client, hit: HIT) -> None:
    page = visit(client, hit)

    done = send(client, page, form(page))

    assert (done.status_code, SecondChance.objects.count()) == (200, 0)
    assert scores() == [1] * 10


def test_one_mistake_is_warned_of_and_put_right(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    slip = fields_of(page)[3]

    again = send(client, page, form(page, wrong=[slip]))

    assert (again.status_code, Assignment.objects.get().status) == (400, "opened")
    assert again.context["warned"]["field"] == slip
    assert fields_of(again) == fields_of(page)
    text = text_of(again)
    assert text.count('type="radio"') == 2
    assert "Are you sure?" in text
    assert f'value="{said(slip, right=False)}" data-entry="match" autocomplete="off" checked' in text

    done = send(client, again, {f"{slip}-match": said(slip), WARNED: slip})

    assert done.status_code == 200
    assert scores() == [1] * 10


def test_one_mistake_that_is_kept_fails(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    slip = fields_of(page)[0]
    again = send(client, page, form(page, wrong=[slip]))

    done = send(client, again, {f"{slip}-match": said(slip, right=False), WARNED: slip})

    assert done.status_code == 200
    assert scores() == [0] + [1] * 9


@pytest.mark.parametrize("mistakes", [2, 10])
def test_more_mistakes_are_handed_in_as_they_are(client: Client, hit: HIT, mistakes: int) -> None:
    page = visit(client, hit)

    done = send(client, page, form(page, wrong=fields_of(page)[:mistakes]))

    assert (done.status_code, SecondChance.objects.count()) == (200, 0)
    assert "sure" not in text_of(done)
    assert scores() == [0] * mistakes + [1] * (10 - mistakes)


def test_forged_second_form_changes_nothing_else(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    slip, other = fields_of(page)[:2]
    again = send(client, page, form(page, wrong=[slip]))

    send(client, again, form(page, wrong=[other]) | {WARNED: slip})

    answer = Assignment.objects.get().answer
    assert answer
    assert answer[other] == {"match": said(other)}
    assert scores() == [1] * 10


def test_double_click_and_a_second_tab_are_no_second_word(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    slip, other = fields_of(page)[:2]
    first = form(page, wrong=[slip])
    send(client, page, first)

    twice = send(client, page, first)
    tab = send(client, page, form(page, wrong=[other, slip]))
    unmarked = send(client, page, {f"{slip}-match": said(slip)})
    odd = send(client, page, {f"{slip}-match": "perhaps", WARNED: slip})
    elsewhere = send(client, page, {f"{slip}-match": said(slip), WARNED: other})

    assert {answer.status_code for answer in (twice, tab, unmarked, odd, elsewhere)} == {400}
    assert {answer.context["warned"]["field"] for answer in (twice, tab, odd)} == {slip}
    chance = SecondChance.objects.get()
    assert chance.first_answer == {name.removesuffix("-match"): text for name, text in first.items()}
    assert (Assignment.objects.get().status, Assignment.objects.get().answer) == ("opened", None)


def test_reload_keeps_the_warning_and_the_answers(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    slip = fields_of(page)[5]
    send(client, page, form(page, wrong=[slip]))

    reloaded = visit(client, hit)

    assert reloaded.context["warned"]["field"] == slip
    assert "data-again" in text_of(reloaded)
    done = send(client, reloaded, {f"{slip}-match": said(slip), WARNED: slip})
    assert done.status_code == 200
    assert scores() == [1] * 10


def test_second_word_is_the_last_one(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    slip = fields_of(page)[0]
    again = send(client, page, form(page, wrong=[slip]))
    wrong = {f"{slip}-match": said(slip, right=False), WARNED: slip}
    send(client, again, wrong)

    replayed = send(client, again, {**wrong, f"{slip}-match": said(slip)})

    assert replayed.status_code == 409
    assert scores() == [0] + [1] * 9


def test_pages_say_nothing_of_what_is_right(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    before = told_by(page)

    for question in FirstQuestion.objects.all():
        question.is_match = not question.is_match
        question.save()
    after = visit(client, hit)

    assert told_by(after) == before


def test_incomplete_form_uses_no_chance_up(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    sent = form(page, wrong=fields_of(page)[:1])
    sent.pop(f"{fields_of(page)[9]}-match")

    refused = send(client, page, sent)

    assert (refused.status_code, SecondChance.objects.count()) == (400, 0)
    assert "Question 10. Choose one of the answers." in text_of(refused)


def test_whoever_was_warned_has_used_the_attempt_up(client: Client, hit: HIT) -> None:
    family: Any = families.get(ONBOARDING)
    page = visit(client, hit)
    assert not family.uses_up(Assignment.objects.get())

    send(client, page, form(page, wrong=fields_of(page)[:1]))

    assert family.uses_up(Assignment.objects.get())


def test_answer_by_the_provider_may_differ_in_the_one_question_only(client: Client, hit: HIT) -> None:
    family: Any = families.get(ONBOARDING)
    page = visit(client, hit)
    slip, other = fields_of(page)[:2]
    send(client, page, form(page, wrong=[slip]))
    work = Assignment.objects.get()
    right = {field: {"match": said(field)} for field in fields_of(page)}

    read = family.recover_answer(answer=right, assignment=work, items=items_of(work))

    assert read == right
    forged = {**right, other: {"match": said(other, right=False)}}
    with pytest.raises(InvalidAnswer, match="Only the answer"):
        family.recover_answer(answer=forged, assignment=work, items=items_of(work))


def take_away(field: str) -> None:
    picture = FirstQuestion.objects.get(item__public_id=field).picture
    remove_pictures(pictures=[picture], reason="Unfit", by=make_user(), now=NOW)


@pytest.mark.parametrize(("away", "left"), [(1, 10), (2, 10), (3, 7)])
def test_pictures_that_are_away_take_nothing_from_their_worker(
    client: Client, hit: HIT, away: int, left: int
) -> None:
    """More than two missing pictures leave too few scores for the gate, so a person grades."""
    fields = fields_of(visit(client, hit))
    for field in fields[:away]:
        take_away(field)
    page = visit(client, hit)
    text = text_of(page)
    assert text.count("This image was taken away") == away

    done = send(client, page, {f"{field}-match": said(field) for field in fields[away:]})

    assert done.status_code == 200
    assert scores() == [1] * left


def test_warned_question_whose_picture_is_away_can_be_handed_in(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    slip = fields_of(page)[0]
    send(client, page, form(page, wrong=[slip]))
    take_away(slip)

    again = visit(client, hit)
    done = send(client, again, {WARNED: slip})

    assert f'name="{WARNED}"' in text_of(again)
    assert done.status_code == 200
    assert scores() == [1] * 10


def test_preview_shows_the_practice_pair_alone(client: Client, hit: HIT) -> None:
    page = client.get(f"/q/{hit.public_id}/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")

    assert page.status_code == 200
    assert fields_of(page) == ["practice"]
    assert "first caption" not in text_of(page)
