"""The task's pages over HTTP: what they show and hide, and what an answer becomes."""

from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext

from crowd.pictures.models import Picture
from crowd.pictures.models.picture_reports import Report
from crowd.pictures.services.removing_pictures import remove_pictures
from crowd.winoground.domain import VALIDATE, YES
from crowd.winoground.models import Example, Pairing
from hits import families
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.services.leasing import items_of
from scoring.models import Score
from scoring.queries.vote_tallies import tallies
from scoring.services.score_recording import judge_submitted
from tests.crowd.winoground.making_asked import answer_all, ask, make_project, open_batch
from tests.crowd.winoground.visiting import fields_of, open_hit, send, told_by, visit
from tests.factories import NOW, make_user, make_worker
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def hit() -> HIT:
    project = make_project()
    ask(project, count=3)
    return open_hit(project)


def fields(page: Any, said: str) -> dict[str, str]:
    return {f"{field}-match": said for field in fields_of(page)}


def test_page_shows_image_caption_and_two_answers_of_each_question(client: Client, hit: HIT) -> None:
    page = visit(client, hit)

    text = text_of(page)
    assert (page.status_code, text.count('type="radio"'), text.count(">Question ")) == (200, 6, 3)
    for pairing in Pairing.objects.filter(item__public_id__in=fields_of(page)):
        example = pairing.example
        picture = (example.image_0, example.image_1)[pairing.image]
        assert picture
        assert f'src="/pictures/{picture.key}/480/"' in text
        assert (example.caption_0, example.caption_1)[pairing.caption] in text


def test_page_does_not_depend_on_what_matches(client: Client, hit: HIT) -> None:
    """Exchanging the images of each example turns matches around, and the page stays the same."""
    page = visit(client, hit)
    before = told_by(page)

    for example in Example.objects.all():
        example.image_0, example.image_1 = example.image_1, example.image_0
        example.save()
    for pairing in Pairing.objects.filter(item__public_id__in=fields_of(page)):
        Pairing.objects.filter(
            example=pairing.example, caption=pairing.caption, image=1 - pairing.image
        ).delete()
        Pairing.objects.filter(pk=pairing.pk).update(image=1 - pairing.image)
    after = visit(client, hit)

    assert told_by(after) == before


def test_page_names_no_picture_that_it_does_not_show(client: Client, hit: HIT) -> None:
    page = visit(client, hit)

    shown = {picture.key for picture in Picture.objects.all() if picture.key in text_of(page)}
    assert len(shown) == 3


def test_answers_are_votes(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    first, *others = fields_of(page)

    done = send(client, page, {**fields(page, "no"), f"{first}-match": "yes"})
    Assignment.objects.update(status="submitted", submitted_at=NOW)
    judge_submitted(now=NOW)

    assert done.status_code == 200
    found = {str(score.item.public_id): score.value for score in Score.objects.select_related("item")}
    assert found == {first: Fraction(1), **dict.fromkeys(others, Fraction(0))}
    assert set(Score.objects.values_list("measure", flat=True)) == {YES}


def test_votes_of_several_are_counted_together() -> None:
    project = make_project(answers_wanted=3)
    ask(project)
    batch = open_batch(project)
    for number in range(12):
        answer_all(batch, make_worker(account=batch.account), yes=number % 4 == 0)
    judge_submitted(now=NOW)

    found = tallies(Item.objects.filter(task=VALIDATE), measures=[YES])

    assert sum(tally.yes for tally in found.values()) == 3
    assert {tally.answers for tally in found.values()} == {3}


@pytest.mark.parametrize("said", ["", "maybe", "YES"])
def test_bad_answer_shows_the_page_again(client: Client, hit: HIT, said: str) -> None:
    page = visit(client, hit)
    first, *_ = fields_of(page)

    refused = send(client, page, {**fields(page, "yes"), f"{first}-match": said})

    assert (refused.status_code, Assignment.objects.get().answer) == (400, None)
    assert refused.content.decode().count(" checked") == 2
    assert f'href="#{first}-match"' in text_of(refused)
    assert send(client, refused, fields(page, "yes")).status_code == 200


def test_picture_that_is_away_needs_no_answer_and_has_no_vote(client: Client, hit: HIT) -> None:
    gone, *others = fields_of(visit(client, hit))
    pairing = Pairing.objects.select_related("example").get(item__public_id=gone)
    picture = (pairing.example.image_0, pairing.example.image_1)[pairing.image]
    assert picture
    remove_pictures(pictures=[picture], reason="Unfit", by=make_user(), now=NOW)

    page = visit(client, hit)
    done = send(client, page, {f"{field}-match": "yes" for field in others})
    Assignment.objects.update(status="submitted", submitted_at=NOW)
    judge_submitted(now=NOW)

    assert "This image was taken away" in text_of(page)
    assert picture.key not in text_of(page)
    assert done.status_code == 200
    assert {str(score.item.public_id) for score in Score.objects.all()} == set(others)


def test_reported_picture_is_asked_of_nobody_else(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    report = page.context["reports"][0]

    sent = client.post(
        f"/q/{hit.public_id}/report/",
        {"token": page.context["token"], "about": report["value"], "reason": "inappropriate"},
    )
    strange = client.post(
        f"/q/{hit.public_id}/report/",
        {"token": page.context["token"], "about": "something", "reason": "inappropriate"},
    )

    assert (sent.status_code, strange.status_code) == (200, 400)
    assert Report.objects.get().picture.key == report["value"]
    assert Item.objects.filter(pulled_at__isnull=False).count() == 2


def test_preview_shows_practice_and_nothing_of_the_data(client: Client, hit: HIT) -> None:
    page = client.get(f"/q/{hit.public_id}/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")

    text = text_of(page)
    assert (page.status_code, fields_of(page)) == (200, ["practice"])
    assert ("practice example" in text, "the cat" in text, "/pictures/" in text) == (True, False, False)


def test_review_page_says_what_was_said_and_what_belongs_together() -> None:
    project = make_project()
    ask(project)
    batch = open_batch(project)
    work = answer_all(batch, make_worker(account=batch.account))
    work.refresh_from_db()
    pairing = Pairing.objects.get(item=items_of(work)[0])

    page = families.get(VALIDATE).review_page(assignment=work, items=items_of(work))
    text = render_to_string(page.template, dict(page.context))

    assert ("✓" if pairing.is_match else "✗") in text
    assert (pairing.example.caption_0, pairing.example.caption_1)[pairing.caption] in text


def test_work_page_takes_as_many_queries_for_ten_questions_as_for_two() -> None:
    def queries(items: int) -> int:
        project = make_project()
        ask(project, count=items)
        batch = open_batch(project)
        work = answer_all(batch, make_worker(account=batch.account))
        asked = items_of(work)
        assert len(asked) == items
        with CaptureQueriesContext(connection) as captured:
            families.get(VALIDATE).work_page(assignment=work, items=asked)
        return len(captured)

    assert queries(2) == queries(10) == 1
