"""Workers of one study, each of whom opens a HIT of a task in a page of their own."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from playwright.sync_api import Locator, Page

from hits.core.states import move
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from tests.browser.conftest import OpenPage
from tests.browser.families.test_annotation import be_quiet
from tests.conftest import Sites
from tests.factories import make_account, make_batch, make_hit


class Room:
    def __init__(self, open_page: OpenPage, study: Study, *, sites: Sites) -> None:
        self.open_page = open_page
        self.study = study
        self.sites = sites
        self.account = make_account(worker_site=sites.marketplace, ticket_key="")
        self.workers = 0

    def address(self, task: str, *, items: int = 1) -> str:
        """The address of a HIT that its next worker has accepted, at an endpoint without tickets."""
        batch = make_batch(
            study=self.study,
            account=self.account,
            task=task,
            status="open",
            items_per_assignment=items,
            duration_s=3600,
        )
        return self.address_in(make_hit(batch=batch, sent_at=timezone.now()))

    def address_in(self, hit: HIT) -> str:
        self.workers += 1
        number = self.workers
        return (
            f"{self.sites.public}/q/{hit.public_id}/?assignmentId=A{number}&workerId=W{number}"
            f"&hitId={hit.external_id}&turkSubmitTo={self.sites.marketplace}"
        )

    def sit_down(self, task: str, *, items: int = 1, **options: Any) -> Page:
        page = self.open_page(**options)
        be_quiet(page)
        page.goto(self.address(task, items=items))
        return page

    def hand_in(self, page: Page) -> Assignment:
        """Submit by the button, and record that the platform has received it."""
        submit(page).click()
        page.get_by_text("Handed in").wait_for()
        assignment = Assignment.objects.get(status=Assignment.Status.SAVED)
        assert move(assignment, Assignment.Status.SUBMITTED, submitted_at=timezone.now())
        return assignment


def entry(page: Page, name: str) -> Locator:
    return page.locator(f'[data-entry="{name}"]')


def pick(page: Page, name: str, value: str) -> None:
    page.locator(f'[data-entry="{name}"][value="{value}"]').check()


def write(page: Page, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        entry(page, name).fill(text)


def submit(page: Page) -> Locator:
    return page.get_by_role("button", name="Submit")


def fault(page: Page, name: str) -> Locator:
    return page.locator(f'[data-wrong="{name}"]')
