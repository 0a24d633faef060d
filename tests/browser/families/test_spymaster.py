"""The page of a spymaster in a real browser: a word is tested once, and its verdict stays."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, Route, expect

from crowd.pictures.models import Picture
from crowd.winogavil.domain import CREATE
from crowd.winogavil.services.seeded_associations import seed_picture_set
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.models import RivalQuery, Verdict
from scoring.services.rival_answers import answer_waiting
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import pick
from tests.conftest import Sites
from tests.factories import make_account, make_batch, make_hit, make_picture
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
CONCEPTS = ("owl", "moon", "bat", "fire", "ice")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


@pytest.fixture
def picture_set(sites: Sites, fake: type[FakeRival]) -> str:
    """The address of an accepted create HIT with five pictures, at an endpoint without tickets."""
    account = make_account(worker_site=sites.marketplace, ticket_key="")
    batch = make_batch(account=account, task=CREATE, status="open", duration_s=3600)
    hit = make_hit(batch=batch, sent_at=timezone.now())
    seed_picture_set(study=batch.study, pictures=[make_picture(concept=name) for name in CONCEPTS])
    return (
        f"{sites.public}/q/{hit.public_id}/?assignmentId=A1&workerId=W1&hitId={hit.external_id}"
        f"&turkSubmitTo={sites.marketplace}"
    )


@pytest.fixture
def open_page(open_page: OpenPage) -> Iterator[OpenPage]:
    """Leave no page before its pictures are loaded."""
    pages: list[Page] = []

    def opened(**options: Any) -> Page:
        pages.append(open_page(**options))
        return pages[-1]

    yield opened
    for page in pages:
        page.wait_for_load_state("networkidle")


def slot(page: Page, number: int) -> Locator:
    return page.get_by_role("group", name=f"Word {number}")


def ask(page: Page, number: int, cue: str, *places: int) -> None:
    for place in places:
        pick(slot(page, number).get_by_role("checkbox", name=re.compile(f"Picture {place}")))
    slot(page, number).get_by_label("Your word").fill(cue)
    slot(page, number).get_by_role("button", name="Test the model").click()


def ask_and_arrive(page: Page, number: int, cue: str, *places: int) -> None:
    """Ask, and wait until the server has stored the question or refused it."""
    with page.expect_response(re.compile("/ask/$")):
        ask(page, number, cue, *places)


def be_answered(page: Page) -> None:
    """Answer the question, and wait for the verdict on the page, which then asks for nothing more."""
    answer_waiting()
    expect(said(page, 1)).to_contain_text("You fooled the model by", timeout=15_000)


def open_picture_set(page: Page, picture_set: str) -> None:
    """Open the page. Its heartbeats reach nobody: the last, as the page closes, would outlive the test."""
    page.route("**/beat/", lambda route: route.fulfill(status=204))
    page.goto(picture_set)


def rule(page: Page, words: str) -> Locator:
    return slot(page, 1).get_by_role("listitem").filter(has_text=words)


def said(page: Page, number: int) -> Locator:
    return slot(page, number).get_by_role("status")


def test_a_word_is_tested_once_and_its_verdict_is_shown(page: Page, picture_set: str) -> None:
    open_picture_set(page, picture_set)

    ask_and_arrive(page, 1, "snow", 1, 3)
    expect(said(page, 1)).to_have_text("The model is thinking…")
    answer_waiting()

    verdict = Verdict.objects.get
    expect(said(page, 1)).to_contain_text("You fooled the model by")
    expect(said(page, 1)).to_contain_text(f"{verdict().fool_score} %")
    expect(slot(page, 1).locator("[data-badge]:visible")).to_have_count(len({0, 2, *verdict().places}))
    expect(slot(page, 1).get_by_role("button")).to_be_disabled()
    expect(slot(page, 1).get_by_label("Your word")).to_be_disabled()
    expect(slot(page, 2).get_by_label("Your word")).to_be_enabled()
    assert RivalQuery.objects.values_list("text", "chosen").get() == ("snow", [0, 2])


def test_reload_and_back_lose_nothing(page: Page, picture_set: str) -> None:
    open_picture_set(page, picture_set)
    ask_and_arrive(page, 1, "snow", 1, 3)
    expect(said(page, 1)).to_have_text("The model is thinking…")

    page.reload()
    expect(slot(page, 1).get_by_label("Your word")).to_have_value("snow")
    expect(slot(page, 1).get_by_role("checkbox", name=re.compile("Picture 3"))).to_be_checked()
    answer_waiting()
    expect(said(page, 1)).to_contain_text("You fooled the model by")
    page.goto("about:blank")
    page.go_back()

    expect(said(page, 1)).to_contain_text("You fooled the model by")
    assert (RivalQuery.objects.count(), Verdict.objects.count()) == (1, 1)


def test_what_the_game_does_not_allow_is_said_and_can_be_mended(page: Page, picture_set: str) -> None:
    open_picture_set(page, picture_set)

    for place in (1, 3):
        pick(slot(page, 1).get_by_role("checkbox", name=re.compile(f"Picture {place}")))
    slot(page, 1).get_by_label("Your word").fill("two words")
    slot(page, 1).get_by_label("Your word").press("Enter")
    expect(rule(page, "one word, letters only")).not_to_have_class("kept")
    expect(slot(page, 1).get_by_role("button")).to_have_attribute("aria-disabled", "true")
    assert not RivalQuery.objects.exists()

    slot(page, 1).get_by_label("Your word").fill("moon")
    with page.expect_response(re.compile("/ask/$")):
        slot(page, 1).get_by_role("button").click()
    expect(slot(page, 1).get_by_role("alert")).to_contain_text("names one of the pictures")
    expect(slot(page, 1).get_by_label("Your word")).to_be_focused()
    slot(page, 1).get_by_label("Your word").fill("snow")
    with page.expect_response(re.compile("/ask/$")):
        slot(page, 1).get_by_label("Your word").press("Enter")

    expect(said(page, 1)).to_have_text("The model is thinking…")
    assert RivalQuery.objects.get().text == "snow"
    be_answered(page)


def test_what_was_begun_is_there_after_a_reload(page: Page, picture_set: str) -> None:
    open_picture_set(page, picture_set)
    for place in (2, 4):
        pick(slot(page, 1).get_by_role("checkbox", name=re.compile(f"Picture {place}")))
    slot(page, 1).get_by_label("Your word").fill("glowing")

    page.reload()

    expect(slot(page, 1).get_by_label("Your word")).to_have_value("glowing")
    expect(slot(page, 1).locator("input:checked")).to_have_count(2)
    expect(rule(page, "2 to 3 pictures")).to_have_class("kept")
    assert not RivalQuery.objects.exists()


def test_second_word_follows_the_first_and_both_are_handed_in(page: Page, picture_set: str) -> None:
    open_picture_set(page, picture_set)
    submit = page.get_by_role("button", name="Submit")
    expect(slot(page, 2)).to_be_hidden()
    for number, cue in ((1, "snow"), (2, "night")):
        expect(submit).to_have_attribute("aria-disabled", "true")
        ask_and_arrive(page, number, cue, number, number + 2)
        answer_waiting()
        expect(said(page, number)).to_contain_text("You fooled the model by")

    expect(submit).to_have_attribute("aria-disabled", "false")
    with page.expect_response(re.compile("/answer/$")):
        submit.click()

    rival_queries = RivalQuery.objects.order_by("slot")
    assert Assignment.objects.get().answer == {
        "cues": [str(rival_query.public_id) for rival_query in rival_queries]
    }


def test_a_picture_that_is_reported_is_gone_at_once(page: Page, picture_set: str) -> None:
    open_picture_set(page, picture_set)
    page.get_by_text("Report a problem with this task").click()
    page.get_by_label("What is it about?").select_option(label="Picture 2")
    page.get_by_label("What is wrong?").select_option(label="It is inappropriate")

    with page.expect_response(re.compile("/report/$")):
        page.get_by_role("button", name="Report").click()

    expect(page.get_by_text("Thank you. It is hidden from everybody else")).to_be_visible()
    assert Picture.objects.get(status="removed").concept == "moon"
    assert Item.objects.get().pulled_at is not None


def test_two_tabs_have_one_chance(open_page: OpenPage, picture_set: str) -> None:
    first, second = open_page(), open_page()
    for page in (first, second):
        open_picture_set(page, picture_set)
    ask_and_arrive(first, 1, "snow", 1, 3)
    expect(said(first, 1)).to_have_text("The model is thinking…")

    ask_and_arrive(second, 1, "winter", 2, 4)
    answer_waiting()

    expect(said(second, 1)).to_contain_text("You fooled the model by")
    expect(slot(second, 1).get_by_label("Your word")).to_have_value("snow")
    be_answered(first)
    assert RivalQuery.objects.get().text == "snow"


def test_a_lost_connection_loses_nothing(page: Page, picture_set: str) -> None:
    open_picture_set(page, picture_set)
    page.route("**/ask/", lambda route: route.abort())
    ask(page, 1, "snow", 1, 3)
    expect(said(page, 1)).to_contain_text("cannot be reached")

    page.unroute("**/ask/")
    page.route("**/verdict/", abort)
    slot(page, 1).get_by_role("button").click()
    expect(said(page, 1)).to_contain_text("cannot be reached")
    page.unroute("**/verdict/")
    answer_waiting()

    expect(said(page, 1)).to_contain_text("You fooled the model by")
    assert RivalQuery.objects.count() == 1


def abort(route: Route) -> None:
    route.abort()


def test_a_model_that_is_down_is_told_and_the_work_goes_on(
    page: Page, picture_set: str, fake: type[FakeRival], settings: object
) -> None:
    settings.RIVAL_DEADLINE_S = 0  # type: ignore[attr-defined]
    fake.down = True
    open_picture_set(page, picture_set)

    ask_and_arrive(page, 1, "snow", 1, 3)

    expect(said(page, 1)).to_contain_text("The verdict comes later")
    assert not Verdict.objects.exists()
    fake.down = False
    be_answered(page)


@pytest.mark.parametrize("size", SIZES)
def test_the_page_looks_right(open_page: OpenPage, picture_set: str, size: str) -> None:
    page = open_page(viewport=SIZES[size])
    visitor = Visitor(page, size=size)
    open_picture_set(page, picture_set)
    ask_and_arrive(page, 1, "snow", 1, 3)
    expect(said(page, 1)).to_have_text("The model is thinking…")
    answer_waiting()
    expect(said(page, 1)).to_contain_text("You fooled the model by")

    visitor.visit("spymaster", picture_set)

    assert visitor.problems == {}
