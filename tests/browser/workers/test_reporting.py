"""Reporting a problem in a real browser: from the preview, the work on a phone, and what came of it."""

from uuid import uuid4

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from crowd.marketplace.models import Complaint
from crowd.marketplace.models.parties import Operator
from crowd.marketplace.services import operators, reviewing
from crowd.marketplace.services.oversight import complaints, take_downs
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import sign_in
from tests.conftest import Sites
from tests.crowd.marketplace.forms import form, question
from tests.crowd.marketplace.rows import accept, hand_in, post_hit
from tests.factories import invite, make_requester

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("size", SIZES)
def test_problem_is_reported_and_its_answer_read(open_page: OpenPage, sites: Sites, size: str) -> None:
    now = timezone.now()
    requester, worker = make_requester(now=now).requester, invite(now=now)[0]
    hits = [
        post_hit(requester=requester, title=title, question=form(question()), max_assignments=2, now=now)
        for title in ("Look at it", "Begun", "Refused", "Ended")
    ]
    begun, ended = accept(hits[1], worker=worker, now=now), accept(hits[3], worker=worker, now=now)
    refused = hand_in(hits[2], worker=worker, now=now)
    reviewing.reject_assignment(assignment=refused, feedback="Wrong.", now=now)
    operator = Operator.objects.create(sign_in_name="desk", password="!", created_at=now)
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    page = visitor.page
    sign_in(page.context, worker, sites=sites)

    visitor.visit("report-preview", f"{sites.marketplace}/groups/{hits[0].hit_type.external_id}/")
    page.get_by_role("link", name="Report a problem").click()
    visitor.problems["report"] = visitor.look("report")
    visitor.visit("report-work", f"{sites.marketplace}/work/{begun}/")
    if size == "phone":
        page.get_by_text("Menu").click()
    visitor.problems["report-work-menu"] = visitor.look("report-work-menu")
    visitor.visit("report-refused", f"{sites.marketplace}/work/{refused}/")
    page.get_by_role("link", name="Report a problem").click()
    page.get_by_label("What is wrong?").select_option("The refusal or the pay is unfair")
    page.get_by_label("In your own words").fill("It was right.\n\nI looked twice.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status")).to_contain_text("Sent to those who run this marketplace.")
    visitor.problems["report-sent"] = visitor.look("report-sent")
    complaints.answer_complaint(
        complaint=Complaint.objects.get(), answer="We wrote to them.", operator=operator, now=timezone.now()
    )
    visitor.visit("report-answered", f"{sites.marketplace}/work/{refused}/")
    for hit, ends_work in ((hits[3], True), (hits[1], False)):
        with operators.do_once(
            operator=operator,
            token=uuid4(),
            what=take_downs.TAKEN_DOWN,
            about=requester.external_id,
            note=f"{hit}{take_downs.DASH}It asks too much.",
            now=timezone.now(),
        ):
            take_downs.take_down(
                hit=hit,
                reason="It asks too much.",
                tells_workers=True,
                tells_requester=True,
                ends_work=ends_work,
                now=timezone.now(),
            )
    visitor.visit("report-messages", f"{sites.marketplace}/messages/")
    page.get_by_role("link", name="Taken down: Ended").click()
    visitor.problems["report-message"] = visitor.look("report-message")
    visitor.visit("report-ended", f"{sites.marketplace}/work/{ended}/")
    expect(page.get_by_role("heading", name="This work has ended")).to_be_visible()
    visitor.visit("report-taken-down", f"{sites.marketplace}/work/{begun}/")
    expect(page.get_by_text("have taken this HIT down. You need not finish it")).to_be_visible()

    assert {name: found for name, found in visitor.problems.items() if found} == {}
