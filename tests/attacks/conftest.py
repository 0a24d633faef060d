from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import transaction
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from hits.providers.gateway import registry
from hits.studies.models import Study
from tests.attacks.answers import send_hostile_answers
from tests.attacks.columns import SHORTER, SPARED
from tests.attacks.crawling import Page, Reading
from tests.attacks.downloads import Download, take_downloads
from tests.attacks.exports import take_exports, take_release
from tests.attacks.poison import poison_tables
from tests.attacks.sites import SITES
from tests.attacks.world import make_world
from tests.attacks.wrong_forms import WrongForm, send_wrong_forms
from tests.stubbed import StubbedTurk


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Everything that the sites have shown of a world whose every text is hostile."""

    # Number of rows that hold such a text, by column; and tables that have no row.
    columns: Mapping[str, int]
    empty: list[str]
    sites: Mapping[str, Reading]
    downloads: list[Download]
    # Forms of the admin with a wrong field.
    wrong_forms: list[WrongForm]
    # Pages that answered workers' hostile answers.
    answers: list[Page]


@pytest.fixture(scope="session")
def seen(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Seen:
    """The sites' pages, read once since that takes long. Tests of them need no database."""
    media = tmp_path_factory.mktemp("media")
    cache = {"default": {**settings.CACHES["default"], "LOCATION": uuid4().hex, "KEY_PREFIX": uuid4().hex}}
    rates = {"MARKETPLACE_KEY_RATE": 0, "MARKETPLACE_WORKER_RATE": 0}
    with (
        override_settings(MEDIA_ROOT=media, CACHES=cache, **rates),
        django_db_blocker.unblock(),
        own_transactions(),
    ):
        return read_everything(tmp_path_factory.mktemp("exports"))


def read_everything(folder: Path) -> Seen:
    with pytest.MonkeyPatch.context() as patch:
        provider = StubbedTurk().provider
        patch.setattr(registry, "_boto_provider", lambda **_: provider)
        world = make_world()
        columns = poison_tables(spared=SPARED, shorter=SHORTER)
        sites = {name: open_site(world) for name, open_site in SITES.items()}
        read = {name: site.read() for name, site in sites.items()}
        downloads = [one for name, site in sites.items() for one in take_downloads(site.client, read[name])]
        downloads += [*take_exports(folder), *take_release(Study.objects.order_by("pk")[0])]
        admin = sites["admin"]
        wrong_forms = send_wrong_forms(admin.client, read["admin"], urlconf=admin.urlconf)
        answers = list(send_hostile_answers(sites["frames"].client, read["frames"]))
        return Seen(
            answers=answers,
            columns=columns,
            empty=world.empty,
            sites=read,
            downloads=downloads,
            wrong_forms=wrong_forms,
        )


@contextmanager
def own_transactions() -> Iterator[None]:
    """Open transactions in both databases, and roll them back at the end."""
    with transaction.atomic(), transaction.atomic(using="marketplace"):
        yield
        for alias in ("default", "marketplace"):
            transaction.set_rollback(True, using=alias)
