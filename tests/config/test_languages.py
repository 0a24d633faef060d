"""A study's pages are offered in English, and in each language that has a catalog of its own."""

from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.test import Client
from django.urls import reverse

from config.languages import find_languages
from hits.studies.models import Study
from tests.factories import make_study
from tests.hits.admin.test_admin_pages import study_form
from tests.hits.calling import notebook
from tests.pages import text_of
from tests.people import sign_in_with


def test_english_is_offered_where_there_is_no_catalog(tmp_path: Path) -> None:
    assert list(find_languages(tmp_path)) == [("en", "English")]


def test_a_compiled_catalog_adds_its_language(tmp_path: Path) -> None:
    for code, name in (
        ("de", "django.mo"),
        ("pt_BR", "django.mo"),
        ("fr", "django.po"),
        ("tlh", "django.mo"),
    ):
        catalog = tmp_path / code / "LC_MESSAGES" / name
        catalog.parent.mkdir(parents=True)
        catalog.touch()

    offered = list(find_languages(tmp_path))

    assert offered == [
        ("en", "English"),
        ("de", "German"),
        ("pt-br", "Brazilian Portuguese"),
        ("tlh", "tlh"),
    ]


def test_only_languages_with_a_catalog_are_offered() -> None:
    assert settings.LANGUAGES == [
        ("en", "English"),
        ("de", "German"),
        ("es", "Spanish"),
        ("fr", "French"),
        ("he", "Hebrew"),
        ("zh-hans", "Simplified Chinese"),
    ]


@pytest.mark.django_db
def test_a_study_is_set_to_a_language_that_is_offered(client: Client) -> None:
    sign_in_with(client, "view_study", "change_study", "see_all_studies")
    address = reverse("admin:hits_study_settings", args=[make_study().pk])

    page = text_of(client.get(address))
    refused = text_of(client.post(address, study_form(language="tlh")))

    assert '<option value="en" selected>English</option>' in page
    assert "Select a valid choice. tlh is not one of the available choices." in refused
    assert Study.objects.get().language == "en"


@pytest.mark.django_db
def test_the_api_says_which_languages_are_offered() -> None:
    study = make_study()
    held = notebook("view_study", "change_study", sees=[study])

    answer = held.patch(f"studies/{study.public_id}/", {"language": "tlh"})

    words = "Workers' pages are not translated into tlh. Offered: en (English), de (German), "
    assert (answer.status_code, words in text_of(answer)) == (400, True)
    assert Study.objects.get().language == "en"


@pytest.mark.django_db
def test_studies_of_other_languages_are_said_to_be_in_english_as_their_pages_were() -> None:
    for language in ("en", "de", "zh-hans"):
        make_study(language=language)

    migration = import_module("hits.migrations.0002_studies_in_a_language_of_their_pages")
    migration.say_english(apps, None)

    assert set(Study.objects.values_list("language", flat=True)) == {"en"}
