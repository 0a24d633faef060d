from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from crowd.marketplace.errors import does_not_exist, out_of_range
from crowd.marketplace.models import HITType
from crowd.marketplace.models.parties import Requester
from crowd.marketplace.operations.registry import Call, operation
from crowd.marketplace.services import hit_creation

YEAR_S = 31_536_000
MONTH_S = 2_592_000
LONGEST = {"Title": 128, "Description": 2000, "Keywords": 1000}
RANGES = {"AssignmentDurationInSeconds": (30, YEAR_S), "AutoApprovalDelayInSeconds": (0, MONTH_S)}


@operation
def create_hit_type(call: Call) -> Mapping[str, Any]:
    hit_type = hit_creation.find_or_make_type(requester=call.requester, terms=read_terms(call))
    return {"HITTypeId": hit_type.external_id}


def read_terms(call: Call) -> hit_creation.Terms:
    """The terms in CreateHIT and CreateHITType. The service model carries none of these bounds."""
    check_bounds(call, ranges=RANGES, longest=LONGEST)
    for name in ("Title", "Description"):
        if not call.text(name).strip():
            raise out_of_range(f"The length of {name}", low=1, high=LONGEST[name])
    if call.money("Reward") > Requester.MOST_MONEY:
        raise out_of_range("Reward", low=0, high=Requester.MOST_MONEY)
    return hit_creation.Terms(
        title=call.text("Title"),
        description=call.text("Description"),
        keywords=call.text("Keywords"),
        reward=call.money("Reward").quantize(Decimal("0.01")),
        assignment_duration_s=call.params["AssignmentDurationInSeconds"],
        auto_approval_delay_s=call.params.get("AutoApprovalDelayInSeconds", MONTH_S),
        requirements=call.params.get("QualificationRequirements", []),
    )


def find_hit_type(call: Call) -> HITType:
    """The requester's own HIT type; another requester's counts as missing."""
    external_id = call.text("HITTypeId")
    hit_type = (
        HITType.objects.select_related("requester", "notification")
        .filter(requester=call.requester, external_id=external_id)
        .first()
    )
    if not hit_type:
        raise does_not_exist("HITType", external_id)
    return hit_type


def check_bounds(call: Call, *, ranges: Mapping[str, tuple[int, int]], longest: Mapping[str, int]) -> None:
    for name, (low, high) in ranges.items():
        if not low <= call.params.get(name, low) <= high:
            raise out_of_range(name, low=low, high=high)
    for name, most in longest.items():
        if len(call.text(name)) > most:
            raise out_of_range(f"The length of {name}", low=0, high=most)
