import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import models
from django.test import override_settings
from django.utils import translation
from django.utils.text import capfirst
from django.utils.translation import get_language_info
from pytest_django import DjangoDbBlocker

from crowd.plain.models import Description
from crowd.questions.family import AskTask
from crowd.whoops.models import Image
from hits import families
from hits.providers.gateway import registry
from hits.work.models.items import Item
from tests.attacks.answers import send_hostile_answers
from tests.attacks.conftest import own_transactions
from tests.attacks.crawling import Page
from tests.attacks.poison import MIDDLE
from tests.attacks.rows import tables
from tests.attacks.sites import SITES
from tests.attacks.world import make_world
from tests.languages.pseudo import speaking_pseudo
from tests.stubbed import StubbedTurk

# The place of a cell in a described page.
COLUMN = re.compile(r"{{\s*([^}]*?)\s*}}")
# What `send_hostile_answers` types into every field.
HOSTILE = frozenset({MIDDLE})
# Languages are called by the names that they have in themselves.
OF_LANGUAGES = frozenset(capfirst(get_language_info(code)["name_local"]) for code, _ in settings.LANGUAGES)
# Sites that workers see, players and designers among them.
OF_WORKERS = ("worker site", "play", "statement", "workspace", "frames")


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """The pages of workers in the pseudo-language, and every text that is data."""

    pages: Mapping[str, list[Page]]
    data: frozenset[str]


@pytest.fixture(scope="session")
def spoken(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Spoken:
    """The sites' pages, read once since that takes long. Tests of them need no database."""
    media = tmp_path_factory.mktemp("media")
    cache = {"default": {**settings.CACHES["default"], "LOCATION": uuid4().hex, "KEY_PREFIX": uuid4().hex}}
    rates = {"MARKETPLACE_KEY_RATE": 0, "MARKETPLACE_WORKER_RATE": 0}
    with (
        override_settings(MEDIA_ROOT=media, CACHES=cache, **rates),
        django_db_blocker.unblock(),
        own_transactions(),
    ):
        return _read_everything()


def _read_everything() -> Spoken:
    with pytest.MonkeyPatch.context() as patch:
        provider = StubbedTurk().provider
        patch.setattr(registry, "_boto_provider", lambda **_: provider)
        world = make_world()
        with speaking_pseudo():
            sites = {name: SITES[name](world) for name in OF_WORKERS}
            read = {name: site.read() for name, site in sites.items()}
            pages = {name: [page for page in one.pages if page.is_html] for name, one in read.items()}
            answers = send_hostile_answers(sites["frames"].client, read["frames"])
            pages["answers"] = [page for page in answers if page.is_html]
            # In the pseudo-language too: what the program itself adds to a question is no data.
            with translation.override("en"):
                return Spoken(pages=pages, data=frozenset(_texts()) | HOSTILE | OF_LANGUAGES)


def _texts() -> Iterator[str]:
    yield from _texts_of_rows()
    for task in families.registered().values():
        if isinstance(task, AskTask):
            yield from _texts_asked(task)
    for image in Image.objects.all():  # a pair is what a designer wrote, joined as in the data
        yield from (image.normal_pair, image.weird_pair)
    for description in Description.objects.all():  # its preview names the columns instead of their cells
        for text in _texts_in(description.page):
            yield COLUMN.sub(r"[\1]", text)


def _texts_asked(task: AskTask[Any]) -> Iterator[str]:
    """Yield what the questions of a task show, which may be put together from several rows."""
    items = list(Item.objects.filter(task=task.key))
    for asked in [task.practice, *task.asked_by(items).values()]:
        yield from _texts_in(dict(task.shown(asked, seed="")))


def _texts_of_rows() -> Iterator[str]:
    """Yield every text of both databases but for choices, whose words are the program's."""
    for model in tables():
        columns = [
            field.attname
            for field in model._meta.concrete_fields
            if isinstance(field, models.CharField | models.TextField | models.JSONField) and not field.choices
        ]
        for row in model._default_manager.values_list(*columns) if columns else ():
            for value in row:
                yield from _texts_in(value)


def _texts_in(value: Any) -> Iterator[str]:
    if is_dataclass(value):
        value = [getattr(value, one.name) for one in fields(value)]
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for inner in value:
            yield from _texts_in(inner)
    elif isinstance(value, str) and len(value) > 1:
        yield " ".join(value.split())
        yield from (" ".join(line.split()) for line in value.splitlines() if len(line) > 1)
