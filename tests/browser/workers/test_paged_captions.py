"""Caption matching asks one question on a page, keeps what was answered, and is one list without scripts."""

import pytest
from playwright.sync_api import Locator, Page, expect

from crowd.winoground import domain
from hits.work.models.assignments import Assignment
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES
from tests.browser.sitting import Room, submit
from tests.conftest import Sites
from tests.crowd.winoground.making_asked import make_first_questions, make_project
from tests.factories import make_study

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
QUESTIONS = 10


@pytest.fixture
def room(open_page: OpenPage, sites: Sites) -> Room:
    room = Room(open_page, make_study(), sites=sites)
    make_first_questions(make_project(room.study))
    return room


def shown(page: Page) -> Locator:
    return page.locator("fieldset[data-step]:visible")


def go(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_one_question_is_shown_with_progress_and_the_way_back(room: Room) -> None:
    page = room.sit_down(domain.ONBOARDING, items=QUESTIONS)

    expect(shown(page)).to_have_count(1)
    expect(shown(page).locator("legend").first).to_have_text("Question 1 of 10")
    expect(submit(page)).to_be_hidden()
    shown(page).get_by_label("Yes", exact=True).check()
    go(page, "Next")
    expect(shown(page).locator("legend").first).to_have_text("Question 2 of 10")
    expect(shown(page).locator("legend").first).to_be_focused()
    assert page.get_by_role("progressbar").evaluate("bar => [bar.value, bar.max]") == [1, QUESTIONS]
    go(page, "Back")

    expect(shown(page).get_by_label("Yes", exact=True)).to_be_checked()


def test_a_reload_keeps_the_answers_and_the_place(room: Room) -> None:
    page = room.sit_down(domain.ONBOARDING, items=QUESTIONS)
    for _ in range(3):
        shown(page).get_by_label("No", exact=True).check()
        go(page, "Next")

    page.reload()

    expect(shown(page).locator("legend").first).to_have_text("Question 4 of 10")
    go(page, "Back")
    expect(shown(page).get_by_label("No", exact=True)).to_be_checked()


def test_submit_leads_back_to_the_question_that_has_no_answer(room: Room) -> None:
    page = room.sit_down(domain.ONBOARDING, items=QUESTIONS)
    for number in range(1, QUESTIONS + 1):
        if number != 4:
            shown(page).get_by_label("Yes", exact=True).check()
        if number < QUESTIONS:
            go(page, "Next")

    submit(page).click()

    expect(shown(page).locator("legend").first).to_have_text("Question 4 of 10")
    expect(shown(page).locator("[data-wrong]")).to_contain_text("Choose one")
    assert not Assignment.objects.exclude(answer=None).exists()


def test_the_image_its_caption_and_the_answers_fit_on_a_phone(room: Room) -> None:
    page = room.sit_down(domain.ONBOARDING, items=QUESTIONS, viewport={**SIZES["phone"], "height": 796})

    go(page, "Next")

    for part in (shown(page).locator("img"), shown(page).locator(".caption")):
        expect(part).to_be_in_viewport(ratio=1)
    end = page.locator(".submitbar").evaluate("bar => bar.getBoundingClientRect().top")
    answers = (
        shown(page)
        .locator("label.choice")
        .evaluate_all("all => all.map((one) => [one.offsetHeight, one.getBoundingClientRect().bottom])")
    )
    assert all(height >= 44 and bottom <= end for height, bottom in answers)


def test_the_whole_test_is_taken_by_keys_alone(room: Room) -> None:
    page = room.sit_down(domain.ONBOARDING, items=QUESTIONS)

    for number in range(1, QUESTIONS + 1):
        expect(shown(page).locator("legend").first).to_have_text(f"Question {number} of 10")
        page.keyboard.press("n" if number % 2 else "y")
        page.keyboard.press("Enter")

    expect(page.get_by_role("alert").or_(page.get_by_text("Handed in"))).to_be_visible()


def test_keys_are_shown_where_there_is_a_keyboard(room: Room) -> None:
    page = room.sit_down(domain.ONBOARDING, items=QUESTIONS)

    expect(page.get_by_label("Keys: y for yes, n for no, Enter to go on")).to_be_visible()
    hints = shown(page).locator(".key")
    assert hints.evaluate_all("all => all.map((one) => one.dataset.hint)") == ["y", "n"]
    expect(hints.first).to_be_visible()
    phone = room.sit_down(
        domain.ONBOARDING, items=QUESTIONS, viewport=SIZES["phone"], has_touch=True, is_mobile=True
    )
    expect(phone.get_by_label("Keys: y for yes")).to_be_hidden()
    expect(shown(phone).locator(".key").first).to_be_hidden()


def test_without_scripts_all_questions_are_one_list(room: Room) -> None:
    page = room.open_page(java_script_enabled=False)
    page.goto(room.address(domain.ONBOARDING, items=QUESTIONS))

    expect(shown(page)).to_have_count(QUESTIONS)
    expect(submit(page)).to_be_visible()
    for name in ("Next", "Back"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_hidden()
