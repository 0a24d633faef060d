"""Annotating weird images in a real browser: a worker's texts, the test, and how staff work with both."""

from typing import Any, cast

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.whoops import domain
from crowd.whoops.annotate.services.collected_annotations import take_annotations
from crowd.whoops.annotate.services.posting_annotations import post_annotations
from crowd.whoops.models import Annotation, Image, Project, TrainingImage
from hits.work.models.assignments import Assignment
from tests.browser.conftest import OpenPage
from tests.browser.doors import enter
from tests.browser.families.test_annotation import be_quiet, preview_of
from tests.browser.looking import Visitor
from tests.browser.sitting import Room, entry, submit, write
from tests.conftest import Sites
from tests.crowd.pictures.images import png
from tests.crowd.whoops.making_annotations import COARSE, GOOD, make_image, make_project, make_training_images
from tests.factories import make_assignment, make_picture, make_worker

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def project() -> Project:
    return make_project(annotations_wanted=2)


@pytest.fixture
def room(open_page: OpenPage, project: Project, sites: Sites) -> Room:
    return Room(open_page, project.study, sites=sites)


def post(project: Project, *, images: int = 1) -> list[Image]:
    for seed in range(images):
        picture = make_picture(content=png(seed=seed, size=(640, 480)), media_type="image/png")
        make_image(project, picture=picture)
    post_annotations(now=timezone.now())
    return list(project.images.order_by("pk"))


def annotate(image: Image, state: str = "counted", **texts: str) -> Annotation:
    return Annotation.objects.create(
        image=image,
        worker=make_worker(),
        assignment=make_assignment(status="approved"),
        state=state,
        flags=["caption: shit"] if "shit" in texts.get("caption", "") else [],
        why="It is not about this image." if state == "dropped" else "",
        **{**GOOD, **texts},
    )


def test_worker_writes_three_texts_and_a_person_lets_coarse_ones_in(
    room: Room, project: Project, sites: Sites
) -> None:
    post(project)
    page = room.sit_down(domain.ANNOTATE)
    write(page, {**COARSE, "explanation": "This image is very unusual."})
    submit(page).click()
    expect(page.get_by_role("alert")).to_contain_text("Say why, too")
    expect(entry(page, "caption")).to_have_value(COARSE["caption"])
    write(page, {"explanation": COARSE["explanation"]})
    room.hand_in(page)
    take_annotations(now=timezone.now())
    assert Annotation.objects.get().state == "held"

    staff = room.open_page()
    enter(staff, sites)
    staff.goto(f"{sites.public}{reverse('admin:whoops_project_change', args=[project.pk])}")
    staff.get_by_role("link", name="Held back").first.click()
    expect(staff.get_by_role("heading", name="Image 1")).to_be_visible()
    staff.keyboard.press("d")
    staff.keyboard.press("5")
    expect(staff.get_by_text("Nothing is held back", exact=True)).to_be_visible()
    assert Annotation.objects.get().why == "It insults people."
    staff.keyboard.press("z")
    expect(staff.get_by_role("heading", name="Image 1")).to_be_visible()
    staff.keyboard.press("c")
    expect(staff.get_by_text("Nothing is held back", exact=True)).to_be_visible()
    assert Annotation.objects.get().state == "counted"


def test_the_page_works_without_scripts_and_loses_nothing(room: Room, project: Project) -> None:
    post(project)
    page = room.sit_down(domain.ANNOTATE, java_script_enabled=False)
    write(page, {"caption": "A kettle pours sand.", "underspecified": "a kettle pours SAND"})

    submit(page).click()

    alert = page.get_by_role("alert")
    expect(alert.get_by_role("link")).to_have_count(2)
    expect(entry(page, "underspecified")).to_have_value("a kettle pours SAND")
    alert.get_by_role("link").first.click()
    expect(entry(page, "explanation")).to_be_focused()
    assert Assignment.objects.get().answer is None

    write(page, GOOD)
    submit(page).click()
    expect(page.get_by_role("button", name="Finish submitting")).to_be_visible()
    [answer] = Assignment.objects.values_list("answer", flat=True)
    assert answer is not None
    assert list(answer.values()) == [GOOD]


def test_researcher_adds_an_image_to_the_test(page: Page, project: Project, sites: Sites) -> None:
    enter(page, sites)
    page.goto(f"{sites.public}{reverse('admin:whoops_project_change', args=[project.pk])}")
    page.get_by_role("link", name="Images of the test").click()
    page.get_by_role("link", name="Add an image…").click()
    files = {"name": "kettle.png", "mimeType": "image/png", "buffer": png(seed=9, size=(320, 240))}
    page.get_by_label("Picture").set_input_files(cast("Any", files))
    page.get_by_label("A good caption").fill(GOOD["caption"])
    page.get_by_label("A good explanation").fill(GOOD["explanation"])
    page.get_by_label("A good underspecified caption").fill(GOOD["underspecified"])
    page.get_by_role("button", name="Add the image to the test").click()

    expect(page.get_by_text("The image is in the test.")).to_be_visible()
    expect(page.get_by_text("until you add 4")).to_be_visible()
    assert TrainingImage.objects.get().caption == GOOD["caption"]


def test_pages_look_right(visitor: Visitor, room: Room, project: Project, sites: Sites) -> None:
    page, admin = visitor.page, f"{sites.public}/admin/whoops"
    be_quiet(page)
    images = post(project, images=2)
    make_training_images(project, 5)
    address = room.address(domain.ANNOTATE)
    visitor.visit("weird-annotate-preview", preview_of(address))
    visitor.visit("weird-annotate", address)
    visitor.visit("weird-examples", room.address(domain.EXAMPLES, items=5))
    enter(page, sites)
    home = f"{admin}/project/{project.pk}"
    visitor.visit("weird-held-empty", f"{home}/annotations/held/")
    held = annotate(images[0], "held", caption=COARSE["caption"])
    dropped = annotate(images[0], "dropped")
    annotate(images[1])
    visitor.visit("weird-project", f"{home}/change/")
    visitor.visit("weird-held", f"{home}/annotations/held/")
    visitor.visit("weird-annotated", f"{home}/annotations/")
    visitor.visit("weird-annotated-image", f"{home}/annotations/image/1/")
    visitor.visit("weird-annotation-list", f"{admin}/annotation/")
    for row in (held, dropped):
        visitor.visit(f"weird-annotation-{row.state}", f"{admin}/annotation/{row.pk}/change/")
    visitor.visit("weird-training", f"{home}/training/")
    visitor.visit("weird-training-add", f"{home}/training/add/")

    assert visitor.problems == {}
