from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import PAYMENTS_APPROVER, PAYMENTS_PREPARER, RESEARCHER, ROLES
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Halt
from hits.payments.services import kill_switch, paying
from tests.factories import NOW, make_account, make_assignment, make_batch, make_bonus, make_user
from tests.pages import text_of
from tests.people import make_permitted, sign_in
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
MAY = [name for name, permissions in ROLES.items() if "hits.set_halt" in permissions]


def everything() -> list[Any]:
    return [list(table._default_manager.order_by("pk").values()) for table in (Halt, Bonus, AuditEvent)]


@pytest.mark.parametrize("everywhere", [True, False])
def test_halt_stops_the_next_payment_and_lifting_it_lets_it_go(turk: StubbedTurk, everywhere: bool) -> None:
    bonus = make_bonus()
    account = bonus.assignment.account
    by = make_user(is_superuser=True)
    turk.assignments[bonus.assignment.external_id] = {
        "WorkerId": bonus.assignment.worker.external_id,
        "HITId": bonus.assignment.hit.external_id,
    }

    halt = kill_switch.halt_payments(
        account=None if everywhere else account, reason="Odd sums", by=by, now=NOW
    )
    stopped = paying.pay_bonuses(now=NOW)
    kill_switch.lift_halt(halt=halt, by=by, now=NOW)
    paid = paying.pay_bonuses(now=NOW)

    assert (stopped, paid, turk.calls) == (0, 1, ["send_bonus"])
    assert list(AuditEvent.objects.order_by("pk").values_list("kind", flat=True)) == [
        "halt.set",
        "halt.lifted",
    ]


def test_halt_in_the_middle_of_a_run_stops_all_but_what_is_on_its_way(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = make_assignment(status="approved")
    turk.assignments[work.external_id] = {"WorkerId": work.worker.external_id, "HITId": work.hit.external_id}
    for rule in ("one", "two", "three"):
        make_bonus(assignment=work, rule=rule)
    send = turk.provider.send_bonus

    def send_and_stop(**request: Any) -> None:
        send(**request)
        kill_switch.halt_payments(account=None, reason="Stop", by=None, now=NOW)

    monkeypatch.setattr(turk.provider, "send_bonus", send_and_stop)

    paid = paying.pay_bonuses(now=NOW)

    assert (paid, len(turk.bonuses)) == (1, 1)
    assert sorted(Bonus.objects.values_list("status", flat=True)) == ["approved", "approved", "sent"]


def test_halt_of_one_account_leaves_the_others(turk: StubbedTurk) -> None:
    bonus = make_bonus()
    turk.assignments[bonus.assignment.external_id] = {
        "WorkerId": bonus.assignment.worker.external_id,
        "HITId": bonus.assignment.hit.external_id,
    }
    kill_switch.halt_payments(account=make_account(), reason="Stop", by=None, now=NOW)

    assert paying.pay_bonuses(now=NOW) == 1


def test_what_was_sent_is_confirmed_while_payments_are_stopped(turk: StubbedTurk) -> None:
    bonus = make_bonus()
    work = bonus.assignment
    turk.assignments[work.external_id] = {"WorkerId": work.worker.external_id, "HITId": work.hit.external_id}
    paying.pay_bonuses(now=NOW)
    kill_switch.halt_payments(account=None, reason="Stop", by=None, now=NOW)

    confirmed = paying.confirm_bonuses(now=NOW)

    assert confirmed == 1


def test_payments_are_stopped_once_and_let_go_once() -> None:
    by = make_user(is_superuser=True)
    halt = kill_switch.halt_payments(account=None, reason="Stop", by=by, now=NOW)

    with pytest.raises(RuleBroken, match="stopped already"):
        kill_switch.halt_payments(account=None, reason="Stop", by=by, now=NOW)
    kill_switch.lift_halt(halt=halt, by=by, now=NOW)
    with pytest.raises(RuleBroken, match="already"):
        kill_switch.lift_halt(halt=halt, by=by, now=NOW)

    assert Halt.objects.count() == 1
    assert AuditEvent.objects.count() == 2


@pytest.mark.parametrize("role", list(ROLES))
def test_role_stops_payments_and_lets_them_go_on_only_if_it_includes_it(client: Client, role: str) -> None:
    old = kill_switch.halt_payments(account=make_account(), reason="Old", by=None, now=NOW)
    sign_in(client, role)
    before = everything()

    stop = client.post(reverse("admin:hits_halts"), {"account": "", "reason": "Odd", "confirmed": "on"})
    lift = client.post(reverse("admin:hits_halt_lift", args=[old.pk]), {"confirmed": "yes"})

    assert [stop.status_code, lift.status_code] == ([302, 302] if role in MAY else [403, 403])
    assert (everything() == before) == (role not in MAY)
    assert Halt.objects.filter(lifted_at=None).count() == 1


@pytest.mark.parametrize(
    "given", [{"reason": "", "confirmed": "on"}, {"reason": "Odd"}, {"reason": "x" * 501, "confirmed": "on"}]
)
def test_stop_without_a_reason_or_a_confirmation_changes_nothing(
    client: Client, given: dict[str, str]
) -> None:
    client.force_login(make_user(is_superuser=True))

    answer = client.post(reverse("admin:hits_halts"), {"account": "", **given})

    assert answer.status_code == 400
    assert not Halt.objects.exists()


@pytest.mark.parametrize("role", [RESEARCHER, PAYMENTS_PREPARER, PAYMENTS_APPROVER])
def test_home_says_while_payments_are_stopped_by_whom_and_how_they_go_on(client: Client, role: str) -> None:
    by = make_user(is_superuser=True, username="payer")
    halt = kill_switch.halt_payments(account=None, reason="Odd sums", by=by, now=NOW)
    sign_in(client, role)

    stopped = text_of(client.get(reverse("admin:index")))
    kill_switch.lift_halt(halt=halt, by=by, now=NOW)
    going = text_of(client.get(reverse("admin:index")))

    assert "Payments of every account are stopped.</strong> Odd sums" in stopped
    assert "Stopped by payer, 21 Nov 2026, 12:00 UTC." in stopped
    assert ("Let them go on, once the cause is gone" in stopped) == (role in MAY)
    assert "are stopped" not in going


def test_home_names_no_account_on_which_one_has_no_study(client: Client) -> None:
    batch = make_batch(status="open")
    for account in (batch.account, make_account(name="another lab")):
        kill_switch.halt_payments(account=account, reason="Odd sums", by=None, now=NOW)
    client.force_login(make_permitted("view_batch", studies=[batch.study], is_staff=True))

    page = text_of(client.get(reverse("admin:index")))

    assert f"Payments of {batch.account} are stopped." in page
    assert "another lab" not in page


def test_stop_is_a_button_of_the_desk_and_a_page_of_the_navigation(client: Client) -> None:
    client.force_login(make_user(is_superuser=True))
    halts = reverse("admin:hits_halts")

    desk = text_of(client.get(reverse("admin:hits_payments")))
    home = text_of(client.get(reverse("admin:index")))

    assert f'<a class="button grave" href="{halts}">Stop payments…</a>' in desk
    assert f'<a href="{halts}">Stop payments</a>' in home


def test_lifting_without_the_tick_changes_nothing(client: Client) -> None:
    halt = kill_switch.halt_payments(account=None, reason="Stop", by=None, now=NOW)
    client.force_login(make_user(is_superuser=True))

    client.post(reverse("admin:hits_halt_lift", args=[halt.pk]))

    assert Halt.objects.filter(lifted_at=None).count() == 1


def test_page_says_what_is_stopped_by_whom_and_what_was(client: Client) -> None:
    by = make_user(is_superuser=True, username="payer")
    over = kill_switch.halt_payments(account=None, reason="A drill", by=by, now=NOW)
    kill_switch.lift_halt(halt=over, by=by, now=NOW)
    kill_switch.halt_payments(account=make_account(name="lab"), reason="Out of funds", by=None, now=NOW)
    client.force_login(by)

    page = text_of(client.get(reverse("admin:hits_halts")))

    for words in (
        "Payments of lab (marketplace) are stopped",
        "Out of funds",
        "this system",
        "A drill",
    ):
        assert words in page
