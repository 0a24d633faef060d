"""The value of a gate that a worker holds, set by tests and by people."""

from datetime import timedelta

import pytest

from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.providers.models.accounts import Account
from qualifications.models import Gate, Holding
from qualifications.services import gate_holdings
from qualifications.services.gate_holdings import (
    give,
    let_try_again,
    note_value,
    revoke,
    set_value,
    take_back,
)
from tests.factories import NOW, make_account, make_user, make_worker
from tests.qualifications.gates import make_candidate, make_gate, sit, toys, value_of

__all__ = ["toys"]
pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)
NOTHING, TRIED, PASSED = None, 0, 1


def test_value_is_written_and_the_provider_is_to_be_told() -> None:
    gate, worker = make_gate(), make_worker()

    held = set_value(gate=gate, worker=worker, value=PASSED, now=NOW)

    held.refresh_from_db()
    assert (held.value, held.is_told, held.changed_at, held.is_held) == (PASSED, False, NOW, True)


def test_value_written_twice_changes_nothing() -> None:
    gate, worker = make_gate(), make_worker()
    set_value(gate=gate, worker=worker, value=TRIED, now=NOW)
    Holding.objects.update(is_told=True, told=TRIED)

    set_value(gate=gate, worker=worker, value=TRIED, now=LATER)

    held = Holding.objects.get()
    assert (held.changed_at, held.is_told) == (NOW, True)


def test_value_that_changes_again_is_told_again() -> None:
    gate, worker = make_gate(), make_worker()
    set_value(gate=gate, worker=worker, value=TRIED, now=NOW)
    Holding.objects.update(is_told=True, told=TRIED, problem="Refused")

    set_value(gate=gate, worker=worker, value=PASSED, now=LATER)

    held = Holding.objects.get()
    assert (held.changed_at, held.is_told, held.problem) == (LATER, False, "")


def test_nothing_held_from_the_start_is_told_to_nobody() -> None:
    set_value(gate=make_gate(), worker=make_worker(), value=NOTHING, now=NOW)

    assert Holding.objects.get().is_told is True


@pytest.mark.parametrize("kind", [Account.Kind.WEB, Account.Kind.RECORDED])
def test_accounts_without_a_provider_are_never_told(kind: str) -> None:
    worker = make_worker(account=make_account(kind=kind))

    set_value(gate=make_gate(), worker=worker, value=PASSED, now=NOW)

    assert Holding.objects.get().is_told is True


def test_what_the_provider_decided_is_not_told_to_it() -> None:
    note_value(gate=make_gate(), worker=make_worker(), value=PASSED, now=NOW)

    assert Holding.objects.values_list("value", "is_told").get() == (PASSED, True)


def test_person_gives_and_it_is_audited() -> None:
    gate, worker, by = make_gate(), make_worker(), make_user()

    given = give(gate=gate, worker=worker, by=by, reason="Known from an earlier study", now=NOW)

    assert (given.is_held, given.by, given.revoked_at, given.is_told) == (True, by, None, False)
    event = AuditEvent.objects.get()
    assert (event.kind, event.by, event.study) == ("qualification.given", by, gate.study)
    assert worker.pseudonym in event.words
    assert "Known from an earlier study" in event.words


def test_person_revokes_with_words_for_the_worker() -> None:
    gate, worker, by = make_gate(), make_worker(), make_user()
    set_value(gate=gate, worker=worker, value=PASSED, now=NOW)

    revoked = revoke(gate=gate, worker=worker, by=by, reason="Answers at random.", now=LATER)

    assert (revoked.value, revoked.reason, revoked.revoked_at) == (TRIED, "Answers at random.", LATER)
    assert (revoked.by, revoked.is_told) == (by, False)


def test_given_again_nothing_of_the_revocation_is_left() -> None:
    gate, worker, by = make_gate(), make_worker(), make_user()
    give(gate=gate, worker=worker, by=by, reason="Known", now=NOW)
    revoke(gate=gate, worker=worker, by=by, reason="By mistake", now=NOW)

    given = give(gate=gate, worker=worker, by=by, reason="It was a mistake", now=LATER)

    assert (given.value, given.reason, given.revoked_at) == (PASSED, "", None)


def test_what_is_held_is_not_given_and_what_is_not_held_not_revoked() -> None:
    gate, worker, by = make_gate(), make_worker(), make_user()
    with pytest.raises(RuleBroken) as refused:
        revoke(gate=gate, worker=worker, by=by, reason="x", now=NOW)
    assert (refused.value.code, value_of(gate, worker)) == ("not_held", NOTHING)
    set_value(gate=gate, worker=worker, value=PASSED, now=NOW)

    with pytest.raises(RuleBroken) as refused:
        give(gate=gate, worker=worker, by=by, reason="x", now=LATER)

    assert refused.value.code == "held_already"
    held = Holding.objects.get()
    assert (held.value, held.changed_at, held.by) == (PASSED, NOW, None)
    assert not AuditEvent.objects.exists()


@pytest.mark.parametrize(
    ("reason", "code"),
    [("", "no_reason"), (" ", "no_reason"), ("x" * 501, "bad_reason"), ("a\nb", "bad_reason")],
    ids=["empty", "blank", "long", "two lines"],
)
def test_reason_is_one_line_of_words(reason: str, code: str) -> None:
    gate, worker = make_gate(), make_worker()

    with pytest.raises(RuleBroken) as refused:
        give(gate=gate, worker=worker, by=make_user(), reason=reason, now=NOW)

    assert (refused.value.code, Holding.objects.exists()) == (code, False)


def test_person_lets_somebody_try_again(toys: None) -> None:
    gate = make_gate()
    worker = sit(gate, 0, 0).worker

    let_try_again(gate=gate, worker=worker, by=make_user(), reason="The page was broken", now=LATER)

    held = Holding.objects.get()
    assert (held.value, held.changed_at, held.is_told, held.by) == (NOTHING, LATER, False, None)
    assert AuditEvent.objects.get().kind == "qualification.cleared"


@pytest.mark.parametrize("value", [NOTHING, PASSED])
def test_nobody_who_has_not_failed_is_let_try_again(value: int | None) -> None:
    gate, worker = make_gate(), make_worker()
    set_value(gate=gate, worker=worker, value=value, now=NOW)

    with pytest.raises(RuleBroken) as refused:
        let_try_again(gate=gate, worker=worker, by=make_user(), reason="x", now=LATER)

    assert (refused.value.code, value_of(gate, worker)) == ("not_tried", value)


def test_nobody_whose_test_waits_is_let_try_again(toys: None) -> None:
    gate = make_gate()
    worker = make_candidate(gate).worker
    sit(gate, worker=worker)

    with pytest.raises(RuleBroken) as refused:
        let_try_again(gate=gate, worker=worker, by=make_user(), reason="x", now=LATER)

    assert (refused.value.code, value_of(gate, worker)) == ("test_waiting", TRIED)


def test_what_changed_since_it_was_looked_at_is_not_taken_back() -> None:
    gate, worker = make_gate(), make_worker()
    set_value(gate=gate, worker=worker, value=PASSED, now=LATER)

    assert take_back(gate=gate, worker=worker, reason="Below.", now=LATER, since=NOW) is False
    assert value_of(gate, worker) == PASSED
    assert take_back(gate=gate, worker=worker, reason="Below.", now=LATER, since=LATER) is True
    assert take_back(gate=gate, worker=worker, reason="Below.", now=LATER) is False
    held = Holding.objects.get()
    assert (held.value, held.reason, held.by) == (TRIED, "Below.", None)


def test_holdings_of_two_gates_are_two() -> None:
    worker = make_worker()
    gates: list[Gate] = [make_gate(), make_gate()]

    set_value(gate=gates[0], worker=worker, value=PASSED, now=NOW)

    assert [value_of(gate, worker) for gate in gates] == [PASSED, NOTHING]
    assert Holding._meta.get_field("reason").max_length == gate_holdings.LONGEST
