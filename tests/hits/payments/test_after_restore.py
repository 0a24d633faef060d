from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.common import sweeps
from hits.common.sweeps import Sweep
from hits.core.errors import RuleBroken, StandsStill
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import ROLES
from hits.payments.services import after_restore, paying
from hits.providers.gateway.boto import BotoProvider
from hits.providers.gateway.pacing import Line
from hits.providers.gateway.standstill import begin_epochs
from hits.providers.models.accounts import Account
from hits.providers.models.epochs import Epoch
from tests.factories import NOW, make_account, make_bonus, make_user
from tests.pages import text_of
from tests.people import client_of, make_member
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
PAGE = "/admin/payments/put-back/"


def begin(account: Account, **changes: Any) -> Epoch:
    begin_epochs([account.pk], side=Epoch.Side.OURS, copied_at=NOW - timedelta(hours=1), now=NOW)
    Epoch.objects.filter(account=account).update(**changes)
    return Epoch.objects.get(account=account)


def compared(account: Account, **found: int) -> Epoch:
    return begin(account, surveyed_at=NOW, compared_at=NOW, found=found)


@pytest.mark.parametrize("operation", ["create_hit", "send_bonus", "approve_assignment", "notify_workers"])
def test_a_provider_is_told_nothing_while_its_account_stands_still(operation: str) -> None:
    account = make_account()
    provider = BotoProvider(None, account_id=account.pk)
    begin(account)

    with pytest.raises(StandsStill, match="confirm the comparison"):
        provider._call(operation)


def test_another_account_is_told_all_the_same(turk: StubbedTurk) -> None:
    other = make_account(name="Other")
    begin(make_account())

    BotoProvider(turk, account_id=other.pk).block_worker("A1", reason="Seen.")

    assert turk.calls == ["create_worker_block"]


def test_a_payment_waits_until_a_person_has_confirmed(turk: StubbedTurk) -> None:
    bonus = make_bonus()
    turk.assignments[bonus.assignment.external_id] = {
        "WorkerId": bonus.assignment.worker.external_id,
        "HITId": bonus.assignment.hit.external_id,
    }
    epoch = compared(bonus.assignment.account)

    waited = paying.pay_bonuses(now=NOW)
    after_restore.confirm_epoch(epoch=epoch, by=make_user(is_superuser=True), now=NOW)
    paid = paying.pay_bonuses(now=NOW)

    assert (waited, paid) == (0, 1)


def test_sweeps_that_act_are_not_run_while_every_account_stands_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[str] = []
    sweeps.stand_still_while(after_restore.all_stand_still)  # as the code does that loads the sweeps
    for name, acts in (("test.acts", True), ("test.reads", False)):
        found = Sweep(name=name, run=partial(ran.append, name), rest_s=1, due_at=None, queue="", acts=acts)
        monkeypatch.setitem(sweeps.SWEEPS, name, found)
    account = make_account()

    def run_both() -> list[str]:
        ran.clear()
        tables = sweeps.run("test.acts").tables
        sweeps.run("test.reads")
        assert Epoch._meta.db_table in tables  # so that confirming wakes the sweep
        return list(ran)

    before = run_both()
    epoch = compared(account)
    during = run_both()
    make_account(name="Another, which goes on")
    beside = run_both()
    after_restore.confirm_epoch(epoch=epoch, by=make_user(is_superuser=True), now=NOW)

    assert (before, during, beside, run_both()) == (
        ["test.acts", "test.reads"],
        ["test.reads"],
        ["test.acts", "test.reads"],
        ["test.acts", "test.reads"],
    )


def test_a_comparison_that_nobody_confirmed_begins_anew() -> None:
    account = make_account()
    compared(account, missing=3)

    begin_epochs([account.pk], side=Epoch.Side.OURS, copied_at=None, now=NOW + timedelta(days=1))

    epoch = Epoch.objects.get()
    assert (epoch.compared_at, epoch.found, epoch.began_at) == (None, {}, NOW + timedelta(days=1))


def test_confirm_is_refused_before_the_comparison_is_over_and_a_second_time() -> None:
    epoch, by = begin(make_account()), make_user(is_superuser=True)
    with pytest.raises(RuleBroken, match="not over"):
        after_restore.confirm_epoch(epoch=epoch, by=by, now=NOW)
    epoch = compared(epoch.account)
    after_restore.confirm_epoch(epoch=epoch, by=by, now=NOW)

    with pytest.raises(RuleBroken, match="faster"):
        after_restore.confirm_epoch(epoch=epoch, by=by, now=NOW)

    assert list(AuditEvent.objects.order_by("pk").values_list("kind", flat=True)) == [
        "epoch.begun",
        "epoch.begun",
        "epoch.confirmed",
    ]


def test_an_account_that_cannot_be_used_goes_on_without_a_comparison() -> None:
    account = make_account()
    epoch = begin(account)
    Account.objects.filter(pk=account.pk).update(kind=Account.Kind.WEB)
    epoch.account.refresh_from_db()

    after_restore.confirm_epoch(epoch=epoch, by=make_user(is_superuser=True), now=NOW)

    assert after_restore.open_epochs().count() == 0


def test_page_tells_how_far_it_is_what_was_found_and_what_is_left_to_do(client: Client) -> None:
    client.force_login(make_user(is_superuser=True))
    begin(make_account(name="First"))
    compared(make_account(name="Second"), missing=2, **{"payments: not_listed": 3})

    page = client.get(PAGE).content.decode()

    assert "First (marketplace) stands still." in page
    assert "being read" in page
    assert "that the provider does not have" in page
    assert "Sent by us, and not on the provider&#x27;s list" in page
    assert page.count("Let the account go on") == 1


def test_page_lets_an_account_go_on_once_it_is_ticked(client: Client) -> None:
    by = make_user(is_superuser=True)
    client.force_login(by)
    epoch = compared(make_account())
    address = reverse("admin:hits_epoch_confirm", args=[epoch.pk])

    client.post(address)
    unticked = Epoch.objects.get().confirmed_at
    said = text_of(client.post(address, {"confirmed": "yes"}, follow=True))

    epoch.refresh_from_db()
    assert (unticked, epoch.confirmed_by) == (None, by)
    assert "goes on." in said


@pytest.mark.parametrize("role", ROLES)
def test_only_who_may_stop_payments_may_let_an_account_go_on(role: str) -> None:
    epoch = compared(make_account())
    may = "hits.set_halt" in ROLES[role]
    client = client_of(make_member(role))

    answer = client.post(reverse("admin:hits_epoch_confirm", args=[epoch.pk]), {"confirmed": "yes"})

    assert answer.status_code == (302 if may else 403)
    assert after_restore.open_epochs().exists() is not may


@pytest.mark.parametrize("address", ["/admin/", "/admin/payments/", "/admin/payments/queue/"])
def test_pages_say_that_an_account_stands_still(client: Client, address: str) -> None:
    client.force_login(make_user(is_superuser=True))
    compared(make_account(name="First"))

    assert "First (marketplace) stands still." in text_of(client.get(address))


def test_compare_again_forgets_what_was_found(client: Client) -> None:
    client.force_login(make_user(is_superuser=True))
    epoch = compared(make_account(), missing=1)

    client.post(reverse("admin:hits_epoch_again", args=[epoch.pk]))

    epoch.refresh_from_db()
    assert (epoch.found, epoch.compared_at, epoch.surveyed_at) == ({}, None, None)


def test_both_sides_that_were_put_back_are_one_comparison() -> None:
    account = make_account()
    begin_epochs([account.pk], side=Epoch.Side.OURS, copied_at=NOW - timedelta(hours=1), now=NOW)
    begin_epochs([account.pk], side=Epoch.Side.THEIRS, copied_at=None, now=NOW + timedelta(minutes=1))

    epoch = Epoch.objects.get()

    assert (epoch.side, epoch.copied_at) == (Epoch.Side.BOTH, NOW - timedelta(hours=1))


@pytest.mark.parametrize("in_line", [True, False])
def test_a_provider_that_calls_itself_otherwise_is_not_believed(in_line: bool) -> None:
    account = make_account()
    client = Named()
    line = Line(account_id=account.pk, rate=200, sleep=lambda _: None)
    line_of_others = BotoProvider(client, line=line, account_id=account.pk)
    provider = line_of_others if in_line else BotoProvider(client, account_id=account.pk)
    line_of_others.get_balance()

    client.name = "second"
    with pytest.raises(StandsStill):
        provider.get_balance()

    assert provider.get_balance() == 1
    assert Epoch.objects.get().side == "theirs"


class Named:
    """A provider's client that sends the provider's epoch in a header."""

    name = "first"

    def get_account_balance(self) -> dict[str, Any]:
        return {
            "AvailableBalance": "1",
            "ResponseMetadata": {"HTTPHeaders": {"x-marketplace-epoch": self.name}},
        }
