"""The game's two tests in a real browser: by keyboard alone, over a reload, and looked at."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.winogavil.domain import CREATOR_TEST, SOLVER_TEST
from crowd.winogavil.items import Row, add_rows
from crowd.winogavil.models import Association
from crowd.winogavil.services.seeded_associations import seed_picture_sets
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from scoring.models import RivalQuery
from scoring.services.rival_answers import answer_waiting
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import pick
from tests.conftest import Sites
from tests.factories import make_account, make_batch, make_hit, make_picture
from tests.scoring.fakes import use_fakes

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
CONCEPTS = ("owl", "moon", "bat", "fire", "ice")
WORDS = ("night", "warmth", "winter")


@pytest.fixture
def open_page(open_page: OpenPage) -> Iterator[OpenPage]:
    """Open pages whose heartbeats reach nobody, and leave none before its pictures are loaded."""
    pages: list[Page] = []

    def opened(**options: Any) -> Page:
        page = open_page(**options)
        page.route("**/beat/", lambda route: route.fulfill(status=204))
        pages.append(page)
        return page

    yield opened
    for page in pages:
        page.wait_for_load_state("networkidle")


@pytest.fixture
def solver_test(sites: Sites) -> str:
    """The address of an accepted test of three questions, at an endpoint without tickets."""
    hit = make_test(sites, SOLVER_TEST, items_from="file")
    pictures = tuple(make_picture(concept=name).pk for name in CONCEPTS)
    rows = [Row(cue=word, candidates=pictures, chosen=frozenset(pictures[:2])) for word in WORDS]
    add_rows(rows, batch=hit.batch)
    return address_of(hit, sites)


@pytest.fixture
def creator_test(sites: Sites, monkeypatch: pytest.MonkeyPatch) -> str:
    use_fakes(monkeypatch)
    hit = make_test(sites, CREATOR_TEST)
    pictures = [make_picture(concept=name) for name in CONCEPTS]
    seed_picture_sets(study=hit.batch.study, picture_sets=[(pictures, {})] * 2, task=CREATOR_TEST)
    return address_of(hit, sites)


def make_test(sites: Sites, task: str, **changes: Any) -> HIT:
    account = make_account(worker_site=sites.marketplace, ticket_key="")
    terms = {"bonus_rules": [], "fee_schedule": "none"}
    batch = make_batch(
        account=account,
        task=task,
        status="open",
        duration_s=3600,
        items_per_assignment=10,
        terms=terms,
        **changes,
    )
    return make_hit(batch=batch, sent_at=timezone.now())


def address_of(hit: HIT, sites: Sites) -> str:
    return (
        f"{sites.public}/q/{hit.public_id}/?assignmentId=A1&workerId=W1&hitId={hit.external_id}"
        f"&turkSubmitTo={sites.marketplace}"
    )


def press_to(page: Page, name: str) -> None:
    """Reach an element with the Tab key alone."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").strip() == name:
            return
    raise AssertionError(f"The Tab key does not lead to {name}.")


def pick_two(page: Page) -> None:
    """Pick the first two pictures of the question shown."""
    for _ in range(2):
        page.keyboard.press("Tab")
        page.keyboard.press("Space")


def heading(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_focused()


def test_solver_test_is_taken_by_keyboard_over_a_reload(page: Page, solver_test: str) -> None:
    page.goto(solver_test)
    expect(page.get_by_role("button", name="Submit")).to_be_hidden()
    press_to(page, "Next")
    page.keyboard.press("Enter")
    heading(page, "1 of 3")
    pick_two(page)
    page.keyboard.press("Enter")
    heading(page, "2 of 3")
    pick_two(page)

    page.reload()

    expect(page.get_by_role("heading", name="2 of 3", exact=True)).to_be_visible()
    expect(page.locator("fieldset:visible input:checked")).to_have_count(2)
    press_to(page, "Back")
    page.keyboard.press("Enter")
    heading(page, "1 of 3")
    expect(page.locator("fieldset:visible input:checked")).to_have_count(2)
    for expected in ("2 of 3", "3 of 3", "Check and submit"):
        press_to(page, "Next")
        page.keyboard.press("Enter")
        heading(page, expected)
    expect(page.get_by_role("listitem").filter(has_text="○ still open")).to_have_count(1)
    expect(page.get_by_role("button", name="Submit")).to_have_attribute("aria-disabled", "true")
    assert Assignment.objects.get().answer is None

    page.get_by_role("listitem").filter(has_text="still open").get_by_role("button").press("Enter")
    heading(page, "3 of 3")
    pick_two(page)
    page.keyboard.press("Enter")
    heading(page, "Check and submit")
    press_to(page, "Submit")
    with page.expect_response(re.compile("/answer/$")):
        page.keyboard.press("Enter")

    answer = Assignment.objects.get().answer
    assert answer is not None
    assert set(answer) == {str(one.item.public_id) for one in Association.objects.select_related("item")}
    assert {len(picks) for picks in answer.values()} == {2}


def test_creator_test_asks_once_for_each_set(page: Page, creator_test: str) -> None:
    page.goto(creator_test)
    for number, word in ((1, "night"), (2, "frost")):
        page.get_by_role("button", name="Next").click()
        heading(page, f"{number} of 2")
        shown = page.locator("fieldset:visible")
        for place in (1, 2):
            pick(shown.get_by_role("checkbox", name=re.compile(f"Picture {place}")))
        shown.get_by_label("Your word").fill(word)
        with page.expect_response(re.compile("/ask/$")):
            shown.get_by_role("button", name="Test the model").click()
        answer_waiting()
        expect(shown.get_by_role("status")).to_contain_text("You fooled the model by")
    page.reload()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("listitem").filter(has_text="✓ tested")).to_have_count(2)

    with page.expect_response(re.compile("/answer/$")):
        page.get_by_role("button", name="Submit").click()

    rival_queries = RivalQuery.objects.order_by("slot")
    assert [(rival_query.slot, rival_query.text) for rival_query in rival_queries] == [
        (1, "night"),
        (2, "frost"),
    ]
    assert Assignment.objects.get().answer == {
        "cues": [str(rival_query.public_id) for rival_query in rival_queries]
    }


@pytest.mark.parametrize("size", SIZES)
def test_the_pages_look_right(open_page: OpenPage, solver_test: str, creator_test: str, size: str) -> None:
    page = open_page(viewport=SIZES[size])
    visitor = Visitor(page, size=size)

    for name, address in (("solver", solver_test), ("creator", creator_test)):
        preview = address.replace("assignmentId=A1", "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
        visitor.visit(f"{name}-test-preview", preview)
        visitor.visit(f"{name}-test-practice", address)
        page.get_by_role("button", name="Next").click()
        visitor.visit(f"{name}-test-question", address)
        for _ in range(2 if name == "creator" else 3):
            page.get_by_role("button", name="Next").click()
        visitor.visit(f"{name}-test-check", address)

    assert visitor.problems == {}
