"""Whoever has a role finds no link, on the pages that they may read, to a page that they may not."""

from importlib import import_module

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from hits.identity.roles import ROLES
from hits.studies.models import Study
from tests import admin_pages
from tests.attacks.crawling import read_site
from tests.attacks.sites import ADMIN
from tests.people import make_member

pytestmark = [pytest.mark.django_db, pytest.mark.pure]


@pytest.mark.parametrize("role", ROLES)
def test_role_finds_no_link_to_what_it_may_not_read(role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Whoever looks at the site before its addresses are loaded gets one with which nothing is registered.
    import_module(ADMIN)
    # The list of all models is half the work of showing a page. Django leaves out what is not permitted.
    monkeypatch.setattr(admin.site, "get_app_list", lambda *_, **__: [])
    admin_pages.fill(hits=8, batches=2, now=timezone.now())
    client = Client(raise_request_exception=False)
    client.force_login(make_member(role, *Study.objects.all()))
    pages = [address for _, address in admin_pages.pages() if client.get(address).status_code == 200]

    reading = read_site(client, urlconf=ADMIN, starts=pages)

    dead = [f"{link}, on {origin}" for link, origin in reading.dead.items() if not _is_of_an_app(link)]
    assert "\n".join(dead) == ""
    assert (len(pages) >= 10, reading.broken) == (True, [])


def _is_of_an_app(link: str) -> bool:
    """Whether it is the list of an app's models, which is empty here."""
    return resolve(link.partition("?")[0], ADMIN).url_name == "app_list"
