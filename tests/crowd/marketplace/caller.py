"""A requester's program that changes its HITs and watches its money."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils import timezone

from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import Requester
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, client_of, hit_input, refused
from tests.crowd.marketplace.rows import accept, balances, hand_in

PARAMETER = Refusal(kind="ParameterValidationError")
PARAMETER_WITH_CODE = Refusal(kind="ParameterValidationError", code="InvalidParameterValue")
VALIDATION = Refusal(kind="ValidationException")
SERIALIZATION = Refusal(kind="SerializationException")
WRONG_STATE = Refusal(code="InvalidHITState")
NO_MONEY = Refusal(code="InsufficientFunds")
MISSING = Refusal(code="HITDoesNotExist")
TYPE = ("Title", "Description", "Reward", "AssignmentDurationInSeconds")
MASTERS = {"QualificationTypeId": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "Comparator": "Exists"}


@dataclass(frozen=True, kw_only=True)
class Money:
    available: str
    held: str


@dataclass(frozen=True, kw_only=True)
class Caller:
    """A requester with a hundred dollars, whose HITs pay a dollar; no fee unless the test is about it."""

    api: Any
    requester: Requester

    def create(self, **changes: Any) -> str:
        hit_id: str = self.api.create_hit(**hit_input(**{"Reward": "1.00", **changes}))["HIT"]["HITId"]
        return hit_id

    def create_type(self, **changes: Any) -> str:
        terms = hit_input(**{"Reward": "1.00", **changes})
        wanted = {name: terms[name] for name in {*TYPE, *changes}}
        type_id: str = self.api.create_hit_type(**wanted)["HITTypeId"]
        return type_id

    def hit(self, hit_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.api.get_hit(HITId=hit_id)["HIT"]
        return found

    def state(self, hit_id: str) -> tuple[str, int, int]:
        """Status of the HIT, number of its places, and number of places left."""
        hit = self.hit(hit_id)
        return hit["HITStatus"], hit["MaxAssignments"], hit["NumberOfAssignmentsAvailable"]

    @property
    def money(self) -> Money:
        """Balance as the API reports it; asserts that the ledger says the same and sums to zero."""
        told = self.api.get_account_balance()
        sums = balances(self.requester)
        assert sum(sums.values()) == 0
        assert Decimal(told["AvailableBalance"]) == sums.get("available", 0)
        assert Decimal(told["OnHoldBalance"]) == sums.get("held", 0)
        return Money(available=told["AvailableBalance"], held=told["OnHoldBalance"])


def caller_with(sites: Sites, credentials: Credentials) -> Caller:
    return Caller(api=client_of(sites, credentials), requester=credentials.requester)


def row(hit_id: str) -> HIT:
    return HIT.objects.select_related("hit_type__requester").get(external_id=hit_id)


def done_by_somebody(hit_id: str) -> Assignment:
    return hand_in(row(hit_id), now=timezone.now())


def taken_by_somebody(hit_id: str) -> Assignment:
    return accept(row(hit_id), now=timezone.now())


def expired(caller: Caller, **changes: Any) -> str:
    hit_id = caller.create(**changes)
    caller.api.update_expiration_for_hit(HITId=hit_id, ExpireAt=0)
    return hit_id


def add(caller: Caller, hit_id: str, more: int, **values: Any) -> None:
    caller.api.create_additional_assignments_for_hit(
        HITId=hit_id, NumberOfAdditionalAssignments=more, **values
    )


def refused_to_add(caller: Caller, hit_id: str, more: object, **values: Any) -> Refusal:
    return refused(
        caller.api.create_additional_assignments_for_hit,
        HITId=hit_id,
        NumberOfAdditionalAssignments=more,
        **values,
    )


def set_expiration(caller: Caller, hit_id: str, at: object) -> None:
    caller.api.update_expiration_for_hit(HITId=hit_id, ExpireAt=at)
