"""The desk shows what a HIT asks: its page as workers preview it, and the questions beside the answers."""

import json
from typing import Any

import pytest
from django.conf import settings
from django.core import signing
from django.utils import timezone

from crowd.marketplace import frames
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import AuditEntry, Worker
from crowd.marketplace.questions import write_answer
from crowd.marketplace.questions.answers import write_answers
from crowd.marketplace.services import work
from tests.crowd.marketplace.desk import Desk
from tests.crowd.marketplace.forms import form, question, selection
from tests.crowd.marketplace.rows import accept
from tests.crowd.marketplace.site import FRAME, frame_url, open_hit, query_of, text_of

pytestmark = pytest.mark.django_db


def answer_of(desk: Desk, hit: HIT, answer: str) -> Any:
    """The page of work on this HIT, with its answer open."""
    done = accept(hit, now=timezone.now())
    work.submit_assignment(assignment=done, answer=answer, now=timezone.now())
    return desk.post(f"work/{done}/")


def named_in(signed: str, hit: HIT) -> Any:
    """What the requester's page reads in an inspection."""
    return signing.loads(signed, key=hit.requester.ticket_key, salt="marketplace.inspection")


def test_hit_is_framed_as_workers_preview_it_and_nobody_becomes_a_worker(desk: Desk) -> None:
    hit = open_hit(url="https://example.org/q?a=1")

    page = desk.get(f"hits/{hit}/preview/")

    url = frame_url(page)
    assert url.startswith(frames.preview_url(hit))
    query = query_of(url)
    assert query["assignmentId"] == frames.NOT_AVAILABLE
    assert named_in(query["inspection"], hit)["assignment"] == ""
    assert FRAME in page.content.decode()
    assert f"frame-src 'self' {frames.origin(url)};" in f"{page['Content-Security-Policy']};"
    assert not Worker.objects.exists()


def test_open_answer_frames_the_work_on_its_requesters_page_without_its_worker(desk: Desk) -> None:
    hit = open_hit(url="https://example.org/q?a=1")

    page = answer_of(desk, hit, write_answer([("a", "1")]))

    query, done = query_of(frame_url(page)), Assignment.objects.get()
    assert named_in(query["inspection"], hit)["assignment"] == done.external_id
    assert named_in(query["inspection"], hit)["worker"] == done.worker.external_id
    assert (query["assignmentId"], "workerId" in query, "ticket" in query) == (
        frames.NOT_AVAILABLE,
        False,
        False,
    )
    assert AuditEntry.objects.filter(what="answer looked at").count() == 1


def test_only_the_preview_may_frame_anything(desk: Desk) -> None:
    hit = open_hit()

    policy = desk.get(f"hits/{hit}/")["Content-Security-Policy"]

    assert "example.org" not in policy
    assert f'href="/desk/hits/{hit}/preview/"' in desk.get(f"hits/{hit}/").content.decode()
    desk.client.cookies.clear()
    assert desk.get(f"hits/{hit}/preview/").status_code == 302


def test_form_is_previewed_from_its_requesters_content_host(desk: Desk) -> None:
    hit = open_hit(question=form(question()))

    url = frame_url(desk.get(f"hits/{hit}/preview/"))

    assert url.startswith(frames.content_origin(hit.requester))
    assert settings.MARKETPLACE_URL not in frames.origin(url)


def test_address_that_is_no_page_elsewhere_is_not_framed(desk: Desk) -> None:
    hit = open_hit()
    HIT.objects.update(external_url="/desk/")

    page = desk.get(f"hits/{hit}/preview/").content.decode()

    assert ("<iframe" in page, "none that a frame can show" in page) == (False, True)


def test_questions_stand_beside_the_answers_in_the_forms_order(desk: Desk) -> None:
    hit = open_hit(
        question=form(
            question(identifier="why", name="Reason", content="<Text>Why is it so?</Text>"),
            question(selection("red", "blue"), identifier="color", content="<Title>Which?</Title>"),
            question(identifier="left", content="<List><ListItem>One</ListItem></List>"),
        )
    )
    answer = write_answers(
        [("color", [("SelectionIdentifier", "blue")]), ("why", [("FreeText", '{"a": 1}')]), ("odd", [])]
    )

    text = text_of(answer_of(desk, hit, answer))

    assert "Reason: Why is it so? (why)" in text
    assert "Which? (color) The blue (blue)" in text
    assert "One (left) – odd –" in text
    assert "Only that page knows" not in text


def test_data_of_a_page_is_indented_and_said_to_be_the_requesters(desk: Desk) -> None:
    data = {"shown": [1, "<b>é"], "why": "yes"}
    answer = write_answer([("json", json.dumps(data)), ("broken", "{not json"), ("deep", "[" * 100_000)])

    html = answer_of(desk, open_hit(), answer).content.decode()

    assert "Only that page knows what the names and keys mean." in html
    assert "{\n  &quot;shown&quot;: [\n    1,\n    &quot;&lt;b&gt;é&quot;\n  ],\n" in html
    assert "{not json" in html
    assert html.count("<pre") == 1
