from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from crowd.marketplace import domain
from crowd.marketplace.errors import (
    InvalidParameterCombination,
    ParameterValidationError,
    RequestError,
    does_not_exist,
    out_of_range,
)
from crowd.marketplace.models import HIT, Requester
from crowd.marketplace.operations.paging import page
from crowd.marketplace.operations.registry import Call, operation
from crowd.marketplace.operations.tokens import refuse_repeat, remember
from crowd.marketplace.questions import read_question
from crowd.marketplace.services import work

YEAR_S = 31_536_000
MONTH_S = 2_592_000
LONGEST = {"Title": 128, "Description": 2000, "Keywords": 1000, "RequesterAnnotation": 255}
RANGES = {
    "LifetimeInSeconds": (30, YEAR_S),
    "AssignmentDurationInSeconds": (30, YEAR_S),
    "AutoApprovalDelayInSeconds": (0, MONTH_S),
    "MaxAssignments": (1, 1_000_000_000),
}
MOST_REQUIREMENTS = 10


@operation
def create_hit(call: Call) -> Mapping[str, Any]:
    refuse_repeat(call, operation="CreateHIT", code="HitAlreadyExists")
    _check_bounds(call)
    hit = work.create_hit(
        requester=call.requester,
        terms=work.Terms(
            title=call.text("Title"),
            description=call.text("Description"),
            keywords=call.text("Keywords"),
            reward=call.money("Reward").quantize(Decimal("0.01")),
            assignment_duration_s=call.params["AssignmentDurationInSeconds"],
            auto_approval_delay_s=call.params.get("AutoApprovalDelayInSeconds", MONTH_S),
            requirements=call.params.get("QualificationRequirements", []),
        ),
        question=read_question(_require_question(call)),
        max_assignments=call.params.get("MaxAssignments", 1),
        lifetime=timedelta(seconds=call.params["LifetimeInSeconds"]),
        annotation=call.text("RequesterAnnotation"),
        now=call.now,
    )
    remember(call, operation="CreateHIT", made=hit.external_id)
    return {"HIT": describe_hit(hit, now=call.now)}


@operation
def get_hit(call: Call) -> Mapping[str, Any]:
    return {"HIT": describe_hit(find_hit(call), now=call.now)}


@operation
def list_hits(call: Call) -> Mapping[str, Any]:
    rows = HIT.objects.filter(requester=call.requester).select_related("hit_type")
    return page(call, rows, name="HITs", describe=lambda hit: describe_hit(hit, now=call.now))


@operation
def update_expiration_for_hit(call: Call) -> Mapping[str, Any]:
    """The past, or zero, expires at once. Lengthening comes with the rest of the operations."""
    hit = find_hit(call)
    expire_at = _read_instant(call.params["ExpireAt"])
    if expire_at > call.now:
        raise RequestError(
            "Only expiring at once is served by this marketplace yet.", code="InvalidParameterValue"
        )
    work.expire_hit(hit=hit, now=call.now)
    return {}


def find_hit(call: Call) -> HIT:
    """The requester's own HIT; another's does not exist for them."""
    external_id = call.text("HITId")
    hit = (
        HIT.objects.select_related("hit_type")
        .filter(requester=call.requester, external_id=external_id)
        .first()
    )
    if not hit:
        raise does_not_exist("HIT", external_id)
    return hit


def describe_hit(hit: HIT, *, now: datetime) -> Mapping[str, Any]:
    expired = hit.expires_at <= now
    status = domain.hit_status(counts=hit.counts, expired=expired, reviewing=False, disposed=False)
    return {
        "HITId": hit.external_id,
        "HITTypeId": hit.hit_type.external_id,
        "HITGroupId": hit.hit_type.external_id,
        "CreationTime": hit.created_at,
        "Title": hit.hit_type.title,
        "Description": hit.hit_type.description,
        "Question": hit.question,
        "Keywords": hit.hit_type.keywords,
        "HITStatus": status,
        "MaxAssignments": hit.max_assignments,
        "Reward": hit.hit_type.reward,
        "AutoApprovalDelayInSeconds": hit.hit_type.auto_approval_delay_s,
        "Expiration": hit.expires_at,
        "AssignmentDurationInSeconds": hit.hit_type.assignment_duration_s,
        "RequesterAnnotation": hit.annotation,
        "QualificationRequirements": hit.hit_type.requirements,
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": hit.pending,
        "NumberOfAssignmentsAvailable": 0 if expired else hit.counts.available,
        "NumberOfAssignmentsCompleted": hit.approved + hit.rejected,
    }


def _check_bounds(call: Call) -> None:
    for name, (low, high) in RANGES.items():
        if not low <= call.params.get(name, low) <= high:
            raise out_of_range(name, low=low, high=high)
    for name, longest in LONGEST.items():
        if len(call.text(name)) > longest:
            raise out_of_range(f"The length of {name}", low=0, high=longest)
    if len(call.params.get("QualificationRequirements", [])) > MOST_REQUIREMENTS:
        raise out_of_range("The number of QualificationRequirements", low=0, high=MOST_REQUIREMENTS)
    for requirement in call.params.get("QualificationRequirements", []):
        if "ActionsGuarded" in requirement and "RequiredToPreview" in requirement:
            raise InvalidParameterCombination(
                "A requirement has either ActionsGuarded or RequiredToPreview, not both."
            )
    if call.params.get("QualificationRequirements"):
        raise RequestError(
            "This marketplace does not check QualificationRequirements yet. Rather than let everybody in, "
            "it takes no HIT that has them.",
            code="InvalidParameterValue",
        )
    if call.money("Reward") > Requester.MOST_MONEY:
        raise out_of_range("Reward", low=0, high=Requester.MOST_MONEY)


def _read_instant(value: float | str) -> datetime:
    try:
        return datetime.fromtimestamp(float(value), tz=UTC)
    except (ValueError, OverflowError, OSError):
        raise ParameterValidationError(
            "ExpireAt must be seconds since 1970.", code="InvalidParameterValue"
        ) from None


def _require_question(call: Call) -> str:
    if not call.text("Question"):
        raise ParameterValidationError("CreateHIT needs a Question.", code="InvalidParameterValue")
    return call.text("Question")
