"""Attention items as a researcher sees them: taken over, listed, and beside each worker."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from hits.core.states import move
from hits.identity.roles import RESEARCHER
from hits.work.models.assignments import Assignment
from hits.work.models.known_answers import KnownAnswer
from hits.work.services.leasing import answer_leases, items_of
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.crowd.plain.making import add_sentences, ask, asked_project, begin, hand_in, open_batch
from tests.factories import make_worker

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
YES, NO = {"q1": "1"}, {"q1": "2"}


@pytest.mark.parametrize("size", SIZES)
def test_items_are_taken_over_and_what_workers_miss_of_them_is_seen(
    open_page: OpenPage, sites: Sites, size: str
) -> None:
    project = asked_project(*(f"Sentence {number} was said." for number in range(16)), answers_wanted=3)
    first = open_batch(project, items=16)
    for _ in range(3):
        hand_in(begin(first, make_worker(account=first.account)), *[YES] * 16)
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    page = visitor.page
    log_in(page, make_staff(RESEARCHER, project.study), sites=sites)

    page.goto(sites.public + reverse("admin:scoring_attention_first", args=[project.study_id]))
    expect(page.get_by_text("None yet.")).to_be_visible()
    page.get_by_role("link", name="Take over what people answered alike").click()
    page.get_by_label("Items at most").fill("12")
    page.get_by_role("button", name="Count the items").click()
    expect(page.get_by_text("Items that become attention items: 12.")).to_be_visible()
    visitor.visit("attention-take", page.url.partition("#")[0])
    page.get_by_role("button", name="Take over what people answered alike").click()
    expect(page.get_by_role("heading", name="12 attention items")).to_be_visible()
    add_sentences(project, *(f"Sentence {number} is new." for number in range(30)))
    ask(project)
    batch = open_batch(project, items=20, attention_rate=30, title="New sentences")
    for number in range(5):
        work = begin(batch, make_worker(account=batch.account))
        said = [YES if number else NO for _ in items_of(work)]
        answer = {str(item.public_id): text for item, text in zip(items_of(work), said, strict=True)}
        move(work, Assignment.Status.SAVED, answer=answer, saved_at=timezone.now())
        move(work, Assignment.Status.SUBMITTED, submitted_at=timezone.now(), worked_s=300)
        answer_leases(work, now=timezone.now())
    visitor.visit(
        "attention", sites.public + reverse("admin:scoring_attention_first", args=[project.study_id])
    )
    visitor.visit(
        "quality-attention", sites.public + reverse("admin:scoring_quality", args=[project.study_id])
    )

    expect(page.get_by_text("attention items as is known").first).to_be_visible()
    page.get_by_role("link", name="Attention items").first.click()
    page.locator("[name='item'][type='checkbox']").first.check()
    page.get_by_role("button", name="Remove those chosen").click()
    expect(page.get_by_role("heading", name="11 attention items")).to_be_visible()

    assert visitor.problems == {}
    assert KnownAnswer.objects.count() == 11
