"""The stages of an image in a real browser: the control group, the comparison, four reviewers."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.whoops import domain
from crowd.whoops.control.services.control_answers import take_control_answers
from crowd.whoops.control.services.posting_control import post_control
from crowd.whoops.models import Image, Project
from crowd.whoops.models.control_and_review import ControlAnswer, Review
from crowd.whoops.review.services.harm_review import give_review
from hits.work.models.assignments import Assignment
from tests.browser.conftest import OpenPage
from tests.browser.doors import enter
from tests.browser.families.test_annotation import be_quiet, preview_of
from tests.browser.looking import Visitor
from tests.browser.sitting import Room, entry, fault, submit, write
from tests.conftest import Sites
from tests.crowd.pictures.images import png
from tests.crowd.whoops.making_images import SAW, make_designer, make_image, make_project, state
from tests.factories import make_assignment, make_picture, make_user

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def project() -> Project:
    return make_project(control_wanted=2, control_needed=2)


@pytest.fixture
def room(open_page: OpenPage, project: Project, sites: Sites) -> Room:
    return Room(open_page, project.study, sites=sites)


def post(project: Project, *, images: int = 1) -> list[Image]:
    for seed in range(images):
        picture = make_picture(content=png(seed=seed, size=(640, 480)), media_type="image/png")
        make_image(project, picture=picture)
    post_control(now=timezone.now())
    return list(project.images.order_by("pk"))


def see(image: Image, text: str, **changes: object) -> ControlAnswer:
    work = make_assignment(status="approved")
    return ControlAnswer.objects.create(
        image=image, revision=1, worker=work.worker, assignment=work, text=text, **changes
    )


def home(sites: Sites, project: Project) -> str:
    return f"{sites.public}{reverse('admin:whoops_project_change', args=[project.pk])}"


def test_image_passes_the_control_group_and_the_reviewers(room: Room, project: Project, sites: Sites) -> None:
    [image] = post(project)
    page = room.sit_down(domain.CONTROL)
    submit(page).click()
    expect(fault(page, "text")).to_contain_text("Write something here")
    page.get_by_label("I see nothing weird").check()
    expect(page.get_by_role("status")).to_have_text("Ready to submit.")
    page.get_by_label("I see nothing weird").uncheck()
    write(page, {"text": "A fish"})
    submit(page).click()
    expect(page.get_by_role("alert")).to_contain_text("at least 3 words")
    write(page, {"text": SAW["text"]})
    room.hand_in(page)
    page = room.sit_down(domain.CONTROL)
    write(page, {"text": "Fish cannot ride bicycles."})
    room.hand_in(page)
    take_control_answers(now=timezone.now())

    staff = room.open_page()
    enter(staff, sites)
    staff.goto(home(sites, project))
    staff.get_by_role("link", name="Compare…").first.click()
    expect(staff.get_by_text(SAW["text"])).to_be_visible()
    staff.keyboard.press("s")
    expect(staff.get_by_text("Fish cannot ride bicycles.")).to_be_visible()
    staff.keyboard.press("w")
    staff.keyboard.type("Just a try.")
    staff.keyboard.press("Escape")
    staff.keyboard.press("n")
    expect(staff.get_by_role("heading", name="All compared")).to_be_visible()
    assert state(image) == "returned"
    staff.keyboard.press("z")
    expect(staff.get_by_text("is before you again")).to_be_visible()
    staff.keyboard.press("s")
    expect(staff.get_by_text("It goes to the reviewers.")).to_be_visible()

    for _ in range(3):
        give_review(image=image, revision=1, is_harmful=False, note="", by=make_user(), now=timezone.now())
    staff.goto(home(sites, project))
    staff.get_by_role("link", name="Review…").first.click()
    expect(staff.get_by_role("heading", name="Image 1: could it hurt somebody?")).to_be_visible()
    staff.keyboard.press("n")
    expect(staff.get_by_text("Image 1 is accepted: nobody found harm in it.")).to_be_visible()
    assert state(image) == "accepted"


def test_control_page_works_without_scripts(room: Room, project: Project) -> None:
    post(project)
    page = room.sit_down(domain.CONTROL, java_script_enabled=False)
    write(page, {"text": SAW["text"]})
    page.get_by_label("I see nothing weird").check()

    submit(page).click()

    expect(page.get_by_role("alert")).to_contain_text("not both")
    expect(entry(page, "text")).to_have_value(SAW["text"])
    expect(page.get_by_label("I see nothing weird")).to_be_checked()
    write(page, {"text": ""})
    submit(page).click()
    expect(page.get_by_role("button", name="Finish submitting")).to_be_visible()
    [answer] = Assignment.objects.values_list("answer", flat=True)
    assert answer is not None
    assert list(answer.values()) == [{"text": "", "nothing": "yes"}]


def test_objection_is_decided_by_a_researcher(page: Page, project: Project, sites: Sites) -> None:
    image = make_image(project, state="review")
    enter(page, sites)
    page.goto(home(sites, project))
    page.get_by_role("link", name="Review…").first.click()
    expect(page.get_by_role("heading", name="Image 1: could it hurt somebody?")).to_be_visible()
    page.wait_for_load_state()  # the script that listens to keys comes last
    page.keyboard.press("c")
    page.keyboard.type("It mocks people.")
    page.get_by_role("button", name="It could hurt").click()
    expect(page.get_by_role("heading", name="Nothing to review")).to_be_visible()

    page.goto(home(sites, project))
    page.get_by_role("link", name="Decide…").first.click()
    expect(page.get_by_text("yes: It mocks people.")).to_be_visible()
    page.get_by_role("link", name="Refuse the image…").click()
    page.get_by_role("button", name="Refuse the image").click()
    expect(page.get_by_text("This field is required.")).to_be_visible()
    page.get_by_label("Reason").fill("Nobody is to be mocked.")
    page.get_by_label("Take its pictures away, too").check()
    page.get_by_role("button", name="Refuse the image").click()

    expect(page.get_by_text("Image 1 is refused.")).to_be_visible()
    image.picture.refresh_from_db()
    assert (state(image), image.picture.status) == ("refused", "removed")


def test_pages_look_right(visitor: Visitor, room: Room, project: Project, sites: Sites) -> None:
    page, admin = visitor.page, f"{sites.public}/admin/whoops"
    be_quiet(page)
    enter(page, sites)
    visitor.visit("weird-images-none", f"{admin}/image/")
    [seen, asked, reviewed] = post(project, images=3)
    address = room.address(domain.CONTROL, items=2)
    visitor.visit("weird-control-preview", preview_of(address))
    visitor.visit("weird-control", address)
    at = home(sites, project).removesuffix("change/")
    visitor.visit("weird-compare-empty", f"{at}compare/")
    visitor.visit("weird-review-empty", f"{at}review/")
    see(asked, "A fish rides a bicycle, and it has no legs.")
    see(seen, "The wheel is square.", seen=False, note="It is round; look again")
    Image.objects.filter(pk=reviewed.pk).update(state="review", designer=make_designer(project, is_paid=True))
    harm = {"revision": 1, "at": timezone.now()}
    Review.objects.create(image=reviewed, by=make_user(), is_harmful=True, note="It mocks people.", **harm)
    visitor.visit("weird-compare", f"{at}compare/")
    visitor.visit("weird-review", f"{at}review/")
    visitor.visit("weird-images", f"{admin}/image/")
    visitor.visit("weird-image", f"{admin}/image/{seen.pk}/change/")
    visitor.visit("weird-image-reviewed", f"{admin}/image/{reviewed.pk}/change/")
    for verb in ("accept", "return", "refuse"):
        visitor.visit(f"weird-image-{verb}", f"{admin}/image/{reviewed.pk}/do/{verb}/")

    assert visitor.problems == {}
