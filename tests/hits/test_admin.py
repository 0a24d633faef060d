"""The researchers' and payments staff's pages: who may do what, and what they show."""

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from kombu.exceptions import OperationalError

from hits.admin.accounts import SECRETS
from hits.admin.parts import in_words
from hits.models import Account, Batch, Bonus
from tests.factories import (
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_bonus,
    make_study,
    make_user,
)
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
SECRET = "planted-secret"


@pytest.fixture(autouse=True)
def _memory_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nudges go nowhere: each test calls what the background would do."""
    for task in ("hits.admin.studies.launch_batches", "hits.admin.bonuses.pay_bonuses"):
        monkeypatch.setattr(f"{task}.delay", lambda: None)


def sign_in(client: Client, *permissions: str) -> None:
    user = make_user()
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client.force_login(user)


def make_draft() -> Batch:
    study = make_study()
    make_association(study=study)
    return make_batch(study=study)


def launch_url(batch: Batch) -> str:
    return reverse("admin:hits_batch_launch", args=[batch.pk])


def test_launch_page_shows_cost_and_balance(client: Client, turk: StubbedTurk) -> None:
    sign_in(client, "launch_batch", "view_batch")
    batch = make_draft()

    page = client.get(launch_url(batch))

    assert page.context["cost"].total == Decimal("0.12")
    assert page.context["balance"] == Decimal(100)
    assert "Launch 1 HIT" in page.content.decode()


def test_launch_page_is_useful_without_the_provider(client: Client, turk: StubbedTurk) -> None:
    sign_in(client, "launch_batch", "view_batch")
    turk.faults["get_account_balance"] = ["before"]

    page = client.get(launch_url(make_draft()))

    assert page.status_code == 200
    assert "balance could not be read" in page.content.decode()


def test_launch_launches_once(client: Client, turk: StubbedTurk) -> None:
    sign_in(client, "launch_batch", "view_batch")
    batch = make_draft()

    first = client.post(launch_url(batch), follow=True)
    second = client.post(launch_url(batch), follow=True)

    assert "Launched: 1 HIT" in first.content.decode()
    assert "has been launched already" in second.content.decode()
    assert batch.hits.count() == 1


def test_launch_with_the_broker_down_is_only_slower(
    client: Client, turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down() -> None:
        raise OperationalError

    monkeypatch.setattr("hits.admin.studies.launch_batches.delay", down)
    sign_in(client, "launch_batch", "view_batch")
    batch = make_draft()

    page = client.post(launch_url(batch), follow=True)

    assert "Launched: 1 HIT" in page.content.decode()
    assert Batch.objects.get().status == Batch.Status.LAUNCHING


def test_launch_without_permission_can_be_looked_at_and_not_done(client: Client, turk: StubbedTurk) -> None:
    sign_in(client, "view_batch", "change_batch", "add_batch")
    batch = make_draft()

    looked, done = client.get(launch_url(batch)), client.post(launch_url(batch))

    assert (looked.status_code, done.status_code) == (200, 403)
    assert "Launch 1 HIT" not in looked.content.decode()
    assert (batch.hits.count(), Batch.objects.get().status) == (0, Batch.Status.DRAFT)


def test_launch_page_without_any_permission_is_refused(client: Client) -> None:
    sign_in(client, "view_study")

    assert client.get(launch_url(make_draft())).status_code == 403


def test_terms_of_a_launched_batch_cannot_be_changed(client: Client) -> None:
    sign_in(client, "view_batch", "change_batch")
    batch = make_batch(status="open")
    before = Batch.objects.values().get()

    client.post(reverse("admin:hits_batch_change", args=[batch.pk]), {"reward": "9.99", "title": "other"})

    assert Batch.objects.values().get() == before


def test_secrets_of_an_account_are_never_shown_and_stay_when_left_empty(client: Client) -> None:
    sign_in(client, "view_account", "change_account")
    account = make_account(secret_access_key=SECRET, ticket_key=f"{SECRET}-ticket")
    address = reverse("admin:hits_account_change", args=[account.pk])

    page = client.get(address)
    form: Any = page.context["adminform"].form
    values = {name: form.initial[name] for name in form.fields if name not in SECRETS}
    saved = client.post(address, {**values, "name": "renamed", "secret_access_key": "", "ticket_key": ""})

    assert SECRET not in page.content.decode()
    assert saved.status_code == 302
    found = Account.objects.get()
    assert (found.name, found.secret_access_key, found.ticket_key) == ("renamed", SECRET, f"{SECRET}-ticket")


def test_secrets_of_an_account_are_hidden_from_who_may_only_look(client: Client) -> None:
    sign_in(client, "view_account")
    account = make_account(secret_access_key=SECRET, ticket_key=f"{SECRET}-ticket")

    page = client.get(reverse("admin:hits_account_change", args=[account.pk]))

    assert page.status_code == 200
    assert SECRET not in page.content.decode()


@pytest.mark.parametrize("requirements", ["", "null", "[]"])
def test_emptied_requirements_are_an_empty_list(client: Client, requirements: str) -> None:
    sign_in(client, "view_batch", "change_batch")
    batch = make_draft()
    address = reverse("admin:hits_batch_change", args=[batch.pk])
    form: Any = client.get(address).context["adminform"].form
    values = {name: form.initial[name] for name in form.fields}

    client.post(address, {**values, "title": "Changed", "requirements": requirements})

    found = Batch.objects.get()
    assert (found.title, found.requirements) == ("Changed", [])


def test_provider_ids_of_workers_are_shown_on_no_page(client: Client) -> None:
    client.force_login(make_user(is_superuser=True))
    assignment = make_assignment()
    planted = assignment.worker.external_id
    make_bonus(assignment=assignment)
    models = ("worker", "assignment", "bonus", "hit")

    pages = [client.get(reverse(f"admin:hits_{model}_changelist")) for model in models]
    pages += [
        client.get(reverse("admin:hits_worker_change", args=[assignment.worker.pk])),
        client.get(reverse("admin:hits_assignment_change", args=[assignment.pk])),
        client.get(reverse("admin:hits_assignment_work", args=[assignment.pk])),
    ]

    assert [page.status_code for page in pages] == [200] * len(pages)
    assert [planted in page.content.decode() for page in pages] == [False] * len(pages)


def test_work_page_needs_the_view_permission(client: Client) -> None:
    sign_in(client, "view_batch")
    assignment = make_assignment()

    page = client.get(reverse("admin:hits_assignment_work", args=[assignment.pk]))

    assert page.status_code == 403


@pytest.mark.parametrize(
    ("permissions", "status"),
    [(("view_bonus", "approve_bonus"), Bonus.Status.APPROVED), (("view_bonus",), Bonus.Status.OWED)],
)
def test_bonuses_are_approved_by_who_may(
    client: Client, permissions: tuple[str, ...], status: Bonus.Status
) -> None:
    sign_in(client, *permissions)
    bonus = make_bonus(status="owed")

    client.post(reverse("admin:hits_bonus_changelist"), {"action": "approve", "_selected_action": [bonus.pk]})

    assert Bonus.objects.get().status == status


@pytest.mark.parametrize("model", ["batch", "assignment", "bonus", "hit", "worker"])
def test_lists_ask_as_often_for_many_rows_as_for_few(client: Client, model: str) -> None:
    client.force_login(make_user(is_superuser=True))
    address = reverse(f"admin:hits_{model}_changelist")
    counts = []
    for _ in range(2):
        for _ in range(3):
            make_bonus()
        with CaptureQueriesContext(connection) as queries:
            client.get(address)
        counts.append(len(queries))

    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(30, "30 seconds"), (900, "15 minutes"), (604_800, "1 week"), (31_536_000, "1 year")],
)
def test_in_words_names_the_largest_units(seconds: int, words: str) -> None:
    assert in_words(seconds).replace("\xa0", " ") == words
