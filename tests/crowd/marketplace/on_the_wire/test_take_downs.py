"""What a requester's program hears of a HIT that was taken down at the desk, through boto3."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.crowd.marketplace.caller import Caller, row
from tests.crowd.marketplace.desk import Desk
from tests.crowd.marketplace.rows import hand_in
from tests.crowd.marketplace.work.test_review_policies import plurality

pytestmark = pytest.mark.django_db(transaction=True)


def reported(caller: Caller, hit_id: str) -> list[Any]:
    """The results of the HIT's own report."""
    found: list[Any] = caller.api.list_review_policy_results_for_hit(HITId=hit_id, PolicyLevels=["HIT"])[
        "HITReviewReport"
    ]["ReviewResults"]
    return found


def take_down(desk: Desk, hit_id: str, *, reason: str, **fields: str) -> None:
    answer = desk.post(f"hits/{hit_id}/take-down/", reason=reason, **fields)
    assert answer.status_code == 302


def test_reason_of_a_take_down_is_a_result_of_the_hit(caller: Caller, desk: Desk) -> None:
    told, untold = caller.create(), caller.create()

    take_down(desk, told, reason="Asks for <passwords>", tells_requester="on")
    take_down(desk, untold, reason="Asks for passwords")

    [result] = reported(caller, told)
    assert result.pop("ActionId")
    assert result == {
        "SubjectId": told,
        "SubjectType": "HIT",
        "Key": "TakenDownBecause",
        "Value": "Asks for <passwords>",
    }
    assert reported(caller, untold) == []


def test_results_of_a_policy_leave_the_reason_in_place(caller: Caller, desk: Desk) -> None:
    hit_id = caller.create(MaxAssignments=2, HITReviewPolicy=plurality())
    hand_in(row(hit_id), now=timezone.now())

    take_down(desk, hit_id, reason="Too long", tells_requester="on")
    caller.api.update_expiration_for_hit(HITId=hit_id, ExpireAt=timezone.now() + timedelta(days=1))
    before = [one["Key"] for one in reported(caller, hit_id)]
    caller.api.update_expiration_for_hit(HITId=hit_id, ExpireAt=0)
    after = [one["Key"] for one in reported(caller, hit_id)]

    assert sorted(before) == sorted(after)
    assert [key for key in after if key == "TakenDownBecause"] == ["TakenDownBecause"]


def test_later_take_down_replaces_the_reason(caller: Caller, desk: Desk) -> None:
    hit_id = caller.create()
    for reason in ("First", "Second"):
        take_down(desk, hit_id, reason=reason, tells_requester="on")
        again = timezone.now() + timedelta(days=1)
        caller.api.update_expiration_for_hit(HITId=hit_id, ExpireAt=again)

    assert [one["Value"] for one in reported(caller, hit_id)] == ["Second"]
