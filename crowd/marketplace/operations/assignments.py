from collections.abc import Mapping
from typing import Any

from crowd.marketplace.errors import ParameterValidationError, does_not_exist, wrong_state
from crowd.marketplace.models import Assignment
from crowd.marketplace.operations.hits import describe_hit, find_hit
from crowd.marketplace.operations.pagination import page
from crowd.marketplace.operations.registry import Call, operation
from crowd.marketplace.services import reviewing

Status = Assignment.Status
VISIBLE = (Status.SUBMITTED, Status.APPROVED, Status.REJECTED)


@operation
def list_assignments_for_hit(call: Call) -> Mapping[str, Any]:
    statuses = call.params.get("AssignmentStatuses") or VISIBLE
    rows = Assignment.objects.filter(hit=find_hit(call), status__in=statuses)
    return page(
        call,
        rows.select_related("hit", "worker"),
        name="Assignments",
        describe=describe_assignment,
    )


@operation
def get_assignment(call: Call) -> Mapping[str, Any]:
    assignment = find_assignment(call)
    if assignment.status not in VISIBLE:
        raise wrong_state("Assignment", allowed="Reviewable,Approved,Rejected")
    return {
        "Assignment": describe_assignment(assignment),
        "HIT": describe_hit(assignment.hit, now=call.now),
    }


@operation
def approve_assignment(call: Call) -> Mapping[str, Any]:
    reviewing.approve_assignment(
        assignment=find_assignment(call),
        feedback=_read_feedback(call),
        override=bool(call.params.get("OverrideRejection")),
        now=call.now,
    )
    return {}


@operation
def reject_assignment(call: Call) -> Mapping[str, Any]:
    reviewing.reject_assignment(assignment=find_assignment(call), feedback=_read_feedback(call), now=call.now)
    return {}


def find_assignment(call: Call) -> Assignment:
    external_id = call.text("AssignmentId")
    # An id is used again after a return, so take the newest row that bears it.
    assignment = (
        Assignment.objects.select_related("hit__hit_type", "hit__layout", "worker")
        .filter(hit__requester=call.requester, external_id=external_id)
        .order_by("-pk")
        .first()
    )
    if not assignment:
        raise does_not_exist("Assignment", external_id)
    return assignment


def describe_assignment(assignment: Assignment) -> Mapping[str, Any]:
    return {
        "AssignmentId": assignment.external_id,
        "WorkerId": assignment.worker.external_id,
        "HITId": assignment.hit.external_id,
        "AssignmentStatus": assignment.status,
        "AutoApprovalTime": assignment.auto_approval_at,
        "AcceptTime": assignment.accepted_at,
        "SubmitTime": assignment.submitted_at,
        "ApprovalTime": assignment.approved_at,
        "RejectionTime": assignment.rejected_at,
        "Deadline": assignment.deadline_at,
        "Answer": assignment.answer,
        "RequesterFeedback": assignment.feedback or None,
    }


def _read_feedback(call: Call) -> str:
    feedback = call.text("RequesterFeedback")
    if not reviewing.is_feedback(feedback):
        raise ParameterValidationError(
            f"RequesterFeedback: {reviewing.FEEDBACK_RULE}", code="InvalidParameterValue"
        )
    return feedback
