"""Judging weird images in a real browser: workers mark, and researchers bring images to them."""

from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from crowd.whoops import domain
from crowd.whoops.judge.services.explanation_lists import make_explanations
from crowd.whoops.judge.services.posting_questions import withdraw_question
from crowd.whoops.judge.services.weird_normal_pairs import make_pairs
from crowd.whoops.models import Image, Partner, Project
from crowd.whoops.models.judged_items import Question
from hits.work.models.assignments import Assignment
from scoring.models import Score
from tests.browser.conftest import OpenPage
from tests.browser.doors import enter
from tests.browser.looking import Visitor
from tests.browser.sitting import Room, fault, pick, submit
from tests.conftest import Sites
from tests.crowd.pictures.images import png
from tests.crowd.whoops.making_images import make_image, make_project
from tests.crowd.whoops.making_questions import (
    ANSWERS,
    CAPTIONS,
    EXPLANATIONS,
    bring_in,
    make_annotation,
    questions,
)
from tests.factories import make_picture

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
FILES = {domain.VERIFY: ANSWERS, domain.RATE: CAPTIONS, domain.EXPLAIN: EXPLANATIONS}


@pytest.fixture
def project() -> Project:
    """Three accepted images with normal partners and an annotation each, and all questions asked."""
    made = make_project(annotations_wanted=1)
    for seed in range(3):
        picture = make_picture(content=png(seed=seed, size=(640, 480)), media_type="image/png")
        image = make_image(made, picture=picture, state=Image.State.ACCEPTED, annotated=1)
        normal = make_picture(content=png(seed=seed + 50, size=(640, 480)), media_type="image/png")
        Partner.objects.create(image=image, kind="normal", picture=normal, added_at=timezone.now())
        make_annotation(image, "Candles need air, and there is none under water.")
    return made


def ask_everything(project: Project) -> None:
    now = timezone.now()
    make_pairs(project=project, wanted=9, seed=1, now=now)
    for kind, text in FILES.items():
        bring_in(project, kind, text)
    make_explanations(project=project, incomplete=False, now=now)


def test_explanations_are_marked_and_none_takes_the_marks_back(
    open_page: OpenPage, project: Project, sites: Sites
) -> None:
    ask_everything(project)
    room = Room(open_page, project.study, sites=sites)
    page = room.sit_down(domain.EXPLAIN)
    first = page.get_by_role("checkbox").first
    none = page.get_by_role("checkbox", name="None of them")
    submit(page).click()
    expect(fault(page, "marked")).to_have_text("Mark every good explanation; or say that none of them is.")

    first.check()
    expect(fault(page, "marked")).to_be_empty()
    none.check()
    expect(first).not_to_be_checked()
    first.check()
    expect(none).not_to_be_checked()
    page.reload()
    expect(first).to_be_checked()
    expect(none).not_to_be_checked()
    expect(page.get_by_text("Ready to submit.")).to_be_visible()
    marked = first.get_attribute("value")
    assignment = room.hand_in(page)

    assert [answer["marked"] for answer in (assignment.answer or {}).values()] == [marked]


def test_several_images_are_judged_on_one_page(open_page: OpenPage, project: Project, sites: Sites) -> None:
    ask_everything(project)
    room = Room(open_page, project.study, sites=sites)
    page = room.sit_down(domain.IDENTIFY, items=3)
    expect(page.locator("[data-question]")).to_have_count(3)
    for number in range(2):
        page.locator('[data-entry="pick"][value="weird"]').nth(number).check()
    submit(page).click()
    expect(page.get_by_text("Still to finish: question 3.")).to_be_visible()

    page.locator('[data-entry="pick"][value="normal"]').nth(2).check()
    assignment: Assignment = room.hand_in(page)

    said = sorted(answer["pick"] for answer in (assignment.answer or {}).values())
    assert said == ["normal", "weird", "weird"]
    assert not Score.objects.exists()


def test_captions_come_from_a_file_to_the_workers(
    open_page: OpenPage, project: Project, sites: Sites, tmp_path: Path
) -> None:
    page = open_page()
    enter(page, sites)
    home = reverse("admin:whoops_project_change", args=[project.pk])
    page.goto(f"{sites.public}{home}")
    page.get_by_role("link", name="Import captions…").click()
    file = tmp_path / "captions.csv"
    file.write_text("image,caption,source\n1,A candle.\n7,A bowl.,m\n")
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Read the file").click()
    expect(page.get_by_text("Line 2: it has 2 fields, and the heading 3.")).to_be_visible()
    expect(page.get_by_text("Line 3: there is no image “7”.")).to_be_visible()
    file.write_text(CAPTIONS)
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Read the file").click()
    expect(page.get_by_text("3 new captions, about 2 images.")).to_be_visible()
    assert not Question.objects.exists()
    page.get_by_role("button", name="Import 3 captions").click()
    expect(page.get_by_text("Added, and waiting for workers: 3 captions.")).to_be_visible()

    room = Room(open_page, project.study, sites=sites)
    worker = room.sit_down(domain.RATE)
    expect(worker.locator(".pairs dd")).to_have_count(1)
    pick(worker, "pick", "yes")
    room.hand_in(worker)


@pytest.mark.parametrize("task", domain.JUDGED)
def test_worker_pages_look_right(visitor: Visitor, project: Project, sites: Sites, task: str) -> None:
    ask_everything(project)
    room = Room(lambda **_: visitor.page, project.study, sites=sites)

    visitor.visit(task, room.address(task, items=3))
    address = room.address(task).partition("?")[0]
    visitor.visit(f"{task}-practice", f"{address}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")

    assert visitor.problems == {}


def test_researchers_pages_look_right(visitor: Visitor, project: Project, sites: Sites) -> None:
    page, admin = visitor.page, f"{sites.public}/admin/whoops"
    enter(page, sites)
    home = f"{admin}/project/{project.pk}"
    visitor.visit("judging-questions-none", f"{admin}/question/")
    visitor.visit("judging-pairs", f"{home}/judging/pairs/?asked=yes&wanted=2&seed=1")
    visitor.visit("judging-lists", f"{home}/judging/explanations/")
    for name in ("answers", "captions", "explanations"):
        visitor.visit(f"judging-import-{name}", f"{home}/judging/import/{name}/")
    ask_everything(project)
    withdraw_question(question=questions(project, domain.RATE)[0], now=timezone.now())

    visitor.visit("judging-project", f"{home}/change/")
    visitor.visit("judging-questions", f"{admin}/question/")
    for kind in domain.JUDGED:
        question = questions(project, kind)[0]
        visitor.visit(f"judging-{kind}", f"{admin}/question/{question.pk}/change/")

    assert visitor.problems == {}
