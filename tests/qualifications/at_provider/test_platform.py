"""A gate's qualification type at the provider: made once, kept in step, and asked for by HITs."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.winogavil.domain import CREATOR_TEST, SOLVE, SOLVER_TEST
from hits.common.type_keywords import GIVEN_FOR_WORK
from hits.core.domain.requirements import check
from hits.core.errors import ProviderRefused, RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.providers.gateway import registry
from hits.providers.models.accounts import Account
from qualifications.models import Gate, PlatformType
from qualifications.services.platform import (
    CLAIM,
    make_types,
    retry_type,
)
from tests.factories import NOW, make_account, make_batch, make_study, make_user
from tests.pages import text_of
from tests.qualifications.gates import obstacles_of, requirements_of
from tests.qualifications.platforms import OWN_TEST, TEST, make_gate, make_holding, make_type, turk
from tests.stubbed import StubbedTurk

__all__ = ["turk"]
pytestmark = pytest.mark.django_db
LATER = NOW + CLAIM + timedelta(seconds=1)


def states(gate: Gate) -> list[str]:
    return list(gate.platform_types.order_by("pk").values_list("status", flat=True))


def need(row: PlatformType, comparator: str, *values: int) -> dict[str, Any]:
    asked = {"IntegerValues": list(values)} if values else {}
    return {
        "QualificationTypeId": row.external_id,
        "Comparator": comparator,
        **asked,
        "ActionsGuarded": "Accept",
    }


def test_type_is_made_for_each_account_on_which_the_study_has_work(turk: StubbedTurk) -> None:
    gate = make_gate(study=make_study(name="Winter"), name="Solver test")
    for status in ("draft", "draft", "open", "cancelled"):
        make_batch(study=gate.study, status=status)
    make_batch(study=gate.study, account=make_account(kind=Account.Kind.WEB))
    make_batch()

    made = [make_types(now=NOW), make_types(now=NOW)]

    assert (made, states(gate)) == ([3, 0], ["ready"] * 3)
    row = gate.platform_types.earliest("pk")
    assert turk.qualification_types[row.external_id] == f"Winter: Solver test [{row.token.hex[:8]}]"
    terms = turk.qualification_terms[row.external_id]
    assert (set(terms), terms["Keywords"]) == ({"Description", "Keywords"}, GIVEN_FOR_WORK)
    assert terms["Description"].startswith(
        "Ten associations. To get it, take the test: it is a HIT of its own"
    )


def test_type_of_an_inactive_gate_is_not_made(turk: StubbedTurk) -> None:
    gate = make_gate(is_active=False)
    make_batch(study=gate.study)

    make_types(now=NOW)

    assert (states(gate), turk.calls) == ([], [])


def test_longest_names_fit(turk: StubbedTurk) -> None:
    gate = make_gate(study=make_study(name="s" * 128), name="g" * 64)
    make_batch(study=gate.study)

    make_types(now=NOW)

    [name] = turk.qualification_types.values()
    row = gate.platform_types.get()
    assert len(name) == 200
    assert name.endswith(f": {'g' * 64} [{row.token.hex[:8]}]")


@pytest.mark.parametrize("fault", ["before", "after"])
def test_type_whose_answer_was_lost_is_made_once(turk: StubbedTurk, fault: str) -> None:
    """A type that is renamed meanwhile is still found by its mark."""
    gate = make_gate(name="Solver test")
    make_batch(study=gate.study)
    turk.faults["create_qualification_type"] = [fault]

    made = [make_types(now=NOW)]
    Gate.objects.update(name="Another name")
    made += [make_types(now=NOW + timedelta(seconds=5)), make_types(now=LATER)]

    assert (made, states(gate), len(turk.qualification_types)) == ([0, 0, 1], ["ready"], 1)
    assert gate.platform_types.get().external_id in turk.qualification_types


def test_killed_maker_is_followed_by_another_after_a_rest(turk: StubbedTurk) -> None:
    row = make_type(status="intended", external_id="", claimed_at=NOW)

    made = [make_types(now=NOW), make_types(now=LATER)]

    assert (made, states(row.gate)) == ([0, 1], ["ready"])


def test_refusal_is_shown_and_asked_again_by_a_person(turk: StubbedTurk) -> None:
    batch = make_batch(study=make_gate(name="Solver test").study)
    turk.faults["create_qualification_type"] = ["refused"]
    by = make_user()

    make_types(now=NOW)
    make_types(now=LATER)
    row = PlatformType.objects.get()
    refused = (row.status, row.problem, obstacles_of(batch))
    retry_type(platform_type=row, by=by, now=LATER)
    make_types(now=LATER)

    assert refused == (
        "refused",
        "Not today.",
        [
            (
                f"{batch.account} refused the qualification of “Solver test”: Not today. "
                "Correct the gate, or ask again on its page."
            )
        ],
    )
    assert (states(row.gate), obstacles_of(batch)) == (["ready"], [])
    assert AuditEvent.objects.get(kind="qualification.asked_again").by == by


def test_retry_of_what_was_not_refused_changes_nothing() -> None:
    row = make_type()

    with pytest.raises(RuleBroken) as refused:
        retry_type(platform_type=row, by=make_user(), now=NOW)

    assert (refused.value.code, states(row.gate)) == ("not_refused", ["ready"])
    assert not AuditEvent.objects.exists()


def test_gate_that_was_mended_is_asked_again_by_itself(turk: StubbedTurk) -> None:
    gate = make_gate()
    make_batch(study=gate.study)
    turk.faults["create_qualification_type"] = ["refused"]
    make_types(now=NOW)

    Gate.objects.update(description="Mended.")
    made = make_types(now=NOW)

    assert (made, states(gate)) == (1, ["ready"])


def test_type_is_kept_in_step_with_its_gate(turk: StubbedTurk) -> None:
    gate = make_gate(**OWN_TEST, retest_after_days=30, passing_value=70)
    make_batch(study=gate.study)
    make_types(now=NOW)
    row = gate.platform_types.get()
    before = dict(turk.qualification_terms[row.external_id])

    Gate.objects.update(description="Anew.", retest_after_days=7)
    changed = [make_types(now=NOW), make_types(now=NOW)]

    after = turk.qualification_terms[row.external_id]
    assert (before["RetryDelayInSeconds"], before["TestDurationInSeconds"]) == (30 * 86_400, 600)
    assert (before["Test"], before["AnswerKey"]) == (gate.question_form, gate.answer_key)
    assert changed == [1, 0]
    assert after["RetryDelayInSeconds"] == 7 * 86_400
    assert after["Description"] == "Anew. Take the test to get it. Work that asks for it opens above 70."
    assert len(turk.qualification_types) == 1


def test_gate_changed_while_it_is_told_is_told_again(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = make_gate()
    make_batch(study=gate.study)
    create = turk.provider.create_qualification

    def change_meanwhile(**terms: Any) -> str:
        Gate.objects.update(description="Changed meanwhile.")
        return create(**terms)

    monkeypatch.setattr(turk.provider, "create_qualification", change_meanwhile)
    make_types(now=NOW)
    make_types(now=NOW)

    terms = turk.qualification_terms[gate.platform_types.get().external_id]
    assert terms["Description"].startswith("Changed meanwhile.")


def test_type_that_somebody_deleted_there_is_made_anew_and_everybody_told(turk: StubbedTurk) -> None:
    row = make_type()
    held = make_holding(row, is_told=True, told=1, value_there=1)
    nothing = make_holding(row, is_told=True, value=None)

    for _ in range(3):
        make_types(now=NOW)

    row.refresh_from_db()
    assert (row.status, list(turk.qualification_types)) == ("ready", [row.external_id])
    for holding, is_told in ((held, False), (nothing, True)):
        holding.refresh_from_db()
        assert holding.is_told == is_told


def test_account_that_cannot_be_used_keeps_only_its_own_types_waiting(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = make_gate()
    broken = make_account(endpoint="http://broken.invalid")
    make_batch(study=gate.study, account=broken)
    make_batch(study=gate.study)

    def open_provider(*, endpoint: str, **_: object) -> object:
        if endpoint == broken.endpoint:
            raise ProviderRefused("The endpoint cannot be used.", code="BadEndpoint")
        return turk.provider

    monkeypatch.setattr(registry, "_boto_provider", open_provider)
    make_types(now=NOW)

    assert states(gate) == ["intended", "ready"]


def test_work_asks_for_who_passed_and_a_test_for_who_has_not_tried() -> None:
    account = make_account()
    first = make_gate(opens=[SOLVE, "creator-test"])
    second = make_gate(study=first.study, test_task="creator-test", opens=["create"])
    own = make_gate(study=first.study, **OWN_TEST, passing_value=75, opens=["create"])
    one, two, three = (make_type(gate=gate, account=account) for gate in (first, second, own))

    asked = {
        task: requirements_of(make_batch(study=first.study, account=account, task=task))
        for task in (SOLVE, TEST, "creator-test", "create", "annotate", "")
    }

    assert asked == {
        SOLVE: [need(one, "EqualTo", 1)],
        TEST: [need(one, "DoesNotExist")],
        "creator-test": [need(one, "EqualTo", 1), need(two, "DoesNotExist")],
        "create": [need(two, "EqualTo", 1), need(three, "GreaterThan", 75)],
        "annotate": [],
        "": [],
    }
    check([row for rows in asked.values() for row in rows])


def test_launch_page_names_the_tests_that_are_asked_for(client: Client, turk: StubbedTurk) -> None:
    account = make_account()
    solver = make_gate(name="Solver test", test_task=SOLVER_TEST, opens=[CREATOR_TEST])
    own = make_gate(study=solver.study, name="Words", **OWN_TEST, passing_value=75, opens=[CREATOR_TEST])
    rows = [make_type(gate=gate, account=account) for gate in (solver, own)]
    client.force_login(make_user(is_superuser=True))

    pages = [
        text_of(
            client.get(
                reverse(
                    "admin:hits_batch_launch",
                    args=[make_batch(study=solver.study, account=account, task=task).pk],
                )
            )
        )
        for task in (CREATOR_TEST, SOLVER_TEST)
    ]

    assert "<li>Has passed “Solver test”; others may look, and not accept.</li>" in pages[0]
    assert "<li>Has more than 75 in “Words”, a test at the provider; others may look" in pages[0]
    assert "<li>Has not taken “Solver test” yet; others may look, and not accept.</li>" in pages[1]
    assert "0 workers meet this: Has passed “Solver test”." in pages[0]
    assert "0 workers would not meet this: Has not taken “Solver test” yet." in pages[1]
    assert not any(row.external_id in page for row in rows for page in pages)


@pytest.mark.parametrize("kind", [Account.Kind.WEB, Account.Kind.RECORDED])
def test_players_and_recordings_meet_no_requirement_and_no_obstacle(kind: str) -> None:
    gate = make_gate()
    batch = make_batch(study=gate.study, account=make_account(kind=kind))

    assert (requirements_of(batch), obstacles_of(batch)) == ([], [])


def test_gate_that_is_off_asks_for_nothing() -> None:
    row = make_type(gate=make_gate(is_active=False))
    batch = make_batch(study=row.gate.study, account=row.account)

    assert (requirements_of(batch), obstacles_of(batch)) == ([], [])


@pytest.mark.parametrize("is_there", [False, True], ids=["no row yet", "on its way"])
def test_type_that_is_not_ready_is_an_obstacle_of_the_batches_that_ask_for_it(*, is_there: bool) -> None:
    gate = make_gate(name="Solver test")
    batch = make_batch(study=gate.study)
    other = make_batch(study=gate.study, account=batch.account, task="annotate")
    if is_there:
        make_type(gate=gate, account=batch.account, status="intended", external_id="")

    assert obstacles_of(batch) == [
        (
            f"The qualification of “Solver test” is on its way to {batch.account}. This takes some seconds, "
            "or some minutes where the provider is slow to answer; then launch again."
        )
    ]
    assert (requirements_of(batch), obstacles_of(other)) == ([], [])
