"""The worker's page over HTTP: what it shows, what it refuses, and what an answer becomes."""

from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client

from crowd.pictures.models import Picture
from crowd.pictures.models.picture_reports import Report
from crowd.pictures.services.removing_pictures import remove_pictures
from crowd.plain.domain import ASK
from crowd.plain.services.uploading import add_rows
from hits import families
from hits.core.errors import InvalidAnswer
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.services.leasing import items_of
from scoring.services.score_recording import judge_submitted
from tests.crowd.plain.describing import ALONE, WHOLE
from tests.crowd.plain.making import (
    ask,
    asked_project,
    begin,
    describe,
    hand_in,
    make_fit_picture,
    make_project,
    open_batch,
)
from tests.crowd.plain.visiting import fields_of, open_hit, send, visit
from tests.factories import NOW, make_user, make_worker
from tests.pages import text_of

pytestmark = pytest.mark.django_db
RIGHT = {"q1": "1", "q2": "", "q3": "4", "q4": "3", "q5": ""}


@pytest.fixture
def hit() -> HIT:
    """A HIT with everything a page can have, and a caption that a template engine or browser might run."""
    project = make_project()
    describe(project, WHOLE)
    make_fit_picture(concept="heron")
    content = "image,caption,source,id\nheron,<b>{{ id }} {% now %},there,secret-7\n"
    add_rows(project=project, content=content.encode())
    ask(project)
    return open_hit(project)


def sent(page: Any, **texts: str) -> dict[str, str]:
    (field,) = fields_of(page)
    return {f"{field}-{entry}": text for entry, text in {**RIGHT, **texts}.items() if text}


def test_page_shows_title_texts_picture_and_every_question(client: Client, hit: HIT) -> None:
    page = visit(client, hit)

    text = page.content.decode()
    picture = Picture.objects.get()
    assert page.status_code == 200
    assert "<h1>Two pictures of one thing</h1>" in text
    assert "<p>Then answer.</p>" in text
    assert f'src="/pictures/{picture.key}/480/"' in text
    assert (text.count('type="radio"'), text.count('type="checkbox"')) == (8, 3)  # one switches keys off
    assert "Tick all that apply." in text
    assert "Not at all" in text


def test_keys_choose_where_one_answer_of_several_is_chosen(client: Client, hit: HIT) -> None:
    text = text_of(visit(client, hit))

    assert "frame/answer_keys" in text
    assert "Keys: 1 to 9 and 0 to choose, Enter to go on" in text
    assert [text.count(f'type="radio" data-key="{key}"') for key in (1, 3, 4, 5)] == [2, 2, 1, 1]
    assert 'type="checkbox" data-key="' not in text


def test_what_a_row_has_is_text_and_nothing_else(client: Client, hit: HIT) -> None:
    text = text_of(visit(client, hit))

    assert "The caption: &lt;b&gt;{{ id }} {% now %}" in text
    assert "<b>" not in text


def test_page_tells_no_code_and_no_column_that_it_does_not_show(client: Client, hit: HIT) -> None:
    text = text_of(visit(client, hit))

    assert "unsure" not in text
    assert "secret-7" not in text


def test_answer_is_stored_as_it_was_given(client: Client, hit: HIT) -> None:
    page = visit(client, hit)

    done = send(client, page, sent(page, q2="2", q5="  It   is. "))

    (field,) = fields_of(page)
    assert done.status_code == 200
    assert Assignment.objects.get().answer == {
        field: {"q1": "1", "q2": "2", "q3": "4", "q4": "3", "q5": "It is."}
    }


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"q1": ""}, "Choose one of the answers."),
        ({"q1": "9"}, "This answer is not on the page. Choose one that is."),
        ({"q4": ""}, "Write something here."),
        ({"q4": "many"}, "Write a number, in figures."),
        ({"q4": "2.5"}, "Write a whole number."),
        ({"q4": "-1"}, "The number must be at least 0."),
        ({"q4": "51"}, "The number must be at most 50."),
        ({"q5": "x" * 21}, "This is too long: at most 20 characters."),
        ({"q5": "a\0b"}, "There is a character in this that cannot be kept."),
    ],
)
def test_bad_answer_shows_the_page_again_with_what_was_written(
    client: Client, hit: HIT, texts: dict[str, str], words: str
) -> None:
    page = visit(client, hit)

    refused = send(client, page, sent(page, **texts))

    (field,) = fields_of(page)
    told = refused.content.decode()
    assert (refused.status_code, Assignment.objects.get().answer) == (400, None)
    assert words in told
    assert f'href="#{field}-{next(iter(texts))}"' in told
    assert told.count(" checked") == (1 if "q1" in texts else 2)
    assert send(client, refused, sent(page)).status_code == 200


def test_unsent_choices_that_must_be_ticked_are_refused(client: Client) -> None:
    text = "title: T\nchoices: a\nask: A?\n- x\n- y\n"
    page = visit(client, open_hit(asked_project(text=text)))

    refused = send(client, page, {})

    assert refused.status_code == 400
    assert "Tick at least one of the answers." in text_of(refused)


def test_several_choices_arrive_together(client: Client) -> None:
    text = "title: T\nchoices: a\nask: A?\n- x\n- y\n- z\n"
    page = visit(client, open_hit(asked_project(text=text)))
    (field,) = fields_of(page)

    send(client, page, {f"{field}-q1": ["3", "1"]})

    assert Assignment.objects.get().answer == {field: {"q1": "3 1"}}


def test_rows_stand_in_cards_of_their_own_in_an_order_of_each_worker(client: Client) -> None:
    hit = open_hit(asked_project(*"ABCDEFGH"), items=8)

    pages = [visit(client, hit, number=number) for number in (1, 2)]

    assert [text_of(page).count("<legend>Question ") for page in pages] == [8, 8]
    assert fields_of(pages[0]) != fields_of(pages[1])
    assert set(fields_of(pages[0])) == set(fields_of(pages[1]))


def test_nobody_is_asked_about_a_row_twice() -> None:
    project = asked_project("A", "B", answers_wanted=2)
    batch = open_batch(project, items=2)
    worker = make_worker(account=batch.account)
    hand_in(begin(batch, worker), {"q1": "1"}, {"q1": "2"})

    assert list(items_of(begin(batch, worker))) == []


def test_picture_that_is_away_needs_no_answer(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    picture = Picture.objects.get()
    remove_pictures(pictures=[picture], reason="Unfit", by=make_user(), now=NOW)

    again = visit(client, hit)
    done = send(client, again, {})

    assert "A picture of this question was taken away" in text_of(again)
    assert picture.key not in text_of(again)
    assert done.status_code == 200
    assert Assignment.objects.get().answer == {fields_of(page)[0]: {}}


def test_reported_picture_is_asked_of_nobody_else(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    report = page.context["reports"][0]

    told = client.post(
        f"/q/{hit.public_id}/report/",
        {"token": page.context["token"], "about": report["value"], "reason": "inappropriate"},
    )

    assert told.status_code == 200
    assert Report.objects.count() == 1
    assert Item.objects.get().pulled_at is not None


def test_work_is_judged_without_a_score() -> None:
    project = asked_project("A")
    batch = open_batch(project)
    hand_in(begin(batch, make_worker(account=batch.account)), {"q1": "1"})

    judge_submitted(now=NOW)

    assert Assignment.objects.get().judged_at == NOW


def test_reviewer_reads_questions_and_answers_in_words() -> None:
    project = asked_project(text=ALONE.replace("to: 3", "to: 3 = a lot"))
    batch = open_batch(project)
    work = begin(batch, make_worker(account=batch.account))
    hand_in(work, {"q1": "3"})

    page = families.get(ASK).review_page(assignment=work, items=items_of(work))
    text = render_to_string(page.template, dict(page.context))

    assert "<dt>How much fun was it?</dt><dd>3 (a lot)</dd>" in text


def test_preview_shows_the_page_and_nothing_of_its_rows(client: Client, hit: HIT) -> None:
    query = "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=HIT1"

    page = client.get(f"/q/{hit.public_id}/?{query}")

    text = text_of(page)
    assert page.status_code == 200
    assert "<h1>Two pictures of one thing</h1>" in text
    assert "The caption: [caption]" in text
    assert Picture.objects.get().key not in text
    assert "secret-7" not in text


def test_practice_page_is_in_no_data() -> None:
    page = families.get(ASK).practice_page()

    assert page.context["heading"] == "Questions"


def test_answer_that_comes_back_from_the_provider_is_checked_alike(hit: HIT) -> None:
    item = Item.objects.get()
    family = families.get(ASK)

    checked = family.check_answer(
        answer={str(item.public_id): {"q1": "1", "q3": "4", "q4": "3"}}, items=[item]
    )

    assert checked == {str(item.public_id): {"q1": "1", "q3": "4", "q4": "3"}}
    public_id = str(item.public_id)
    bad: list[Any] = [{}, [], {public_id: {"q1": "9"}}, {public_id: {"other": "1"}}]
    for answer in bad:
        with pytest.raises(InvalidAnswer):
            family.check_answer(answer=answer, items=[item])
