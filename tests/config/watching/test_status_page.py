"""The status page says what is late, why and what to do, to those who keep the installation alone."""

from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from config.watching import late
from hits.common.watching import row_gauges
from hits.common.watching.row_gauges import FAILED, OLDEST, WAITING, read_gauges
from hits.providers.gateway.standstill import begin_epochs
from hits.providers.models.accounts import Pace
from hits.providers.models.epochs import Epoch
from scoring.models import PendingQuery
from tests.factories import make_account, make_assignment, make_bonus
from tests.pages import text_of
from tests.people import sign_in_with
from tests.scoring.fakes import FakeRival
from tests.scoring.test_asking import ask

pytestmark = pytest.mark.django_db(databases=["default", "marketplace"])
HOUR = timedelta(hours=1)


def names_in_trouble() -> set[str]:
    return {one.name for one in late.find_late(read_gauges(now=timezone.now())) if not one.ok}


@pytest.mark.parametrize("query", ["", "?fragment"])
def test_status_is_for_those_who_keep_the_installation(client: Client, query: str) -> None:
    sign_in_with(client, "view_account", "view_batch", "view_bonus")
    others = client.get(f"/admin/status/{query}")
    home_of_others = client.get("/admin/")
    sign_in_with(client, "add_account")
    page, home = client.get(f"/admin/status/{query}"), client.get("/admin/")

    assert (others.status_code, page.status_code) == (403, 200)
    assert "/admin/status/" not in home_of_others.content.decode()
    assert 'href="/admin/status/"' in home.content.decode()


def test_a_stuck_queue_is_told_with_what_to_do(client: Client, fake: type[FakeRival]) -> None:
    sign_in_with(client, "add_account")
    before = text_of(client.get("/admin/status/?fragment"))
    ask(make_assignment())
    PendingQuery.objects.update(asked_at=timezone.now() - HOUR, is_urgent=True)

    after = text_of(client.get("/admin/status/?fragment"))

    assert "1 wait, the first" not in before
    assert "Questions to a rival for which a worker waits" in after
    assert "1 wait, the first for 60 minutes" in after
    assert "Look whether a process runs that takes the queue rival" in after


def test_each_kind_of_trouble_is_found() -> None:
    account = make_account()
    before = names_in_trouble()
    Pace.objects.create(account=account, free_at=timezone.now(), silent_since=timezone.now() - HOUR)
    begin_epochs([account.pk], side=Epoch.Side.OURS, copied_at=None, now=timezone.now())
    make_bonus(status="unknown")
    make_assignment(status="submitted", submitted_at=timezone.now() - HOUR, answer={"a": 1})

    assert before == set()
    assert names_in_trouble() == {"accounts", "restored data", "payments", "submitted work to be judged"}


def test_a_database_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(now: object) -> None:
        raise DatabaseError

    read_gauges(now=timezone.now())
    monkeypatch.setitem(row_gauges._readers, "money", fail)

    [finding] = [one for one in late.find_late(read_gauges(now=timezone.now())) if one.name == "gauges"]
    assert finding.saw == "not read: money"


def test_every_queue_that_is_read_has_its_words_and_its_limit() -> None:
    found = read_gauges(now=timezone.now()).found

    assert {name for (name,) in found[WAITING]} == late.QUEUES.keys()
    assert found[OLDEST].keys() == found[WAITING].keys()
    assert FAILED not in found
