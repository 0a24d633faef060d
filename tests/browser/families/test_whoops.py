"""Weird images in a real browser: from a designer's link to judgments, by different people."""

import struct
import zlib
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.pictures.models import Original
from crowd.whoops import domain
from crowd.whoops.annotate.services.collected_annotations import take_annotations
from crowd.whoops.annotate.services.posting_annotations import post_annotations
from crowd.whoops.control.services.control_answers import take_control_answers
from crowd.whoops.control.services.posting_control import post_control
from crowd.whoops.models import Annotation, Category, Designer, Image, Project
from crowd.whoops.models.judged_items import Option, Question
from hits.work.models.leases import Lease
from scoring.models import Score
from scoring.services.score_recording import judge_submitted
from tests.browser.conftest import OpenPage
from tests.browser.doors import enter
from tests.browser.families.test_annotation import be_quiet
from tests.browser.sitting import Room, entry, fault, submit, write
from tests.conftest import Sites
from tests.crowd.pictures.images import png
from tests.factories import make_study

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
WHY = "A fish needs water, and a cage holds none."
TEXTS = {
    "What would be normal": "a bird",
    "What it goes with": "a cage",
    "What stands there instead": "a fish",
    "Why it is weird, in one sentence": WHY,
    "Prompt": "a fish in a cage, drawing",
    "Made with": "own drawing",
}


@pytest.fixture
def room(open_page: OpenPage, sites: Sites) -> Room:
    return Room(open_page, make_study(), sites=sites)


@pytest.fixture
def project(room: Room) -> Project:
    Category.objects.get_or_create(name="Biological")
    rules = {"control_wanted": 2, "control_needed": 1, "reviews_wanted": 1, "annotations_wanted": 1}
    return Project.objects.create(study=room.study, judges_wanted=1, **rules)


class Desk:
    """The page of a researcher who may do everything."""

    def __init__(self, room: Room, project: Project) -> None:
        self.page = room.open_page()
        self._home = f"{room.sites.public}{reverse('admin:whoops_project_change', args=[project.pk])}"
        be_quiet(self.page)
        enter(self.page, room.sites)

    def go(self, link: str) -> Page:
        """Follow a link on the page of the project."""
        self.page.goto(self._home)
        self.page.get_by_role("link", name=link).first.click()
        return self.page


def invite(desk: Desk) -> str:
    page = desk.go("Invite a designer")
    page.get_by_label("Name", exact=True).fill("designer one")
    page.locator("#content form button.default").click()
    return page.locator("#designer-link").input_value()


def bomb() -> bytes:
    """A valid picture of two hundred million pixels in a few kilobytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    width, height = 20_000, 10_000
    black = zlib.compress(bytes((width // 8 + 1) * height), 9)
    heading = struct.pack(">II5B", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", heading) + chunk(b"IDAT", black) + chunk(b"IEND", b"")


def hostile_files() -> dict[str, tuple[bytes, str]]:
    """Files that must be refused, each with a word of the reason."""
    return {
        "bomb.png": (bomb(), "pixels"),
        "script.svg": (b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "SVG"),
        "polyglot.png": (png(seed=5) + b"PK\x03\x04<script>alert(1)</script>", "more than"),
        "truncated.png": (png(seed=5)[:200], "damaged"),
    }


def send_an_image(page: Page, folder: Path) -> None:
    """Send an image after everything that is refused; the typed texts stay all the time."""
    page.get_by_role("main").get_by_role("link", name="New image").click()
    for label, text in TEXTS.items():
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_label("What kind of common sense").select_option(index=1)
    expect(page.locator("[data-pair]")).to_contain_text("“a bird with a cage” became “a fish with a cage”.")
    send = page.get_by_role("button", name="Send the image to the control group")
    for name, (content, why) in hostile_files().items():
        file = folder / name
        file.write_bytes(content)
        page.get_by_label("Picture", exact=True).set_input_files(file)
        send.click()
        expect(page.get_by_role("alert")).to_contain_text(why)
        expect(page.get_by_label("Prompt")).to_have_value(TEXTS["Prompt"])
    assert not Image.objects.exists()
    assert not Original.objects.exists()

    file = folder / "fish.png"
    file.write_bytes(png(seed=6))
    page.get_by_label("Picture", exact=True).set_input_files(file)
    send.click()
    page.wait_for_url(lambda url: "said=sent" in url)


def test_an_image_walks_from_its_designer_to_its_judges(room: Room, project: Project, tmp_path: Path) -> None:
    desk = Desk(room, project)
    link = invite(desk)
    designer = room.open_page()
    be_quiet(designer)
    designer.goto(link)
    send_an_image(designer, tmp_path)
    image = Image.objects.get()

    post_control(now=timezone.now())
    page = room.sit_down(domain.CONTROL)
    assert WHY not in page.content()
    assert "a fish" not in page.content()
    submit(page).click()
    expect(fault(page, "text")).not_to_be_empty()
    write(page, {"text": "This fish has no water in its cage."})
    room.hand_in(page)
    page = room.sit_down(domain.CONTROL)
    entry(page, "nothing").check()
    room.hand_in(page)
    take_control_answers(now=timezone.now())

    page = desk.go("Compare…")
    expect(page.get_by_text("This fish has no water in its cage.")).to_be_visible()
    page.get_by_role("button", name="The same", exact=False).first.click()
    page.get_by_role("heading", name="All compared").wait_for()
    image.refresh_from_db()
    assert image.state == Image.State.REVIEW

    page = desk.go("Review…")
    page.get_by_role("button", name="No harm").click()
    page.get_by_role("heading", name="Nothing to review").wait_for()
    image.refresh_from_db()
    assert image.state == Image.State.ACCEPTED
    designer.goto(link)
    expect(designer.locator("li.beside")).to_contain_text("Accepted")

    annotate(room)
    judge(room, desk, image)

    page = desk.go("See the statistics")
    expect(page.get_by_role("heading", name="Explanations").first).to_be_visible()
    assert Lease.objects.values("worker").distinct().count() == 4


def annotate(room: Room) -> None:
    post_annotations(now=timezone.now())
    page = room.sit_down(domain.ANNOTATE)
    write(page, {"caption": "a fish swims in a cage", "explanation": "Fish live in water and not in cages."})
    write(page, {"underspecified": "a fish swims in a cage"})
    submit(page).click()
    expect(fault(page, "underspecified")).not_to_be_empty()
    write(page, {"underspecified": "an animal is in a cage"})
    room.hand_in(page)
    take_annotations(now=timezone.now())
    assert Annotation.objects.get().state == Annotation.State.COUNTED


def judge(room: Room, desk: Desk, image: Image) -> None:
    """Import, list and judge explanations of people and of a model, which do not show whose they are."""
    page = desk.go("Import models")
    lines = ["image,explanation,source", f'{image.number},"It is unusual, as one can see.",parrot']
    page.locator("input[type=file]").set_input_files(
        {"name": "models.csv", "mimeType": "text/csv", "buffer": "\n".join(lines).encode()}
    )
    page.get_by_role("button", name="Read the file").click()
    page.get_by_role("button", name="Import 1").click()
    page = desk.go("Make lists")
    page.get_by_role("button", name="Make the list").click()
    question = Question.objects.get(kind=Question.Kind.EXPLAIN)
    assert Option.objects.filter(question=question).count() == 3

    page = room.sit_down(domain.EXPLAIN)
    assert "parrot" not in page.content()
    assert "designer" not in page.content()
    submit(page).click()
    expect(fault(page, "marked")).to_contain_text("Mark every good explanation")
    page.get_by_label(WHY).check()
    page.get_by_label("Fish live in water and not in cages.").check()
    room.hand_in(page)
    judge_submitted(now=timezone.now())

    votes = {
        option.source: Score.objects.get(item=question.item, measure=option.measure).numerator
        for option in question.options.all()
    }
    assert votes == {"designer": 1, "people": 1, "parrot": 0}


def test_a_link_that_was_tampered_with_leads_nowhere(room: Room, project: Project) -> None:
    link = invite(Desk(room, project))
    page = room.open_page()
    page.goto(link)
    expect(page.get_by_role("heading", name="Your images")).to_be_visible()

    Designer.objects.update(link_number=2)
    answer = page.goto(link)

    assert answer is not None
    assert answer.status in {403, 404, 410}
    expect(page.get_by_role("link", name="New image")).to_have_count(0)
