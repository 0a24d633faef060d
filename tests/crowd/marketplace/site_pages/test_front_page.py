"""What somebody without a session reads first: what this marketplace is, and who runs it."""

import pytest
from django.conf import LazySettings
from django.utils import timezone

from crowd.marketplace.services.workers import say_suspended
from tests.crowd.marketplace.site import Browser, stranger, text_of

pytestmark = pytest.mark.django_db


def test_a_stranger_reads_what_this_is_who_runs_it_and_where_to_sign_in(settings: LazySettings) -> None:
    settings.MARKETPLACE_OPERATOR, settings.MARKETPLACE_CONTACT = "A <lab>", "people@lab.example"

    page = stranger().get("/")

    html = page.content.decode()
    assert page.status_code == 200
    assert "Small tasks, each with its pay" in text_of(page)
    assert "run by <strong>A &lt;lab&gt;</strong>" in html
    assert 'href="mailto:people@lab.example"' in html
    assert [f'href="{path}"' in html for path in ("/sign-in/", "/terms/", "/privacy/", "/register/")] == [
        True,
        True,
        True,
        False,
    ]


def test_where_everybody_may_register_the_first_page_says_so(settings: LazySettings) -> None:
    settings.MARKETPLACE_OPEN_REGISTRATION = True

    assert 'href="/register/"' in stranger().get("/").content.decode()


def test_without_a_name_the_first_page_says_whom_to_ask() -> None:
    text = text_of(stranger().get("/"))

    assert "Ask those who invited you." in text
    assert "run by" not in text


def test_a_worker_who_is_signed_in_finds_work_there(browser: Browser) -> None:
    text = text_of(browser.get("/"))

    assert "Find work" in text
    assert "Small tasks, each with its pay" not in text


@pytest.mark.parametrize("contact", ["", "people@lab.example"])
def test_every_page_that_says_whom_to_ask_names_the_contact(
    browser: Browser, settings: LazySettings, contact: str
) -> None:
    settings.MARKETPLACE_CONTACT, settings.EMAIL_HOST = contact, "mail.example.org"
    browser.worker.country, browser.worker.suspended_at = "PL", timezone.now()
    browser.worker.save()

    pages = [stranger().get(path) for path in ("/sign-in/", "/password/", "/invitation/over/")]
    pages += [
        stranger().post("/password/", {"typed": "jo@example.org"}, follow=True),
        browser.get("/"),
        browser.get("/settings/"),
    ]

    told = [*(text_of(page) for page in pages), say_suspended()]
    assert ["the group that invited you" in one for one in told] == [True] * 7
    here = "Those who run this marketplace are reached here: people@lab.example"
    assert [here in one for one in told] == [bool(contact)] * 7
