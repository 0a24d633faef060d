"""Assignments, their review, and bonuses, through boto3."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from crowd.marketplace.models import HIT, BonusPayment
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, client_of, error_of, refusal_of, refused
from tests.crowd.marketplace.rows import accept, available, hand_in, post_hit, status_of
from tests.factories import invite, make_requester

pytestmark = pytest.mark.django_db(transaction=True)

MISSING = Refusal(code="AssignmentDoesNotExist")
WRONG_STATE = Refusal(code="InvalidAssignmentState")
VALIDATION = Refusal(kind="ValidationException")
PARAMETER = Refusal(kind="ParameterValidationError")


@pytest.fixture
def credentials() -> Credentials:
    return make_requester(fee_schedule="amazon", now=timezone.now())


@pytest.fixture
def client(sites: Sites, credentials: Credentials) -> Any:
    return client_of(sites, credentials)


@pytest.fixture
def hit(credentials: Credentials) -> HIT:
    return post_hit(requester=credentials.requester, reward="1.00", max_assignments=3, now=timezone.now())


def bonus_of(hit: HIT, **changes: Any) -> dict[str, Any]:
    """Parameters of SendBonus for an assignment that is submitted now."""
    assignment = hand_in(hit, now=timezone.now())
    values = {
        "WorkerId": assignment.worker.external_id,
        "AssignmentId": assignment.external_id,
        "BonusAmount": "0.27",
        "Reason": "Well done.",
    }
    return {**values, **changes}


def test_assignment_while_accepted_is_not_shown(client: Any, hit: HIT) -> None:
    accepted = accept(hit, now=timezone.now())

    error = error_of(client.get_assignment, AssignmentId=accepted.external_id)

    assert refusal_of(error) == WRONG_STATE
    assert "status of: Reviewable,Approved,Rejected" in error.response["Error"]["Message"]
    assert client.list_assignments_for_hit(HITId=hit.external_id)["Assignments"] == []


def test_assignment_handed_in_is_shown_with_its_hit(client: Any, hit: HIT) -> None:
    work = hand_in(hit, now=timezone.now())

    shown = client.get_assignment(AssignmentId=work.external_id)

    assignment = shown["Assignment"]
    assert (assignment["AssignmentStatus"], assignment["Answer"]) == ("Submitted", "<answer/>")
    assert (assignment["HITId"], assignment["WorkerId"]) == (hit.external_id, work.worker.external_id)
    assert shown["HIT"]["NumberOfAssignmentsAvailable"] == 2
    instants = ("AcceptTime", "SubmitTime", "Deadline", "AutoApprovalTime")
    assert all(isinstance(assignment[name], datetime) for name in instants)
    assert client.list_assignments_for_hit(HITId=hit.external_id)["Assignments"] == [assignment]


def test_list_assignments_filters_by_status(client: Any, hit: HIT) -> None:
    approved, rejected, submitted = (hand_in(hit, now=timezone.now()) for _ in range(3))
    client.approve_assignment(AssignmentId=approved.external_id)
    client.reject_assignment(AssignmentId=rejected.external_id, RequesterFeedback="No.")

    def listed(*statuses: str) -> list[str]:
        found = client.list_assignments_for_hit(HITId=hit.external_id, AssignmentStatuses=statuses)
        return [assignment["AssignmentId"] for assignment in found["Assignments"]]

    assert listed("Submitted") == [submitted.external_id]
    assert listed("Approved", "Rejected") == [approved.external_id, rejected.external_id]
    assert listed() == [approved.external_id, rejected.external_id, submitted.external_id]


def test_list_assignments_of_a_hidden_status_is_refused(client: Any, hit: HIT) -> None:
    params = {"HITId": hit.external_id, "AssignmentStatuses": ["Accepted"]}

    assert refused(client.list_assignments_for_hit, **params) == VALIDATION


def test_approve_spends_reward_and_fee_and_counts(client: Any, hit: HIT) -> None:
    work = hand_in(hit, now=timezone.now())

    client.approve_assignment(AssignmentId=work.external_id, RequesterFeedback="Thank you.")

    shown = client.get_assignment(AssignmentId=work.external_id)
    assert shown["Assignment"]["AssignmentStatus"] == "Approved"
    assert shown["Assignment"]["RequesterFeedback"] == "Thank you."
    assert isinstance(shown["Assignment"]["ApprovalTime"], datetime)
    assert shown["HIT"]["NumberOfAssignmentsCompleted"] == 1
    client.update_expiration_for_hit(HITId=hit.external_id, ExpireAt=0)
    assert client.get_account_balance()["AvailableBalance"] == "98.80"


def test_approve_twice_is_refused(client: Any, hit: HIT) -> None:
    work = hand_in(hit, now=timezone.now())
    client.approve_assignment(AssignmentId=work.external_id)

    error = error_of(client.approve_assignment, AssignmentId=work.external_id)

    assert refusal_of(error) == WRONG_STATE
    assert "This operation can be called with a status of: Submitted" in error.response["Error"]["Message"]
    assert client.get_hit(HITId=hit.external_id)["HIT"]["NumberOfAssignmentsCompleted"] == 1


def test_reject_then_approve_needs_the_override(client: Any, hit: HIT) -> None:
    work = hand_in(hit, now=timezone.now())
    client.reject_assignment(AssignmentId=work.external_id, RequesterFeedback="No.")

    assert refused(client.approve_assignment, AssignmentId=work.external_id) == WRONG_STATE
    assert status_of(work) == "Rejected"
    client.approve_assignment(AssignmentId=work.external_id, OverrideRejection=True)
    assert status_of(work) == "Approved"


def test_feedback_that_is_too_long_or_unprintable_is_refused(client: Any, hit: HIT) -> None:
    work = hand_in(hit, now=timezone.now())
    said = [
        {"AssignmentId": work.external_id, "RequesterFeedback": feedback}
        for feedback in ("f" * 1_025, "a\x01b", "bell\a")
    ]

    assert [refused(client.reject_assignment, **params) for params in said] == [PARAMETER] * 3
    assert [refused(client.approve_assignment, **params) for params in said] == [PARAMETER] * 3
    assert status_of(work) == "Submitted"


def test_another_requesters_assignment_does_not_exist(sites: Sites, client: Any, hit: HIT) -> None:
    work = hand_in(hit, now=timezone.now())
    stranger = client_of(sites, make_requester(now=timezone.now()))
    bonus = bonus_of(hit)

    assert refused(stranger.get_assignment, AssignmentId=work.external_id) == MISSING
    assert refused(stranger.approve_assignment, AssignmentId=work.external_id) == MISSING
    no = {"AssignmentId": work.external_id, "RequesterFeedback": "No."}
    assert refused(stranger.reject_assignment, **no) == MISSING
    assert refused(stranger.send_bonus, **bonus) == MISSING
    assert (status_of(work), BonusPayment.objects.count()) == ("Submitted", 0)


def test_bonus_is_paid_with_its_fee_and_listed(client: Any, credentials: Credentials, hit: HIT) -> None:
    before = available(credentials.requester)
    bonus = bonus_of(hit)

    client.send_bonus(**bonus, UniqueRequestToken="once")

    [listed] = client.list_bonus_payments(AssignmentId=bonus["AssignmentId"])["BonusPayments"]
    assert isinstance(listed.pop("GrantTime"), datetime)
    assert listed == bonus
    assert client.list_bonus_payments(HITId=hit.external_id)["NumResults"] == 1
    assert before - available(credentials.requester) == Decimal("0.32")


def test_bonus_with_a_repeated_token_is_paid_once(client: Any, hit: HIT) -> None:
    bonus = bonus_of(hit, UniqueRequestToken="once")
    client.send_bonus(**bonus)

    error = error_of(client.send_bonus, **bonus)

    assert refusal_of(error) == Refusal(code="InvalidParameterValue")
    assert bonus["AssignmentId"] in error.response["Error"]["Message"]
    assert BonusPayment.objects.count() == 1


def test_bonus_of_bad_input_is_refused(client: Any, credentials: Credentials, hit: HIT) -> None:
    bonus = bonus_of(hit)
    before = available(credentials.requester)
    wanted: list[tuple[dict[str, Any], Refusal]] = [
        ({"BonusAmount": "0.00"}, PARAMETER),
        ({"BonusAmount": "0.001"}, VALIDATION),
        ({"BonusAmount": "1000000.01"}, PARAMETER),
        ({"BonusAmount": "96.41"}, Refusal(code="InsufficientFunds")),
        ({"WorkerId": "ASTRANGER"}, Refusal(code="InvalidParameterValue")),
        ({"WorkerId": "lower"}, VALIDATION),
        ({"AssignmentId": "NOSUCH"}, MISSING),
        ({"Reason": None}, VALIDATION),
        ({"UniqueRequestToken": "t" * 65}, VALIDATION),
    ]

    got = [(changes, refused(client.send_bonus, **{**bonus, **changes})) for changes, _ in wanted]

    assert got == wanted
    assert (available(credentials.requester), BonusPayment.objects.count()) == (before, 0)


def test_bonus_to_the_wrong_worker_is_refused(client: Any, hit: HIT) -> None:
    stranger, _ = invite(now=timezone.now())

    refusal = refused(client.send_bonus, **bonus_of(hit, WorkerId=stranger.external_id))

    assert refusal == Refusal(code="InvalidParameterValue")
    assert BonusPayment.objects.count() == 0


def test_bonus_for_work_in_flight_is_refused(client: Any, hit: HIT) -> None:
    accepted = accept(hit, now=timezone.now())
    params = {
        "WorkerId": accepted.worker.external_id,
        "AssignmentId": accepted.external_id,
        "BonusAmount": "0.01",
        "Reason": "Early.",
    }

    assert refused(client.send_bonus, **params) == MISSING
    assert BonusPayment.objects.count() == 0


def test_list_bonus_payments_needs_a_hit_or_an_assignment(client: Any) -> None:
    assert refused(client.list_bonus_payments) == Refusal(kind="ParameterValidationError")
