"""Accounts: what may be changed, what is never shown, and the page that checks an account."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.admin.accounts import SECRETS
from hits.providers.models.accounts import Account, Stranger
from hits.sync.services import account_checks
from tests.factories import NOW, make_account, make_batch
from tests.pages import text_of
from tests.people import sign_in_with
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
SECRET = "planted-secret"


def change_url(account: Account) -> str:
    return reverse("admin:hits_account_change", args=[account.pk])


def form_of(account: Account, **changes: Any) -> dict[str, Any]:
    fields = (
        "name",
        "kind",
        "environment",
        "endpoint",
        "worker_site",
        "access_key_id",
        "fee_schedule",
        "currency",
        "send_rate",
        "notify_by",
        "notify_address",
    )
    return {**{name: getattr(account, name) for name in fields}, **changes}


def test_secrets_are_never_shown_and_stay_when_left_empty(client: Client) -> None:
    sign_in_with(client, "view_account", "change_account")
    account = make_account(secret_access_key=SECRET, ticket_key=f"{SECRET}-ticket")

    page = client.get(change_url(account))
    saved = client.post(change_url(account), form_of(account, name="renamed", **dict.fromkeys(SECRETS, "")))

    assert SECRET not in text_of(page)
    assert saved.status_code == 302
    found = Account.objects.get()
    assert (found.name, found.secret_access_key, found.ticket_key) == ("renamed", SECRET, f"{SECRET}-ticket")


def test_secrets_are_hidden_from_who_may_only_look(client: Client) -> None:
    sign_in_with(client, "view_account")
    account = make_account(secret_access_key=SECRET, ticket_key=f"{SECRET}-ticket")

    page = client.get(change_url(account))

    assert page.status_code == 200
    assert SECRET not in text_of(page)


def test_what_a_launched_batch_stands_on_is_fixed(client: Client) -> None:
    sign_in_with(client, "view_account", "change_account")
    account = make_batch(status="open").account

    client.post(
        change_url(account),
        form_of(
            account, name="renamed", environment="sandbox", endpoint="http://localhost:1", currency="EUR"
        ),
    )

    found = Account.objects.get()
    assert (found.name, found.environment, found.endpoint, found.currency) == (
        "renamed",
        "marketplace",
        account.endpoint,
        "USD",
    )


@pytest.mark.parametrize("allowed", [True, False])
def test_amazons_own_service_needs_the_setting(client: Client, settings: LazySettings, allowed: bool) -> None:
    settings.ALLOW_AMAZON = allowed
    sign_in_with(client, "view_account", "change_account")
    account = make_account()
    amazon = "https://mturk-requester.us-east-1.amazonaws.com"

    page = client.post(change_url(account), form_of(account, endpoint=amazon))

    assert Account.objects.get().endpoint == (amazon if allowed else account.endpoint)
    assert ("CROWD_ALLOW_AMAZON" in text_of(page)) is not allowed


@pytest.mark.parametrize("meant", [True, False])
def test_real_money_needs_a_box_to_be_ticked(client: Client, meant: bool) -> None:
    sign_in_with(client, "view_account", "change_account")
    account = make_account()
    box = {"is_meant": "on"} if meant else {}

    client.post(change_url(account), form_of(account, environment="production", **box))

    assert Account.objects.get().environment == ("production" if meant else "marketplace")


@pytest.mark.parametrize(
    "changes",
    [
        {"currency": "D1"},
        {"notify_by": "sqs"},
        {"notify_by": "none", "notify_address": "http://localhost/queue"},
        {"send_rate": "0"},
        {"endpoint": "ftp://localhost"},
    ],
)
def test_account_that_could_not_work_is_refused(client: Client, changes: dict[str, str]) -> None:
    sign_in_with(client, "view_account", "change_account")
    account = make_account()
    before = Account.objects.values().get()

    page = client.post(change_url(account), form_of(account, **changes))

    assert page.status_code == 200
    assert Account.objects.values().get() == before


def test_running_batches_are_subscribed_anew_once_their_account_hears_in_another_way(client: Client) -> None:
    sign_in_with(client, "view_account", "change_account")
    account = make_account(notify_by="webhook")
    batch = make_batch(account=account, status="open", hit_type_id="TYPE1", notified_at=NOW)

    client.post(change_url(account), form_of(account, name="renamed"))
    batch.refresh_from_db()
    still_known = batch.notified_at
    client.post(
        change_url(account), form_of(account, notify_by="sqs", notify_address="http://localhost/queue")
    )
    batch.refresh_from_db()

    assert Account.objects.get().notify_by == "sqs"
    assert (still_known, batch.notified_at) == (NOW, None)


def test_account_keeps_what_a_sweep_wrote_while_its_form_was_open(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in_with(client, "view_account", "change_account")
    account = make_account()
    form = form_of(account, name="renamed")
    full_clean = Account.full_clean

    def sweep_meanwhile(self: Account, *args: Any, **kwargs: Any) -> None:
        full_clean(self, *args, **kwargs)
        Account.objects.update(surveyed_at=NOW)

    monkeypatch.setattr(Account, "full_clean", sweep_meanwhile)
    client.post(change_url(account), form)

    found = Account.objects.get()
    assert (found.name, found.surveyed_at) == ("renamed", NOW)


def test_strangers_are_counted_on_the_page_and_listed_behind_it(client: Client) -> None:
    sign_in_with(client, "view_account", "view_stranger")
    account = make_account()
    Stranger.objects.create(account=account, external_id="STRANGE1", found_at=NOW, expired_at=NOW)
    Stranger.objects.create(account=account, external_id="STRANGE2", found_at=NOW)

    page = text_of(client.get(change_url(account)))
    listed = client.get(reverse("admin:hits_stranger_changelist"), {"account__id__exact": account.pk})

    assert "2 HITs that no row here knows</a>; 1 not stopped yet." in page
    assert "STRANGE2" in text_of(listed)


def test_check_page_shows_what_is_wrong_and_what_to_do(
    client: Client, turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_checks, "_read_clock", lambda _: NOW)
    turk.faults["list_hits"] = ["before"]
    sign_in_with(client, "view_account")
    account = make_account()

    with CaptureQueriesContext(connection) as queries:
        page = client.get(reverse("admin:hits_account_check", args=[account.pk]))

    findings = {finding.name: finding.ok for finding in page.context["findings"]}
    assert (findings["identity and balance"], findings["reading HITs"]) == (True, False)
    assert "try again" in text_of(page)
    assert len(queries) < 10


def test_check_page_needs_the_view_permission(client: Client, turk: StubbedTurk) -> None:
    sign_in_with(client, "view_batch")

    answer = client.get(reverse("admin:hits_account_check", args=[make_account().pk]))

    assert (answer.status_code, turk.calls) == (403, [])
