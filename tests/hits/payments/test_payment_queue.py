from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.identity.roles import ROLES
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.domain.bonus_refusals import Remedy, explain
from hits.payments.models.runs import RunRow
from hits.payments.services import paying
from tests.factories import (
    NOW,
    approve,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
)
from tests.pages import text_of
from tests.people import sign_in
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
Status = Bonus.Status
MAY = [
    name for name, permissions in ROLES.items() if {"hits.settle_bonus", "hits.view_bonus"} <= {*permissions}
]
AGO = NOW - timedelta(hours=2)
LONG_AGO = {"sending_at": AGO, "sent_at": AGO}


@pytest.fixture
def staff(client: Client) -> User:
    user = make_user(is_superuser=True)
    client.force_login(user)
    return user


def refused(code: str, words: str = "", **changes: Any) -> Bonus:
    return make_bonus(status="refused", refusal_code=code, problem=words, sending_at=AGO, **changes)


def queue(client: Client, **given: Any) -> str:
    return text_of(client.get(reverse("admin:hits_payment_queue"), given))


def act(client: Client, bonus: Bonus, verb: str) -> int:
    return client.post(reverse("admin:hits_payment_act", args=[bonus.pk, verb])).status_code


def everything() -> list[Any]:
    tables = (Bonus, RunRow, LedgerEntry, AuditEvent)
    return [list(table._default_manager.order_by("pk").values()) for table in tables]


@pytest.mark.parametrize(
    ("code", "words", "remedy"),
    [
        ("InvalidAssignmentState", "", Remedy.SEND_AGAIN),
        ("AssignmentDoesNotExist", "", Remedy.PAY_BY_HIT),
        ("InsufficientFunds", "", Remedy.DEPOSIT),
        ("UnrecognizedClientException", "", Remedy.SEND_AGAIN),
        ("InvalidParameterValue", "The request token x has been used already; it made y.", Remedy.SEND_AGAIN),
        ("InvalidParameterValue", "Worker x did not do assignment y.", Remedy.DECIDE_ANEW),
        ("InvalidParameterValue", "BonusAmount must be between 0.01 and 1000000.", Remedy.DECIDE_ANEW),
        ("InvalidParameterValue", "Reason: tell the worker what the bonus is for.", Remedy.DECIDE_ANEW),
        ("WorkerBlocked", "", Remedy.DECIDE_ANEW),
        ("SomethingNew", "Whatever.", Remedy.DECIDE_ANEW),
    ],
)
def test_each_refusal_has_one_safe_remedy(code: str, words: str, remedy: Remedy) -> None:
    assert explain(code=code, words=words).remedy == remedy


def test_queue_says_what_happened_and_what_helps(client: Client, staff: User) -> None:
    bonus = refused("InvalidAssignmentState", "In the state 'Submitted'.")

    page = queue(client)

    assert "in the state that it is in" in page
    assert "Send it again…" in page
    assert bonus.assignment.worker.pseudonym in page
    assert bonus.assignment.worker.external_id not in page


def test_queue_without_anything_says_so(client: Client, staff: User) -> None:
    make_bonus()

    page = queue(client)

    assert "Nothing is unclear and nothing was refused" in page


@pytest.mark.parametrize(
    ("state", "shown"),
    [("", 3), ("refused", 1), ("unknown", 1), ("unlisted", 1), ("by_hit", 0), ("nonsense", 3)],
)
def test_queue_shows_what_was_asked_for(client: Client, staff: User, state: str, shown: int) -> None:
    refused("SomethingNew")
    make_bonus(status="unknown", sending_at=AGO)
    make_bonus(status="sent", **LONG_AGO)
    make_bonus(status="confirmed")

    assert queue(client, state=state).count('class="card is-next"') == shown


def test_queue_shows_nothing_of_studies_that_one_does_not_see(client: Client) -> None:
    bonus = refused("InvalidAssignmentState")
    sign_in(client, MAY[0])
    before = everything()

    answer = act(client, bonus, "send_again")

    assert "card is-next" not in queue(client)
    assert (answer, everything()) == (404, before)


def test_queue_costs_the_same_for_one_and_for_many(
    client: Client, staff: User, django_assert_max_num_queries: Any
) -> None:
    for _ in range(20):
        refused("SomethingNew")

    with django_assert_max_num_queries(10):
        page = queue(client)

    assert page.count('class="card is-next"') == 20


def test_look_now_finds_a_payment_on_the_list(client: Client, staff: User, turk: StubbedTurk) -> None:
    bonus = make_bonus(status="unknown", sending_at=AGO)
    work = bonus.assignment
    turk.assignments[work.external_id] = {"WorkerId": work.worker.external_id, "HITId": work.hit.external_id}
    turk.bonuses.append(
        {
            "AssignmentId": work.external_id,
            "WorkerId": work.worker.external_id,
            "BonusAmount": "0.01",
            "Reason": bonus.reason_with_reference,
        }
    )

    act(client, bonus, "look")

    assert Bonus.objects.get().status == Status.SENT
    assert AuditEvent.objects.values_list("kind", "by", "bonus").get() == (
        "bonus.looked_at",
        staff.pk,
        bonus.pk,
    )


def test_look_now_at_what_was_not_paid_sends_it_again_under_its_approval(
    client: Client, staff: User, turk: StubbedTurk
) -> None:
    bonus = make_bonus(status="unknown", sending_at=AGO)
    work = bonus.assignment
    turk.assignments[work.external_id] = {"WorkerId": work.worker.external_id, "HITId": work.hit.external_id}

    act(client, bonus, "look")
    looked = Bonus.objects.get().status
    paying.pay_bonuses(now=NOW)

    assert (looked, len(turk.bonuses)) == (Status.APPROVED, 1)


def test_send_again_asks_first_and_keeps_token_and_approval(
    client: Client, staff: User, turk: StubbedTurk
) -> None:
    bonus = refused("InvalidAssignmentState")
    before = everything()

    page = text_of(client.get(reverse("admin:hits_payment_act", args=[bonus.pk, "send_again"])))
    asked = everything()
    act(client, bonus, "send_again")

    after = Bonus.objects.get()
    assert "is not paid twice" in page
    assert asked == before
    assert (after.status, after.token, after.approved_by_id) == (
        "approved",
        bonus.token,
        bonus.approved_by_id,
    )


def test_decided_anew_is_owed_again_and_free_for_another_run(client: Client, staff: User) -> None:
    bonus = make_bonus(status="owed")
    approve([bonus])
    Bonus.objects.update(status="refused", refusal_code="SomethingNew", sending_at=AGO)

    act(client, bonus, "decide_anew")
    run = approve(Bonus.objects.all())

    assert run is not None
    assert Bonus.objects.get().status == Status.APPROVED
    assert AuditEvent.objects.filter(kind="bonus.decided_anew", by=staff).count() == 1


@pytest.mark.parametrize(
    ("code", "verb"),
    [
        ("SomethingNew", "send_again"),
        ("InvalidAssignmentState", "decide_anew"),
        ("SomethingNew", "pay_by_hit"),
    ],
)
def test_action_that_is_not_the_safe_one_changes_nothing(
    client: Client, staff: User, code: str, verb: str
) -> None:
    bonus = refused(code)
    before = everything()

    act(client, bonus, verb)

    assert everything() == before


def test_second_press_changes_nothing(client: Client, staff: User) -> None:
    bonus = refused("InvalidAssignmentState")

    first = act(client, bonus, "send_again")
    before = everything()
    second = act(client, bonus, "send_again")

    assert (first, second, everything()) == (302, 404, before)


@pytest.mark.parametrize("role", list(ROLES))
def test_role_acts_on_refused_bonuses_only_if_it_includes_it(client: Client, role: str) -> None:
    study = make_study()
    sign_in(client, role, study)
    work = make_assignment(hit=make_hit(batch=make_batch(study=study, status="open")), status="approved")
    bonuses = [
        refused("InvalidAssignmentState", assignment=work, rule="one"),
        refused("SomethingNew", assignment=work, rule="two"),
    ]
    before = everything()

    answers = [
        act(client, bonus, verb) for bonus, verb in zip(bonuses, ("send_again", "decide_anew"), strict=True)
    ]

    assert answers == ([302, 302] if role in MAY else [403, 403])
    assert (everything() == before) == (role not in MAY)
