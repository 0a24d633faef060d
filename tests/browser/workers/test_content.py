"""Requesters' HTML and forms in a real frame: they work, and they reach nothing of the worker's."""

from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import FrameLocator, Page, ViewportSize, expect

from crowd.marketplace import frames
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.questions import read_answers
from crowd.marketplace.services.work import accept_hit
from tests.browser.conftest import OpenPage
from tests.browser.looking import Visitor
from tests.browser.stage import sign_in
from tests.conftest import Sites
from tests.crowd.marketplace.forms import (
    FILE,
    form,
    free_text,
    html_question,
    most,
    overview,
    question,
    selection,
)
from tests.crowd.marketplace.rows import post_hit
from tests.factories import invite

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]

PHONE: ViewportSize = {"width": 360, "height": 780}
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
OTHER = "<OtherSelection/>"
FORM = form(
    overview(
        "<Title>About one picture</Title><Text>Look at it first.\nThen answer.</Text>"
        "<List><ListItem>There is no hurry.</ListItem><ListItem>Write as you speak.</ListItem></List>"
        '<FormattedContent><![CDATA[<p>It is <b>not</b> about <a href="https://example.org/">art</a>.</p>'
        "<table><tr><th>red</th><td>warm</td></tr></table>]]></FormattedContent>"
    ),
    question(
        free_text('<Length minLength="5"/>', rest="<NumberOfLinesSuggestion>3</NumberOfLinesSuggestion>"),
        identifier="words",
        name="Describe it",
        required=True,
    ),
    question(
        free_text('<IsNumeric minValue="0" maxValue="9"/>'), identifier="number", name="How many birds?"
    ),
    question(selection("red", "blue", before=most(2), other=OTHER), identifier="color", name="Its colors"),
    question(selection("day", "night", before=most(1, style="dropdown")), identifier="time", name="When?"),
    question(selection("yes", "no"), identifier="sure", name="Are you sure?", required=True),
    question(FILE, identifier="sketch", name="A sketch"),
)
HTML = html_question(
    """<!DOCTYPE html><html lang="en"><head><title>Colors</title>
<script src="https://s3.amazonaws.com/mturk-public/externalHIT_v1.js"></script></head><body><h1>Colors</h1>
<form method="post" id="mturk_form" action="https://www.mturk.com/mturk/externalSubmit">
<input type="hidden" name="assignmentId" id="assignmentId">
<label>Color <input name="color"></label><input type="submit" id="submitButton"></form>
<p id="seen"></p><script>
turkSetAssignmentID();
let kept = "nothing";
try { kept = localStorage.length } catch (error) { kept = error.name }
document.getElementById("seen").textContent = `${origin} ${kept} ${turkGetParam("workerId", "nobody")}`;
</script></body></html>"""
)


def post(xml: str) -> HIT:
    return post_hit(question=xml, title="About a picture", now=timezone.now())


def enter(page: Page, sites: Sites) -> Worker:
    worker, _ = invite(now=timezone.now())
    sign_in(page.context, worker, sites=sites)
    return worker


def open_work(page: Page, hit: HIT, sites: Sites) -> FrameLocator:
    worker = enter(page, sites)
    assignment = accept_hit(hit_id=hit.pk, worker=worker, now=timezone.now())
    page.goto(f"{sites.marketplace}/work/{assignment.external_id}/")
    return page.frame_locator("iframe")


def test_worker_fills_a_form_mends_it_and_is_told_so(page: Page, sites: Sites) -> None:
    frame = open_work(page, post(FORM), sites)
    frame.get_by_label("Describe it").fill("bird")
    frame.get_by_label("How many birds?").fill("many")
    frame.get_by_label("What you mean by “Other”").fill("gold")
    frame.get_by_label("When?").select_option("The night")
    frame.get_by_label("The yes").check()
    frame.get_by_role("button", name="Submit").click()

    expect(frame.get_by_role("alert")).to_have_text(
        ["Write at least 5 characters; these are 4.", "Write a number, such as 12 or 3.5."]
    )
    frame.get_by_label("Describe it").fill("a bird")
    frame.get_by_label("How many birds?").fill("2")
    frame.get_by_label("A sketch").set_input_files(
        {"name": "sketch.txt", "mimeType": "text/plain", "buffer": b"line"}
    )
    frame.get_by_role("button", name="Submit").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")
    assignment = Assignment.objects.get()
    assert read_answers(assignment.answer) == {
        "words": {"a bird"},
        "number": {"2"},
        "color": {"gold"},
        "time": {"night"},
        "sure": {"yes"},
        "sketch": frozenset(),
    }
    assert [(upload.name, bytes(upload.content)) for upload in assignment.uploads.all()] == [
        ("sketch.txt", b"line")
    ]


def test_requesters_page_works_and_has_storage_of_its_own(page: Page, sites: Sites) -> None:
    frame = open_work(page, post(HTML), sites)
    own = frames.content_origin(HIT.objects.get().requester)
    expect(frame.locator("#seen")).to_have_text(f"{own} 0 {Worker.objects.get().external_id}")
    frame.get_by_label("Color").fill("red")
    frame.locator("#submitButton").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")
    assert read_answers(Assignment.objects.get().answer) == {"color": {"red"}}


def test_requesters_page_cannot_be_sent_in_a_preview(page: Page, sites: Sites) -> None:
    hit = post(HTML)
    enter(page, sites)
    page.goto(f"{sites.marketplace}/groups/{hit.hit_type.external_id}/")
    frame = page.frame_locator("iframe")

    expect(frame.locator("#seen")).to_have_text(f"{frames.content_origin(hit.requester)} 0 nobody")
    expect(frame.locator("#submitButton")).to_be_disabled()
    expect(frame.locator("#submitButton")).to_have_value(
        "You must ACCEPT the HIT before you can submit the results."
    )


@pytest.mark.parametrize(("size", "viewport"), [("phone", PHONE), ("desktop", DESKTOP)])
def test_forms_look_right(open_page: OpenPage, sites: Sites, size: str, viewport: Any) -> None:
    page = open_page(viewport=viewport, reduced_motion="reduce")
    visitor = Visitor(page, size=size)
    assignment = accept_hit(hit_id=post(FORM).pk, worker=enter(page, sites), now=timezone.now())

    visitor.visit("form-work", f"{sites.marketplace}/work/{assignment.external_id}/")
    visitor.visit("form", frames.work_url(assignment))
    page.get_by_label("How many birds?").fill("many")
    page.get_by_role("button", name="Submit").evaluate("button => { button.form.noValidate = true }")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    visitor._keep_picture(f"form-problems-{size}-dark")

    assert visitor.problems == {}
    assert visitor._look() == []
