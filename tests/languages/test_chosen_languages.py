"""Visitors choose a language; staff and programs are answered in English."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone, translation

from crowd.marketplace.countries import countries_by_name
from crowd.marketplace.models.emails import EmailAddress
from crowd.marketplace.services import email_addresses
from tests.catalogs.compiling import compile_catalog
from tests.catalogs.entries import Catalog, Entry, Text
from tests.crowd.marketplace.site import signed_in, stranger
from tests.pages import text_of

pytestmark = pytest.mark.django_db
WORDS = {"Sign in": "כניסה", "Settings": "הגדרות", "Log in": "לא לצוות"}
BUTTON = '<button class="link" name="language" value="{code}" lang="{code}"'


@pytest.fixture(autouse=True)
def _hebrew(settings: LazySettings, tmp_path: Path) -> None:
    entries = tuple(Entry(text=Text(one=one), said=(said,)) for one, said in sorted(WORDS.items()))
    catalog = Catalog(language="he", plurals="nplurals=2; plural=(n != 1);", entries=entries)
    path = tmp_path / "he/LC_MESSAGES/django.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(compile_catalog(catalog))
    settings.LOCALE_PATHS = [tmp_path]
    settings.LANGUAGES = [("en", "English"), ("he", "Hebrew")]


def asking(client: Client, path: str, *, language: str = "he") -> Any:
    return client.get(path, headers={"accept-language": language})


def test_a_page_is_in_the_language_of_its_readers_browser_and_runs_in_its_direction() -> None:
    page = asking(stranger(), "/sign-in/")

    assert '<html lang="he" dir="rtl">' in text_of(page)
    assert WORDS["Sign in"] in text_of(page)
    assert {"Accept-Language", "Cookie"} <= set(page["Vary"].split(", "))
    assert '<html lang="en" dir="ltr">' in text_of(asking(stranger(), "/sign-in/", language="fr"))


def test_a_visitor_chooses_among_languages_under_the_names_that_they_have_in_themselves() -> None:
    client = stranger()
    page = text_of(client.get("/sign-in/?next=/work/"))
    assert BUTTON.format(code="en") in page
    assert BUTTON.format(code="he") in page
    assert ">עברית</button>" in page

    answer = client.post("/language/", {"language": "he", "next": "/sign-in/?next=/work/"})

    assert (answer.status_code, answer["Location"]) == (302, "/sign-in/?next=/work/")
    assert '<html lang="he" dir="rtl">' in text_of(client.get("/sign-in/"))
    assert '<html lang="he" dir="rtl">' in text_of(asking(client, "/sign-in/", language="en"))


def test_what_is_not_offered_and_where_others_would_lead_are_not_taken() -> None:
    client = stranger()

    answer = client.post("/language/", {"language": "tlh", "next": "https://elsewhere.example/"})

    assert answer["Location"] == "/"
    assert '<html lang="en" dir="ltr">' in text_of(client.get("/sign-in/"))


def test_what_a_worker_is_mailed_follows_the_choice() -> None:
    browser = signed_in()
    email_addresses.give_address(
        worker=browser.worker, address="one@mail.example", language="en", now=timezone.now()
    )

    browser.client.post("/language/", {"language": "he", "next": "/settings/"})
    browser.client.post("/language/", {"language": "tlh", "next": "/settings/"})

    assert EmailAddress.objects.get().language == "he"
    assert WORDS["Settings"] in text_of(browser.get("/settings/"))


def test_staff_and_programs_are_answered_in_english(client: Client) -> None:
    for client_of_host, path, words in (
        (client, "/admin/login/", "Log in"),
        (client, "/api/studies/", "Authentication credentials were not provided."),
        (stranger(), "/desk/sign-in/", "Sign in"),
    ):
        page = text_of(asking(client_of_host, path))
        assert words in page
        assert not [said for said in WORDS.values() if said in page]


def test_countries_stand_where_readers_look_for_them(settings: LazySettings) -> None:
    settings.LOCALE_PATHS = [settings.BASE_DIR / "config/locale"]
    settings.LANGUAGES = [("en", "English"), ("fr", "French")]
    with translation.override("fr"):
        names = [name for _, name in countries_by_name()]

    assert names.index("Équateur") < names.index("Espagne") < names.index("Zimbabwe")
