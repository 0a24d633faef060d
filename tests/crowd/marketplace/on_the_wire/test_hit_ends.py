"""Review status, deletion, reviewable HITs and the money at the end of the work, through boto3."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from crowd.marketplace.models import Assignment
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, refused
from tests.crowd.marketplace.caller import (
    MISSING,
    NO_MONEY,
    VALIDATION,
    WRONG_STATE,
    Caller,
    Money,
    caller_with,
    done_by_somebody,
    expired,
    refused_to_add,
    set_expiration,
    taken_by_somebody,
)
from tests.crowd.marketplace.rows import balances, post_hit
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)


def test_update_review_status_goes_there_and_back(caller: Caller) -> None:
    hit_id = caller.create()
    done_by_somebody(hit_id)
    moves: list[tuple[bool, str]] = [(False, "Reviewing"), (True, "Reviewable")]

    for revert, status in moves:
        caller.api.update_hit_review_status(HITId=hit_id, Revert=revert)
        assert caller.state(hit_id)[0] == status
    caller.api.update_hit_review_status(HITId=hit_id)
    assert caller.state(hit_id)[0] == "Reviewing"


def test_update_review_status_that_does_not_fit_is_refused(caller: Caller) -> None:
    still_open, over, reviewing_it = caller.create(), expired(caller), expired(caller)
    caller.api.update_hit_review_status(HITId=reviewing_it)

    moves = [(still_open, False), (still_open, True), (over, True), (reviewing_it, False)]
    got = [refused(caller.api.update_hit_review_status, HITId=one, Revert=revert) for one, revert in moves]

    assert got == [WRONG_STATE] * 4
    assert [caller.state(one)[0] for one in (still_open, over, reviewing_it)] == [
        "Assignable",
        "Reviewable",
        "Reviewing",
    ]


def test_delete_hit_that_is_open_is_refused(caller: Caller) -> None:
    fresh, begun = caller.create(), caller.create()
    taken_by_somebody(begun)

    got = [refused(caller.api.delete_hit, HITId=hit_id) for hit_id in (fresh, begun, "3NOSUCHHIT")]

    assert got == [WRONG_STATE, WRONG_STATE, MISSING]
    assert len(caller.api.list_hits()["HITs"]) == 2
    assert caller.money == Money(available="98.00", held="2.00")


def test_delete_hit_waits_for_the_review(caller: Caller) -> None:
    hit_id = caller.create(MaxAssignments=2)
    done = [done_by_somebody(hit_id) for _ in range(2)]

    caller.api.approve_assignment(AssignmentId=done[0].external_id)
    assert refused(caller.api.delete_hit, HITId=hit_id) == WRONG_STATE
    caller.api.reject_assignment(AssignmentId=done[1].external_id, RequesterFeedback="No.")
    caller.api.delete_hit(HITId=hit_id)

    assert caller.api.list_hits()["HITs"] == []
    assert caller.api.list_reviewable_hits()["HITs"] == []
    assert caller.state(hit_id)[0] == "Disposed"
    assert caller.money == Money(available="99.00", held="0.00")


def test_delete_hit_from_reviewing(caller: Caller) -> None:
    hit_id = expired(caller)
    caller.api.update_hit_review_status(HITId=hit_id)

    caller.api.delete_hit(HITId=hit_id)

    assert caller.api.list_reviewable_hits(Status="Reviewing")["HITs"] == []


def test_deleted_hit_is_changed_no_more(caller: Caller) -> None:
    hit_id = caller.create()
    done = done_by_somebody(hit_id)
    caller.api.reject_assignment(AssignmentId=done.external_id, RequesterFeedback="No.")
    caller.api.delete_hit(HITId=hit_id)
    in_an_hour = timezone.now() + timedelta(hours=1)

    got = [
        refused(caller.api.delete_hit, HITId=hit_id),
        refused(caller.api.update_expiration_for_hit, HITId=hit_id, ExpireAt=in_an_hour),
        refused(caller.api.update_expiration_for_hit, HITId=hit_id, ExpireAt=0),
        refused(caller.api.update_hit_review_status, HITId=hit_id),
        refused(caller.api.update_hit_type_of_hit, HITId=hit_id, HITTypeId=caller.create_type()),
        refused_to_add(caller, hit_id, 1),
    ]
    override = refused(caller.api.approve_assignment, AssignmentId=done.external_id, OverrideRejection=True)

    assert got == [WRONG_STATE] * 6
    assert override == Refusal(code="InvalidAssignmentState")
    assert caller.state(hit_id) == ("Disposed", 1, 0)
    assert caller.money == Money(available="100.00", held="0.00")


def test_list_reviewable_hits_by_status_and_type(caller: Caller) -> None:
    caller.create()
    begun = caller.create()
    taken_by_somebody(begun)
    set_expiration(caller, begun, 0)
    plain, other, under_review = expired(caller), expired(caller, Title="Other"), expired(caller)
    caller.api.update_hit_review_status(HITId=under_review)
    other_type = caller.hit(other)["HITTypeId"]

    def listed(**values: Any) -> list[str]:
        return [hit["HITId"] for hit in caller.api.list_reviewable_hits(**values)["HITs"]]

    assert listed() == [other, plain]
    assert listed(Status="Reviewable") == [other, plain]
    assert listed(Status="Reviewing") == [under_review]
    assert listed(HITTypeId=other_type) == [other]
    assert listed(HITTypeId=other_type, Status="Reviewing") == []
    assert refused(caller.api.list_reviewable_hits, Status="Assignable") == VALIDATION
    assert refused(caller.api.list_reviewable_hits, HITTypeId="3NOSUCHTYPE") == Refusal(
        code="HITTypeDoesNotExist"
    )


def test_list_reviewable_hits_over_pages_has_each_once(caller: Caller) -> None:
    past = timezone.now() - timedelta(days=2)
    made = [post_hit(requester=caller.requester, now=past).external_id for _ in range(7)]

    paginator = caller.api.get_paginator("list_reviewable_hits").paginate(PaginationConfig={"PageSize": 3})
    pages = [[hit["HITId"] for hit in page["HITs"]] for page in paginator]

    assert [len(page) for page in pages] == [3, 3, 1, 0]
    assert [hit_id for page in pages for hit_id in page] == made[::-1]


def test_money_follows_approval_rejection_and_override(sites: Sites) -> None:
    caller = caller_with(sites, make_requester(fee_schedule="amazon", now=timezone.now()))
    hit_id = caller.create(MaxAssignments=2)
    first, second = done_by_somebody(hit_id), done_by_somebody(hit_id)

    caller.api.approve_assignment(AssignmentId=first.external_id)
    assert caller.money == Money(available="97.60", held="1.20")
    caller.api.reject_assignment(AssignmentId=second.external_id, RequesterFeedback="No.")
    assert caller.money == Money(available="98.80", held="0.00")
    caller.api.approve_assignment(AssignmentId=second.external_id, OverrideRejection=True)
    assert caller.money == Money(available="97.60", held="0.00")
    sums = balances(caller.requester)
    assert (sums["workers"], sums["fees"]) == (Decimal(2), Decimal("0.40"))


def test_override_without_the_money_is_refused(caller: Caller) -> None:
    hit_id = caller.create()
    done = done_by_somebody(hit_id)
    caller.api.reject_assignment(AssignmentId=done.external_id, RequesterFeedback="No.")
    caller.create(Reward="99.50")

    refusal = refused(caller.api.approve_assignment, AssignmentId=done.external_id, OverrideRejection=True)

    assert refusal == NO_MONEY
    assert Assignment.objects.get(pk=done.pk).status == "Rejected"
    assert caller.money == Money(available="0.50", held="99.50")


def test_changes_to_another_requesters_hit_are_refused(sites: Sites, caller: Caller) -> None:
    other = caller_with(sites, make_requester(now=timezone.now()))
    theirs = expired(other)

    got = [
        refused(caller.api.delete_hit, HITId=theirs),
        refused(caller.api.update_expiration_for_hit, HITId=theirs, ExpireAt=0),
        refused(caller.api.update_hit_review_status, HITId=theirs),
        refused(caller.api.update_hit_type_of_hit, HITId=theirs, HITTypeId=caller.create_type()),
        refused_to_add(caller, theirs, 1),
        refused(caller.api.list_review_policy_results_for_hit, HITId=theirs),
    ]

    assert got == [MISSING] * 6
    assert other.state(theirs) == ("Reviewable", 1, 0)
