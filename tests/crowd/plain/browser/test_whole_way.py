"""Custom questions in a real browser: from a description to majorities, by different workers."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import FloatRect, Locator, Page, expect

from crowd.plain.domain import ASK
from crowd.plain.models import Project
from crowd.plain.queries.ready import ready_descriptions
from crowd.plain.services.uploading import add_rows
from hits.work.services.leasing import answer_leases
from tests.browser.conftest import OpenPage
from tests.browser.doors import enter
from tests.browser.families.test_annotation import be_quiet, preview_of
from tests.browser.looking import Visitor
from tests.browser.sitting import Room, fault, submit
from tests.conftest import Sites
from tests.crowd.pictures.images import png
from tests.crowd.plain.describing import ALONE, WHOLE
from tests.crowd.plain.making import (
    answer_each,
    ask,
    describe,
    make_project,
    open_batch,
)
from tests.crowd.plain.role_work import ratings, work
from tests.factories import make_account, make_picture, make_study

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]

FILLED = ("change", "settings", "page", "rows", "rows/upload", "rows/ask", "rows/drop", "results", "data")


@pytest.fixture
def room(open_page: OpenPage, sites: Sites) -> Room:
    return Room(open_page, make_study(name="Sentences"), sites=sites)


def at_the_desk(room: Room) -> Page:
    page = room.open_page()
    be_quiet(page)
    enter(page, room.sites)
    page.goto(f"{room.sites.public}{reverse('admin:plain_of_study', args=[room.study.pk])}")
    return page


def upload(page: Page, content: bytes) -> None:
    page.get_by_label("File").set_input_files({"name": "rows.csv", "mimeType": "text/csv", "buffer": content})
    page.get_by_role("button", name="Upload").click()


def answer(room: Room, *, natural: str, sure: str) -> None:
    page = room.sit_down(ASK)
    page.get_by_label(natural, exact=True).check()
    page.get_by_label(sure).check()
    answer_leases(room.hand_in(page), now=timezone.now())


def test_a_page_walks_from_its_description_to_majorities(room: Room) -> None:
    page = at_the_desk(room)
    page.get_by_label("Different people for each row").fill("3")
    page.get_by_role("button", name="Set it up").click()

    page.get_by_role("link", name="Describe the page").first.click()
    page.get_by_role("link", name="Is it natural").click()
    text = page.get_by_label("The description")
    text.press("Control+End")
    text.press_sequentially("colour: red")
    expect(page.get_by_role("link", name="“colour” is no word")).to_be_visible()
    page.get_by_role("link", name="“colour” is no word").click()
    expect(text).to_be_focused()
    text.press("Delete")
    expect(page.get_by_role("status")).to_have_text("The page can be kept.")
    expect(page.locator(".preview")).to_contain_text("[sentence]")
    page.get_by_role("button", name="Keep the page").click()

    page.get_by_role("link", name="Upload rows").first.click()
    upload(page, b"Text\nThe cat sat.\n")
    expect(page.get_by_role("alert")).to_contain_text("Each must appear once: sentence.")
    upload(page, b"Sentence\nThe cat sat.\n")
    page.get_by_role("link", name="Ask about the rows that wait").first.click()
    expect(page.get_by_text("Answers wanted: 3.")).to_be_visible()
    page.get_by_role("button", name="Ask workers about the rows").click()
    expect(page.get_by_text("Rows asked about: 1.")).to_be_visible()

    for natural, sure in (("Yes", "4"), ("Yes", "5"), ("No", "4")):
        answer(room, natural=natural, sure=sure)
    page.get_by_role("link", name="See the results").click()

    row = page.get_by_role("region", name="What most have said").get_by_role("row", name="The cat sat.")
    expect(row).to_have_text(re.compile(r"\s*1\s+The cat sat\.\s+yes\s+67\s%\sof\s3\s+4\s+67\s%\sof\s3\s*"))
    agreement = page.get_by_role("region", name="Agreement").get_by_role("row", name="How sure are you?")
    expect(agreement).to_contain_text("33.3 %")
    expect(agreement).to_contain_text("4.33")


def test_what_is_missing_is_told_and_what_was_written_outlives_a_reload(room: Room) -> None:
    describe(project := make_project(room.study), WHOLE)
    fill_pictures(project)
    page = room.sit_down(ASK)

    page.get_by_label("Yes", exact=True).check()
    page.get_by_label("Why?").fill("I know.")
    submit(page).click()
    expect(fault(page, "q3")).to_contain_text("Choose one of the answers.")
    expect(fault(page, "q4")).to_contain_text("Write something here.")
    expect(fault(page, "q2")).to_be_empty()
    page.reload()
    expect(page.get_by_label("Yes", exact=True)).to_be_checked()
    expect(page.get_by_label("Why?")).to_have_value("I know.")

    page.get_by_label("4", exact=True).check()
    page.get_by_label("How many people do you see?").fill("51")
    submit(page).click()
    expect(fault(page, "q4")).to_contain_text("The number must be at most 50.")
    page.get_by_label("How many people do you see?").fill("3")
    work = room.hand_in(page)

    (said,) = (work.answer or {}).values()
    assert said == {"q1": "1", "q3": "4", "q4": "3", "q5": "I know."}


@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_missing_is_not_behind_the_button(room: Room, width: int) -> None:
    """The window ends just below the first option, where the bar with the button is."""
    describe(project := make_project(room.study), WHOLE)
    fill_pictures(project)
    page = room.sit_down(ASK)
    page.set_viewport_size({"width": width, "height": 2000})
    first = page.get_by_label("Yes", exact=True)
    page.set_viewport_size({"width": width, "height": int(bottom_of(first)) + 20})

    submit(page).click()

    expect(first).to_be_focused()
    assert bottom_of(fault(page, "q1")) <= box_of(page.locator(".submitbar"))["y"]


@pytest.mark.parametrize(("name", "part"), [("page", ".preview"), ("data", ".form")])
def test_options_are_as_large_as_their_question_on_a_phone(room: Room, name: str, part: str) -> None:
    describe(project := make_project(room.study), WHOLE)
    fill_pictures(project)
    page = at_the_desk(room)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{room.sites.public}/admin/plain/project/{project.pk}/{name}/")

    question, option = (
        page.locator(f"{part} fieldset {one}").first.evaluate("one => getComputedStyle(one).fontSize")
        for one in ("legend", "label")
    )

    assert option == question


def test_researchers_pages_look_right(visitor: Visitor, sites: Sites) -> None:
    study = make_study(name="Sentences")
    enter(visitor.page, sites)
    visitor.visit("plain-set-up", f"{sites.public}/admin/plain/project/add/?study={study.pk}")
    project = make_project(study, answers_wanted=2)
    home = f"{sites.public}/admin/plain/project/{project.pk}"
    for name in ("change", "page", "rows", "rows/upload", "results"):
        visitor.visit(f"plain-{name.replace('/', '-')}-empty", f"{home}/{name}/")
    fill(project)

    for name in (
        "change",
        "settings",
        "page",
        "rows",
        "rows/upload",
        "rows/ask",
        "rows/drop",
        "results",
        "data",
    ):
        visitor.visit(f"plain-{name.replace('/', '-')}", f"{home}/{name}/")
    visitor.visit("plain-page-ready", f"{home}/page/?ready=feedback-survey-as-in-the-paper")
    visitor.visit("plain-look", f"{home}/page/look/")

    assert visitor.problems == {}


def test_survey_by_role_looks_right(visitor: Visitor, sites: Sites) -> None:
    study = make_study(name="Words")
    enter(visitor.page, sites)
    project, account = make_project(study), make_account()
    workers = [work(project, account, "winogavil.create", "winogavil.solve") for _ in range(4)]
    home = f"{sites.public}/admin/plain/project/{project.pk}"
    describe(project, ready_descriptions()["feedback-survey-as-in-the-paper"])
    visitor.visit("plain-survey-ask", f"{home}/rows/ask/")
    ask(project)
    batch = open_batch(project, account=account)
    for worker, first in zip(workers, (3, 4, 5, 4), strict=True):
        answer_each(batch, [ratings(first), ratings(first)], worker=worker)

    for name in ("change", "rows", "results"):
        visitor.visit(f"plain-survey-{name}", f"{home}/{name}/")
    visitor.visit("plain-survey-look", f"{home}/page/look/")

    assert visitor.problems == {}


@pytest.mark.parametrize("text", [WHOLE, ALONE], ids=["whole", "alone"])
def test_workers_page_looks_right(visitor: Visitor, sites: Sites, text: str) -> None:
    project = make_project(make_study())
    describe(project, text)
    if text == WHOLE:
        fill_pictures(project)
    else:
        ask(project)
    room = Room(lambda **_: visitor.page, project.study, sites=sites)
    be_quiet(visitor.page)
    address = room.address(ASK)

    visitor.visit(f"plain-preview-{len(text)}", preview_of(address))
    visitor.visit(f"plain-work-{len(text)}", address)
    submit(visitor.page).click()
    visitor._keep_picture(f"plain-wrong-{len(text)}")

    assert visitor.problems == {}


def box_of(part: Locator) -> FloatRect:
    box = part.bounding_box()
    assert box
    return box


def bottom_of(part: Locator) -> float:
    return box_of(part)["y"] + box_of(part)["height"]


def fill(project: Project) -> None:
    """Make rows that are asked and answered, and some that wait."""
    describe(project, WHOLE.replace("picture: image\n", ""))
    content = "".join(f"A caption of some length {number},there,{number}\n" for number in range(3))
    add_rows(project=project, content=f"caption,source,id\n{content}".encode())
    ask(project)
    batch = open_batch(project)
    said = {"q1": "1", "q2": "1", "q3": "4", "q4": "2", "q5": "Because."}
    answer_each(batch, [said, said, {**said, "q1": "2"}])
    answer_each(batch, [said, {**said, "q1": "2", "q3": "1"}, {**said, "q1": "3"}])
    add_rows(project=project, content=b"caption,source,id\nOne that waits,here,9\n")


def fill_pictures(project: Project) -> None:
    make_picture(concept="heron", content=png(seed=7), media_type="image/png")
    content = b"image,caption,source,id\nheron,A heron stands in the water,there,1\n"
    add_rows(project=project, content=content)
    ask(project)
