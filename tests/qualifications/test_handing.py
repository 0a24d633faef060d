"""Many holdings at once: revoked and granted again, with a confirmation, and sent to the provider by rows."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.core import audit_trail
from hits.core.models.audit_events import AuditEvent
from hits.providers.models.accounts import Account
from qualifications.models import Gate, Holding
from qualifications.services import many_holdings
from qualifications.services.gate_holdings import set_value
from qualifications.services.many_holdings import give_many, revoke_many
from tests.factories import NOW, make_account, make_study, make_user, make_worker
from tests.pages import text_of
from tests.people import client_of, make_permitted
from tests.qualifications.gates import make_gate, toys

__all__ = ["toys"]
pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


def make_holders(gate: Gate, *values: int | None, account: Account | None = None) -> list[Holding]:
    account = account or make_account()
    holders = [
        set_value(gate=gate, worker=make_worker(account=account), value=value, now=NOW) for value in values
    ]
    Holding.objects.update(is_told=True, problem="")
    return holders


def keys(holders: list[Holding]) -> list[int]:
    return [held.pk for held in holders]


def found(*names: str) -> list[Any]:
    return list(Holding.objects.order_by("pk").values_list(*names))


def test_those_who_hold_it_lose_it_with_the_reason_and_the_provider_is_to_be_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(many_holdings, "AT_ONCE", 2)
    by = make_user()
    holders = make_holders(make_gate(), 1, 1, 1, 0)

    changed = revoke_many(keys=keys(holders), by=by, reason="The test was leaked.", now=LATER)

    assert changed == 3
    lost = (0, "The test was leaked.", LATER, LATER, by.pk, False)
    assert found("value", "reason", "revoked_at", "changed_at", "by", "is_told") == [
        lost,
        lost,
        lost,
        (0, "", None, NOW, None, True),
    ]
    assert AuditEvent.objects.filter(kind="qualification.revoked", by=by).count() == 3
    assert revoke_many(keys=keys(holders), by=by, reason="Again.", now=LATER) == 0


def test_what_was_taken_back_is_given_again() -> None:
    by = make_user()
    holders = make_holders(make_gate(), 1, 1)
    revoke_many(keys=keys(holders), by=by, reason="The test was leaked.", now=NOW)

    changed = give_many(keys=keys(holders), by=by, reason="It was another one.", now=LATER)

    assert changed == 2
    assert found("value", "reason", "revoked_at", "is_told") == [(1, "", None, False)] * 2


def test_nobody_is_told_where_no_provider_is() -> None:
    holders = make_holders(make_gate(), 1, account=make_account(kind=Account.Kind.WEB))

    revoke_many(keys=keys(holders), by=make_user(), reason="The test was leaked.", now=LATER)

    assert found("value", "is_told") == [(0, True)]


def test_cut_off_in_the_middle_the_same_click_does_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_holdings, "AT_ONCE", 1)
    by = make_user()
    holders = make_holders(make_gate(), 1, 1, 1)
    notes = []

    def note(*_: Any, **__: Any) -> None:
        notes.append(1)
        if len(notes) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(audit_trail, "note", note)
        with pytest.raises(KeyboardInterrupt):
            revoke_many(keys=keys(holders), by=by, reason="Leaked.", now=LATER)
    assert found("value") == [(0,), (1,), (1,)]

    assert revoke_many(keys=keys(holders), by=by, reason="Leaked.", now=LATER) == 2


def grader_of(gate: Gate, *permissions: str) -> Client:
    return client_of(make_permitted("view_gate", "view_holding", *permissions, studies=[gate.study]))


def act(client: Client, action: str, holders: list[Holding]) -> Any:
    address = reverse("admin:qualifications_holding_changelist")
    return client.post(address, {"action": action, "_selected_action": keys(holders)})


def send(client: Client, verb: str, holders: list[Holding], *, reason: str) -> Any:
    address = reverse("admin:qualifications_hand_many", args=[verb])
    carried = ",".join(map(str, keys(holders)))
    return client.post(address, {"holdings": carried, "reason": reason}, follow=True)


def test_page_says_how_many_before_anything_is_done_and_wants_a_reason() -> None:
    gate = make_gate()
    holders = make_holders(gate, 1, 1, 0)
    client = grader_of(gate, "grade_attempt")

    page = act(client, "take_back", holders)
    refused = send(client, "revoke", holders, reason=" ")

    assert "2 workers" in text_of(page)
    assert "1 of those that you chose does not hold it" in text_of(page)
    assert f"{gate.name}, {gate.study}: 2" in text_of(page)
    assert (refused.status_code, found("value")) == (400, [(1,), (1,), (0,)])
    done = send(client, "revoke", holders, reason="The test\nwas leaked.")
    assert "Taken back from 2 workers." in text_of(done)
    assert found("value", "reason")[0] == (0, "The test was leaked.")
    assert "Given to 3 workers." in text_of(send(client, "give", holders, reason="A mistake of ours."))
    listed = text_of(client.get(reverse("admin:qualifications_holding_changelist")))
    assert listed.count("Given by hand: the audit trail says why") == 3


def test_values_that_the_provider_refused_are_told_again_by_hand() -> None:
    gate = make_gate()
    refused, told = make_holders(gate, 1, 1)
    Holding.objects.filter(pk=refused.pk).update(is_told=True, problem="There is no such worker.")
    Holding.objects.filter(pk=told.pk).update(is_told=True)
    client = grader_of(gate, "grade_attempt")
    page = reverse("admin:qualifications_holding_changelist")

    act(client, "tell_again", [refused, told])
    done = text_of(client.get(page))
    act(client, "tell_again", [told])

    assert "1 value that the provider refused will be told again in a moment." in done
    assert found("is_told", "problem") == [(False, ""), (True, "")]
    assert "The provider has refused none of these values" in text_of(client.get(page))


def test_who_only_looks_takes_nothing_back() -> None:
    gate = make_gate()
    holders = make_holders(gate, 1)
    client = grader_of(gate)

    page = client.get(reverse("admin:qualifications_holding_changelist"))
    act(client, "take_back", holders)

    assert "Take back from these workers" not in text_of(page)
    assert send(client, "revoke", holders, reason="Because.").status_code == 403
    assert (found("value"), AuditEvent.objects.count()) == ([(1,)], 0)


def test_holdings_of_other_studies_are_left_alone() -> None:
    holders = make_holders(make_gate(), 1)
    client = grader_of(make_gate(study=make_study()), "grade_attempt")

    send(client, "revoke", holders, reason="Because.")

    assert (found("value"), AuditEvent.objects.count()) == ([(1,)], 0)


@pytest.mark.parametrize("verb", ["steal", "again"])
def test_there_is_no_other_verb(verb: str) -> None:
    gate = make_gate()
    client = grader_of(gate, "grade_attempt")

    assert send(client, verb, make_holders(gate, 1), reason="Because.").status_code == 404
