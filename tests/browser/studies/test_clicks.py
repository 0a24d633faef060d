"""How many clicks the everyday ways of a researcher take, from the home page on. Typing is not counted."""

from pathlib import Path
from typing import Self

import pytest
from django.utils import timezone
from playwright.sync_api import FilePayload, Locator, Page

from crowd.pictures.models import Picture
from crowd.pictures.services.picture_requests import fulfil_requests
from crowd.pictures.services.preparation import read_pictures
from crowd.winogavil.demo.seeding import Seeded
from hits.identity.roles import RESEARCHER
from hits.studies.models import Batch, Study
from qualifications.services.platform import make_types
from tests.browser.doors import let_in, log_in
from tests.conftest import Sites
from tests.crowd.pictures.images import png
from tests.factories import make_assignment, make_batch, make_hit, make_study
from tests.people import make_member

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


class Counted:
    """A page whose clicks are counted, and the pages that they lead to."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks, self.pages = page, 0, 0
        page.on("framenavigated", self._count)

    def _count(self, frame: object) -> None:
        self.pages += frame == self.page.main_frame

    def click(self, target: Locator) -> Self:
        self.clicks += 1
        target.click()
        return self

    def link(self, name: str) -> Self:
        return self.click(self.page.get_by_role("link", name=name).first)

    def button(self, name: str) -> Self:
        return self.click(self.page.get_by_role("button", name=name).first)


@pytest.fixture
def study(sites: Sites) -> Study:
    return make_study(name="Werewolves")


@pytest.fixture
def counted(page: Page, study: Study, sites: Sites) -> Counted:
    batch = make_batch(study=study, status=Batch.Status.OPEN, title="Guess the word")
    make_assignment(hit=make_hit(batch=batch), status="submitted", submitted_at=timezone.now())
    let_in(page, make_member(RESEARCHER, study), sites=sites)
    page.goto(f"{sites.public}/admin/")
    return Counted(page)


def test_a_study_is_copied_in_three_clicks(counted: Counted) -> None:
    counted.link("Werewolves").link("Copy this study…").button("Copy this study")

    counted.page.get_by_text("The study “Werewolves, copy” is made").wait_for()
    assert counted.clicks == 3


def test_a_batch_is_looked_at_as_its_worker_does_in_two_clicks(counted: Counted) -> None:
    counted.link("Guess the word").link("See it as a worker does")

    counted.page.get_by_role("heading", name="See it as a worker does").wait_for()
    assert counted.clicks == 2


def test_usable_data_are_out_in_three_clicks(counted: Counted) -> None:
    counted.link("Guess the word").link("Export")
    with counted.page.expect_download() as download:
        counted.button("Export")

    assert "is_right" in Path(download.value.path()).read_text().splitlines()[0]
    assert counted.clicks == 3


def test_first_launch_from_nothing_takes_eleven_clicks_and_no_shell(
    page: Page, seeded: Seeded, sites: Sites
) -> None:
    Picture.objects.update(in_pool=False)
    log_in(page, seeded.researcher, sites=sites)
    counted = Counted(page)

    counted.click(page.locator(".model-study").get_by_role("link", name="Add"))
    page.get_by_label("Name:").fill("Werewolves")
    page.get_by_label("Lab:").fill("Lab")
    page.get_by_label("Budget:").fill("100")
    counted.click(page.get_by_label("WinoGAViL: association game")).button("Make the study")
    bring_pictures(counted)
    counted.link("Draw picture sets…")
    page.get_by_label("Pictures in a set").select_option("5")
    page.get_by_label("Number of sets").fill("2")
    counted.button("Draw the sets").link("Launch a batch…")
    counted.button("Make it with these terms, and check it")
    page.get_by_text("is on its way to").wait_for()
    make_types(now=timezone.now())
    page.reload()
    counted.button("Launch")

    page.get_by_text("Launched:").wait_for()
    assert Batch.objects.get(study__name="Werewolves").launched_at is not None
    assert (counted.clicks, counted.pages) == (11, 10)


def bring_pictures(counted: Counted) -> None:
    page = counted.link("Bring pictures in…").page
    page.get_by_label("Files", exact=True).set_input_files(things(12))
    counted.click(page.get_by_label("Every picture has been looked at already"))
    counted.click(page.get_by_role("button", name="Import", exact=True))
    page.get_by_role("heading", name="Import of").wait_for()
    while fulfil_requests(now=timezone.now()):
        pass
    while read_pictures():
        pass


def things(count: int) -> list[FilePayload]:
    """Return pictures that show different things."""
    return [
        {"name": f"thing {chr(97 + number)}.png", "mimeType": "image/png", "buffer": png(seed=number)}
        for number in range(count)
    ]
