"""A worker's e-mail address: given, confirmed by a link, changed and deleted."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.hashers import make_password
from django.utils import timezone

from crowd.marketplace.models import Email, EmailAddress
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services.email_addresses import CONFIRMATION_LIFE, MOST_LINKS
from tests.crowd.marketplace.mailing import ADDRESS, path_in, sent, with_address
from tests.crowd.marketplace.site import Browser, signed_in, stranger, text_of

pytestmark = pytest.mark.django_db
OTHER = "other@example.org"


@pytest.fixture(autouse=True)
def _mail_server(settings: LazySettings) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def give(browser: Browser, address: str = ADDRESS, **fields: str) -> Any:
    return browser.client.post("/settings/email/", {"email": address, **fields})


def link_to(address: str) -> str:
    [letter] = sent()
    assert letter.to == [address]
    return path_in(letter, part="/email/confirm/")


def addresses_of(browser: Browser) -> tuple[str, str]:
    [mine] = EmailAddress.objects.filter(worker=browser.worker).values_list("address", "unconfirmed")
    return mine


def test_an_address_is_confirmed_by_the_link_that_is_sent_there(browser: Browser) -> None:
    answer = give(browser, "Jo@Example.org")
    waiting = addresses_of(browser)
    told = text_of(browser.get(answer["Location"]))

    link = link_to(ADDRESS)
    asked = text_of(stranger().get(link))
    after_a_look = addresses_of(browser)
    confirmed = stranger().post(link)

    assert waiting == after_a_look == ("", ADDRESS)
    assert ("a link is on its way" in told, f"{ADDRESS} is not confirmed yet" in told) == (True, True)
    assert f"{ADDRESS} was given for an account" in asked
    assert (confirmed.status_code, addresses_of(browser)) == (200, (ADDRESS, ""))
    assert "Your address is confirmed" in text_of(stranger().get(link))
    assert f"Confirmed address: {ADDRESS}" in text_of(browser.get("/settings/"))


def test_the_confirmed_address_stays_until_the_new_one_is_confirmed(browser: Browser) -> None:
    with_address(browser.worker)

    give(browser, OTHER)
    before = addresses_of(browser)
    stranger().post(link_to(OTHER))

    assert (before, addresses_of(browser)) == ((ADDRESS, OTHER), (OTHER, ""))


def test_a_link_confirms_no_other_address_than_its_own(browser: Browser) -> None:
    give(browser)
    first = link_to(ADDRESS)
    give(browser, OTHER)
    too_late = stranger().post(first).status_code
    stranger().post(link_to(OTHER))
    give(browser, ADDRESS)

    again = stranger().post(first)
    give(browser, "third@example.org")
    old = stranger().post(first)

    assert (too_late, again.status_code, old.status_code) == (404, 200, 200)
    assert addresses_of(browser) == (ADDRESS, "third@example.org")


def test_a_link_ends_after_three_days(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    give(browser)
    link = link_to(ADDRESS)
    end = Email.objects.get().asked_at + CONFIRMATION_LIFE

    monkeypatch.setattr("crowd.marketplace.clock.now", lambda: end)
    late = stranger().post(link)

    assert (late.status_code, addresses_of(browser)) == (404, ("", ADDRESS))
    assert "This link is not valid" in text_of(late)
    Email.objects.update(sent_at=None)
    assert (sent(now=end), Email.objects.count()) == ([], 0)


def test_a_forged_link_confirms_nothing(browser: Browser) -> None:
    give(browser)
    link = link_to(ADDRESS)

    assert stranger().post(f"{link[:-3]}xx/").status_code == 404
    assert addresses_of(browser) == ("", ADDRESS)


def test_who_has_a_password_proves_it_before_the_address_changes(browser: Browser) -> None:
    """A browser that was left open must be no way to another password."""
    Worker.objects.filter(pk=browser.worker.pk).update(sign_in_name="jo", password=make_password("long word"))

    answers = [give(browser, proof=proof).status_code for proof in ("", "wrong")]
    nothing = EmailAddress.objects.count()
    give(browser, proof="long word")

    assert (answers, nothing, addresses_of(browser)) == ([422, 422], 0, ("", ADDRESS))


@pytest.mark.parametrize(
    "address", ["jo", "jo@", "a@b.org\nBcc: c@d.org", "jo@example.org,x@y.org", "\0@y.org"]
)
def test_what_is_no_address_is_refused(browser: Browser, address: str) -> None:
    assert (give(browser, address).status_code, EmailAddress.objects.count()) == (422, 0)


def test_an_empty_field_deletes_the_address_and_what_waits(browser: Browser) -> None:
    with_address(browser.worker)
    give(browser, OTHER)

    give(browser, "")

    assert (EmailAddress.objects.count(), sent(), Email.objects.count()) == (0, [], 0)


def test_few_links_are_sent_to_one_address_and_by_one_worker(browser: Browser) -> None:
    for _ in range(MOST_LINKS + 1):
        give(browser)
    refused = browser.post("/settings/email/link/")["Location"]
    give(signed_in())

    queued = Email.objects.count()
    Email.objects.update(asked_at=timezone.now() - timedelta(hours=1))
    allowed = browser.post("/settings/email/link/")["Location"]

    assert (refused, queued, allowed) == ("/settings/?saved=enough", MOST_LINKS, "/settings/?saved=sent")


def test_nobody_is_asked_for_an_address_where_nothing_is_sent(
    browser: Browser, settings: LazySettings
) -> None:
    settings.EMAIL_HOST, settings.MARKETPLACE_EMAILS_ARE_FILES = "", False
    without = text_of(browser.get("/settings/"))
    settings.MARKETPLACE_EMAILS_ARE_FILES = True

    assert "E-mail address" not in without
    assert "E-mail address" in text_of(browser.get("/settings/"))
