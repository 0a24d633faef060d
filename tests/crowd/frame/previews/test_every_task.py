"""The preview of every task there is: it opens, is answered, and leaves every table as it was."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from django.apps import apps
from django.test import Client, override_settings
from pytest_django import DjangoDbBlocker

from crowd.whoops.domain import DESIGN
from crowd.winogavil.domain import CREATE, CREATOR_TEST
from hits import families
from hits.studies.models import Batch
from tests.attacks.conftest import own_transactions
from tests.attacks.world import make_world
from tests.crowd.frame.previews.asking import ANSWERED, Looking, make_draft
from tests.factories import make_user

pytestmark = pytest.mark.django_db
TASKS = sorted(families.registered())
# Their answers are words that were put to the model before.
PUTTING = {CREATE: 2, CREATOR_TEST: 10}
Tables = Mapping[str, list[str]]


@dataclass(frozen=True, kw_only=True)
class Drafts:
    """A draft of each task, a researcher who looks at it, and every row as it was before."""

    of: Mapping[str, Batch]
    client: Client
    before: Tables


@pytest.fixture(scope="module")
def drafts(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Drafts]:
    """Made once, since it takes seconds: no test changes a row."""
    media = tmp_path_factory.mktemp("media")
    with override_settings(MEDIA_ROOT=media), django_db_blocker.unblock(), own_transactions():
        make_world()
        batches = {task: make_draft(task) for task in TASKS}
        client = Client()
        client.force_login(make_user(is_superuser=True))
        yield Drafts(of=batches, client=client, before=tables())


def tables() -> Tables:
    """Every row of every table, by the table's name."""
    models = [model for model in apps.get_models() if model._meta.app_label != "marketplace"]
    return {model._meta.label: sorted(map(repr, model._base_manager.values_list())) for model in models}


def hand_in(look: Looking) -> Any:
    words = PUTTING.get(look.batch.task, 0)
    return look.answer(token=look.put(words)) if words else look.answer_somehow()


@pytest.mark.parametrize("task", TASKS)
def test_looking_asking_and_handing_in_leave_every_table_as_it_was(task: str, drafts: Drafts) -> None:
    look = Looking(drafts.client, drafts.of[task])

    said = {name: look.send(name).status_code for name in ("ask", "verdict", "report", "beat")}
    page = hand_in(look)

    assert look.page.status_code == 200
    assert b"Answers are thrown away." in look.page.content
    assert b"/statement/" not in look.page.content  # of a worker who is gone with the page
    assert said == {"ask": 200 if task in PUTTING else 400, "verdict": 404, "report": 200, "beat": 204}
    if task == DESIGN:  # its images are sent in the workspace, which no preview opens
        assert b"You have not sent an image yet" in page.content
    else:
        assert (page.status_code, page.templates[0].name) == (200, ANSWERED)
    assert tables() == drafts.before
