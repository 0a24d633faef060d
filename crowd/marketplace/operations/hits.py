from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from crowd.marketplace import domain
from crowd.marketplace.errors import ParameterValidationError, does_not_exist
from crowd.marketplace.models import HIT, HITType, Layout, PolicyOutcome
from crowd.marketplace.operations.hit_types import YEAR_S, check_bounds, find_hit_type, read_terms
from crowd.marketplace.operations.pagination import page
from crowd.marketplace.operations.registry import Call, operation
from crowd.marketplace.operations.tokens import use_token
from crowd.marketplace.parameter_validation import known_part, service_model
from crowd.marketplace.questions import render_layout
from crowd.marketplace.questions.question_kinds import read_question
from crowd.marketplace.questions.xml_parsing import Question
from crowd.marketplace.services import hit_creation, review_policies

LONGEST = {"RequesterAnnotation": 255}
RANGES = {"LifetimeInSeconds": (30, YEAR_S), "MaxAssignments": (1, hit_creation.MOST_ASSIGNMENTS)}
Level = PolicyOutcome.Level


@operation
def create_hit(call: Call) -> Mapping[str, Any]:
    hit_id = _use_token(call)
    hit_type = hit_creation.find_or_make_type(requester=call.requester, terms=read_terms(call))
    return _post(call, hit_type, hit_id=hit_id)


@operation
def create_hit_with_hit_type(call: Call) -> Mapping[str, Any]:
    hit_id = _use_token(call)
    return _post(call, find_hit_type(call), hit_id=hit_id)


@operation
def get_hit(call: Call) -> Mapping[str, Any]:
    return {"HIT": describe_hit(find_hit(call), now=call.now)}


@operation
def list_hits(call: Call) -> Mapping[str, Any]:
    rows = HIT.objects.filter(requester=call.requester, disposed_at=None)
    return page_of_hits(call, rows)


@operation
def list_reviewable_hits(call: Call) -> Mapping[str, Any]:
    rows = HIT.objects.filter(
        requester=call.requester, closed_at__isnull=False, pending=0, disposed_at=None
    ).filter(is_reviewing=call.text("Status") == "Reviewing")
    if call.text("HITTypeId"):
        rows = rows.filter(hit_type=find_hit_type(call))
    return page_of_hits(call, rows)


def page_of_hits(call: Call, rows: Any) -> Mapping[str, Any]:
    return page(
        call,
        rows.select_related("hit_type", "layout"),
        name="HITs",
        describe=lambda hit: describe_hit(hit, now=call.now),
        newest_first=True,
    )


def find_hit(call: Call) -> HIT:
    """The requester's own HIT; another requester's counts as missing."""
    external_id = call.text("HITId")
    hit = (
        HIT.objects.select_related("hit_type", "layout")
        .filter(requester=call.requester, external_id=external_id)
        .first()
    )
    if not hit:
        raise does_not_exist("HIT", external_id)
    return hit


def describe_hit(hit: HIT, *, now: datetime) -> Mapping[str, Any]:
    expired = hit.expires_at <= now
    return {
        "HITId": hit.external_id,
        "HITTypeId": hit.hit_type.external_id,
        "HITGroupId": hit.hit_type.external_id,
        "HITLayoutId": hit.layout.external_id if hit.layout else None,
        "CreationTime": hit.created_at,
        "Title": hit.hit_type.title,
        "Description": hit.hit_type.description,
        "Question": hit.question,
        "Keywords": hit.hit_type.keywords,
        "HITStatus": hit_creation.hit_status(hit, is_expired=expired),
        "MaxAssignments": hit.max_assignments,
        "Reward": hit.hit_type.reward,
        "AutoApprovalDelayInSeconds": hit.hit_type.auto_approval_delay_s,
        "Expiration": hit.expires_at,
        "AssignmentDurationInSeconds": hit.hit_type.assignment_duration_s,
        "RequesterAnnotation": hit.annotation or None,
        "QualificationRequirements": hit.hit_type.requirements,
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": hit.pending,
        "NumberOfAssignmentsAvailable": 0 if expired else hit.counts.available,
        "NumberOfAssignmentsCompleted": hit.approved + hit.rejected,
    }


def _use_token(call: Call) -> str:
    """Return the id of the HIT that the call makes. Raises RequestError if its token has made one already."""
    hit_id = domain.new_id()
    use_token(call, operation="CreateHIT", code="HitAlreadyExists", made=hit_id)
    return hit_id


def _post(call: Call, hit_type: HITType, *, hit_id: str) -> Mapping[str, Any]:
    check_bounds(call, ranges=RANGES, longest=LONGEST)
    question, layout = _read_question(call)
    hit = hit_creation.create_hit(
        hit_type=hit_type,
        external_id=hit_id,
        question=question,
        layout=layout,
        max_assignments=call.params.get("MaxAssignments", 1),
        lifetime=timedelta(seconds=call.params["LifetimeInSeconds"]),
        annotation=call.text("RequesterAnnotation"),
        assignment_review_policy=_read_policy(call, "AssignmentReviewPolicy", level=Level.ASSIGNMENT),
        hit_review_policy=_read_policy(call, "HITReviewPolicy", level=Level.HIT),
        now=call.now,
    )
    return {"HIT": describe_hit(hit, now=call.now)}


def _read_question(call: Call) -> tuple[Question, Layout | None]:
    """Read either the question itself, or a layout with its parameters."""
    xml, layout_id = call.text("Question"), call.text("HITLayoutId")
    if bool(xml) == bool(layout_id):
        raise ParameterValidationError(
            "Give either a Question or a HITLayoutId.", code="InvalidParameterValue"
        )
    if xml:
        return read_question(xml), None
    layout = Layout.objects.filter(requester=call.requester, external_id=layout_id).first()
    if not layout:
        raise does_not_exist("HITLayout", layout_id)
    given = {one["Name"]: one["Value"] for one in call.params.get("HITLayoutParameters", [])}
    filled = render_layout(layout.html, given, frame_height=layout.frame_height)
    return read_question(filled), layout


def _read_policy(call: Call, name: str, *, level: Level) -> Mapping[str, Any] | None:
    given = call.params.get(name)
    if given is None:
        return None
    policy: Mapping[str, Any] = known_part(given, service_model().shape_for("ReviewPolicy"))
    review_policies.check_policy(policy, level=level)
    return policy
