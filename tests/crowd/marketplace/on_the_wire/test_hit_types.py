"""HIT types, their fees, and layouts, through boto3."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from crowd.marketplace.models import HIT, HITType, Layout
from crowd.marketplace.models.parties import Requester
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, hit_input, refused
from tests.crowd.marketplace.caller import (
    MASTERS,
    NO_MONEY,
    PARAMETER,
    WRONG_STATE,
    Caller,
    Money,
    caller_with,
    done_by_somebody,
    expired,
    row,
    set_expiration,
    taken_by_somebody,
)
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)


def test_create_hit_type_with_equal_terms_is_one_type(caller: Caller) -> None:
    first = caller.create_type()
    same = caller.create_type(Reward="1")
    others = {
        caller.create_type(Keywords="a, b"),
        caller.create_type(Title="Another"),
        caller.create_type(Reward="2"),
    }

    assert first == same
    assert len(others | {first}) == 4
    assert HITType.objects.count() == 4
    assert caller.money == Money(available="100.00", held="0.00")


def test_create_hit_type_of_another_requester_is_another_type(sites: Sites, caller: Caller) -> None:
    other = caller_with(sites, make_requester(now=timezone.now()))

    assert caller.create_type() != other.create_type()


def test_create_hit_with_hit_type_has_its_terms(caller: Caller) -> None:
    type_id = caller.create_type(Keywords="a, b", AutoApprovalDelayInSeconds=60)
    terms = {
        name: hit_input(MaxAssignments=2, RequesterAnnotation="mine")[name]
        for name in ("LifetimeInSeconds", "Question", "MaxAssignments", "RequesterAnnotation")
    }

    made = caller.api.create_hit_with_hit_type(HITTypeId=type_id, **terms)["HIT"]

    wanted = {
        "HITTypeId": type_id,
        "Keywords": "a, b",
        "AutoApprovalDelayInSeconds": 60,
        "Reward": "1.00",
        "MaxAssignments": 2,
        "RequesterAnnotation": "mine",
        "HITStatus": "Assignable",
    }
    assert {name: made[name] for name in wanted} == wanted
    assert caller.create(Keywords="a, b", AutoApprovalDelayInSeconds=60) != made["HITId"]
    assert {hit.hit_type.external_id for hit in HIT.objects.select_related("hit_type")} == {type_id}
    assert caller.money == Money(available="97.00", held="3.00")


def test_create_hit_with_hit_type_that_is_not_ours_is_refused(sites: Sites, caller: Caller) -> None:
    theirs = caller_with(sites, make_requester(now=timezone.now())).create_type()
    terms = {name: hit_input()[name] for name in ("LifetimeInSeconds", "Question")}
    missing = Refusal(code="HITTypeDoesNotExist")

    for type_id in (theirs, "3NOSUCHTYPE"):
        assert refused(caller.api.create_hit_with_hit_type, HITTypeId=type_id, **terms) == missing
    assert HIT.objects.count() == 0


def test_token_is_shared_by_both_ways_to_create_a_hit(caller: Caller) -> None:
    caller.create(UniqueRequestToken="once")
    terms = {name: hit_input()[name] for name in ("LifetimeInSeconds", "Question")}

    refusal = refused(
        caller.api.create_hit_with_hit_type,
        HITTypeId=caller.create_type(),
        UniqueRequestToken="once",
        **terms,
    )

    assert refusal == Refusal(code="HitAlreadyExists")
    assert HIT.objects.count() == 1


@pytest.mark.parametrize(
    ("schedule", "changes", "held"),
    [
        ("amazon", {"Reward": "0.02"}, "0.03"),
        ("amazon", {"MaxAssignments": 9}, "10.80"),
        ("amazon", {"MaxAssignments": 10}, "14.00"),
        ("amazon", {"QualificationRequirements": [MASTERS]}, "1.25"),
        ("amazon", {"MaxAssignments": 10, "QualificationRequirements": [MASTERS]}, "14.50"),
        ("5%", {"MaxAssignments": 10, "QualificationRequirements": [MASTERS]}, "10.50"),
        ("5%", {"Reward": "0.10"}, "0.11"),
        ("5%", {"Reward": "0.09"}, "0.09"),
        ("none", {"MaxAssignments": 10}, "10.00"),
    ],
)
def test_create_hit_holds_the_fee_of_the_schedule(
    sites: Sites, schedule: str, changes: dict[str, Any], held: str
) -> None:
    caller = caller_with(sites, make_requester(fee_schedule=schedule, now=timezone.now()))

    caller.create(**changes)

    assert caller.money == Money(available=f"{100 - Decimal(held):.2f}", held=held)


def change_type(caller: Caller, hit_id: str, type_id: str) -> None:
    caller.api.update_hit_type_of_hit(HITId=hit_id, HITTypeId=type_id)


def test_update_hit_type_takes_the_new_terms_and_their_money(sites: Sites) -> None:
    caller = caller_with(sites, make_requester(fee_schedule="amazon", now=timezone.now()))
    hit_id = caller.create(MaxAssignments=10)
    type_id = caller.create_type(Title="Another", Reward="2.00", QualificationRequirements=[MASTERS])

    change_type(caller, hit_id, type_id)

    hit = caller.hit(hit_id)
    assert (hit["HITTypeId"], hit["Title"], hit["Reward"]) == (type_id, "Another", "2.00")
    assert caller.money == Money(available="71.00", held="29.00")


def test_update_hit_type_beyond_the_balance_is_refused(caller: Caller) -> None:
    hit_id = caller.create(MaxAssignments=2)
    type_before = caller.hit(hit_id)["HITTypeId"]

    refusal = refused(
        caller.api.update_hit_type_of_hit, HITId=hit_id, HITTypeId=caller.create_type(Reward="50.01")
    )

    assert refusal == NO_MONEY
    assert caller.hit(hit_id)["HITTypeId"] == type_before
    assert caller.money == Money(available="98.00", held="2.00")
    change_type(caller, hit_id, caller.create_type(Reward="50.00"))
    assert caller.money == Money(available="0.00", held="100.00")


def test_update_hit_type_of_an_expired_hit_holds_when_it_opens(caller: Caller) -> None:
    hit_id = expired(caller, MaxAssignments=2)

    change_type(caller, hit_id, caller.create_type(Reward="3.00"))

    assert caller.money == Money(available="100.00", held="0.00")
    set_expiration(caller, hit_id, timezone.now() + timedelta(hours=1))
    assert caller.money == Money(available="94.00", held="6.00")


@pytest.mark.parametrize("begin", [taken_by_somebody, done_by_somebody])
def test_update_hit_type_of_begun_work_is_refused(caller: Caller, begin: Any) -> None:
    hit_id = caller.create(MaxAssignments=2)
    begin(hit_id)

    refusal = refused(
        caller.api.update_hit_type_of_hit, HITId=hit_id, HITTypeId=caller.create_type(Reward="2.00")
    )

    assert refusal == WRONG_STATE
    assert caller.hit(hit_id)["Reward"] == "1.00"
    assert caller.money == Money(available="98.00", held="2.00")


def test_update_hit_type_to_one_that_is_not_ours_is_refused(sites: Sites, caller: Caller) -> None:
    hit_id = caller.create()
    theirs = caller_with(sites, make_requester(now=timezone.now())).create_type()

    refusal = refused(caller.api.update_hit_type_of_hit, HITId=hit_id, HITTypeId=theirs)

    assert refusal == Refusal(code="HITTypeDoesNotExist")
    assert caller.hit(hit_id)["HITTypeId"] != theirs


def make_layout(requester: Requester, html: str = "<p>${who} &amp; ${what}</p>") -> Layout:
    return Layout.objects.create(
        requester=requester, name="Pictures", html=html, frame_height=450, created_at=timezone.now()
    )


def with_layout(layout: Layout, **parameters: str) -> dict[str, Any]:
    given = [{"Name": name, "Value": value} for name, value in parameters.items()]
    return {"Question": None, "HITLayoutId": layout.external_id, "HITLayoutParameters": given}


def test_create_hit_with_a_layout_fills_it_in(caller: Caller) -> None:
    layout = make_layout(caller.requester)

    hit_id = caller.create(**with_layout(layout, who="Ann", what="5 < 6"))

    hit = caller.hit(hit_id)
    assert hit["HITLayoutId"] == layout.external_id
    assert "HTMLQuestion.xsd" in hit["Question"]
    assert "<FrameHeight>450</FrameHeight>" in hit["Question"]
    assert row(hit_id).kind == HIT.Kind.HTML


def test_create_hit_with_a_layout_that_is_not_filled_is_refused(sites: Sites, caller: Caller) -> None:
    layout = make_layout(caller.requester)
    theirs = make_layout(make_requester(now=timezone.now()).requester)
    both = {**with_layout(layout, who="Ann", what="b"), "Question": hit_input()["Question"]}
    wanted = [
        (with_layout(layout, who="Ann"), PARAMETER),
        (with_layout(layout, who="Ann", what="b", why="c"), PARAMETER),
        (with_layout(layout, who="Ann", what="\x01"), PARAMETER),
        (both, PARAMETER),
        (with_layout(theirs, who="Ann", what="b"), Refusal(code="HITLayoutDoesNotExist")),
    ]

    got = [(changes, refused(caller.create, **changes)) for changes, _ in wanted]

    assert got == wanted
    assert HIT.objects.count() == 0
    assert caller.money == Money(available="100.00", held="0.00")
