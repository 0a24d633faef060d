"""Approval, rejection, and the actions that may follow them."""

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.outcomes import expect, same
from crowd.marketplace.tools.conformance.registry import check
from crowd.marketplace.tools.conformance.requester import Requester

DAY_S = 86_400
NO = "Not this time."


@check(37, "approve -> ApprovalTime, Completed + 1; balance - (reward + fee)")
def approve(bench: Bench) -> None:
    requester = bench.requester()
    before = requester.balance()
    hit = requester.post(Reward="1.00")
    assignment_id = bench.worker().do(hit)
    same("NumberOfAssignmentsCompleted", _completed(requester, hit), 0)
    requester.api.approve_assignment(AssignmentId=assignment_id)
    approved = requester.assignment(assignment_id)
    same("AssignmentStatus", approved["AssignmentStatus"], "Approved")
    expect(approved["ApprovalTime"] >= approved["SubmitTime"], f"ApprovalTime: {approved['ApprovalTime']}")
    same("NumberOfAssignmentsCompleted", _completed(requester, hit), 1)
    same("balance", f"{before - requester.balance()} less", "1.20 less")


@check(38, "approve twice -> InvalidAssignmentState")
def approve_twice(bench: Bench) -> None:
    requester, assignment_id = _handed_in(bench)
    requester.api.approve_assignment(AssignmentId=assignment_id)
    balance = requester.balance()
    requester.refused("approve_assignment", AssignmentId=assignment_id, code="InvalidAssignmentState")
    same("balance", requester.balance(), balance)


@check(39, "reject, approve without override -> error; with it within 30 days -> Approved")
def override(bench: Bench) -> None:
    requester, assignment_id = _handed_in(bench)
    requester.api.reject_assignment(AssignmentId=assignment_id, RequesterFeedback=NO)
    requester.refused("approve_assignment", AssignmentId=assignment_id)
    same("AssignmentStatus", requester.assignment(assignment_id)["AssignmentStatus"], "Rejected")
    bench.control.advance(30 * DAY_S - 60)
    requester.api.approve_assignment(AssignmentId=assignment_id, OverrideRejection=True)
    same("AssignmentStatus", requester.assignment(assignment_id)["AssignmentStatus"], "Approved")


@check(40, "override on day 31 -> error")
def override_too_late(bench: Bench) -> None:
    requester, assignment_id = _handed_in(bench)
    requester.api.reject_assignment(AssignmentId=assignment_id, RequesterFeedback=NO)
    bench.control.advance(30 * DAY_S + 60)
    requester.refused("approve_assignment", AssignmentId=assignment_id, OverrideRejection=True)
    same("AssignmentStatus", requester.assignment(assignment_id)["AssignmentStatus"], "Rejected")


@check(41, "reject an approved one -> error")
def reject_approved(bench: Bench) -> None:
    requester, assignment_id = _handed_in(bench)
    requester.api.approve_assignment(AssignmentId=assignment_id)
    requester.refused("reject_assignment", AssignmentId=assignment_id, RequesterFeedback=NO)
    same("AssignmentStatus", requester.assignment(assignment_id)["AssignmentStatus"], "Approved")


@check(42, "feedback with a control character -> InvalidParameterValue")
def control_character(bench: Bench) -> None:
    requester, assignment_id = _handed_in(bench)
    for method in ("approve_assignment", "reject_assignment"):
        requester.refused(
            method, AssignmentId=assignment_id, RequesterFeedback="a\u0007b", code="InvalidParameterValue"
        )
    same("AssignmentStatus", requester.assignment(assignment_id)["AssignmentStatus"], "Submitted")


@check(44, "GetAssignment while accepted -> RequestError")
def get_accepted(bench: Bench) -> None:
    requester = bench.requester()
    work = bench.worker().accept(requester.post())
    requester.refused("get_assignment", AssignmentId=work.assignment_id, kind="RequestError")


@check(45, "ListAssignments filters; accepted never shown")
def list_filters(bench: Bench) -> None:
    requester = bench.requester()
    hit = requester.post(MaxAssignments=4)
    submitted, approved, rejected = (bench.worker().do(hit) for _ in range(3))
    bench.worker().accept(hit)
    requester.api.approve_assignment(AssignmentId=approved)
    requester.api.reject_assignment(AssignmentId=rejected, RequesterFeedback=NO)
    for statuses, expected in (
        (["Submitted"], {submitted}),
        (["Approved"], {approved}),
        (["Rejected"], {rejected}),
        (["Submitted", "Rejected"], {submitted, rejected}),
    ):
        same(f"{statuses}", _listed(requester, hit, AssignmentStatuses=statuses), expected)
    same("without a filter", _listed(requester, hit), {submitted, approved, rejected})


def _listed(requester: Requester, hit: dict[str, str], **values: object) -> set[str]:
    return {one["AssignmentId"] for one in requester.assignments(hit["HITId"], **values)}


def _completed(requester: Requester, hit: dict[str, str]) -> int:
    return int(requester.hit(hit["HITId"])["NumberOfAssignmentsCompleted"])


def _handed_in(bench: Bench) -> tuple[Requester, str]:
    """A requester and a submitted assignment, approved by the clock only after these checks are over."""
    requester = bench.requester()
    return requester, bench.worker().do(requester.post())
