"""HITs: creation, listing, extension, change and deletion."""

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.outcomes import expect, same
from crowd.marketplace.tools.conformance.registry import check
from crowd.marketplace.tools.conformance.requester import Requester

MONTH_S = 2_592_000
MANY_HITS = 250


@check(7, "minimal CreateHIT -> Assignable, available = Max, NotReviewed")
def minimal_hit(bench: Bench) -> None:
    requester = bench.any_requester()
    for hit in (made := requester.post(MaxAssignments=3), requester.hit(made["HITId"])):
        same("HITStatus", hit["HITStatus"], "Assignable")
        same("HITReviewStatus", hit["HITReviewStatus"], "NotReviewed")
        same("MaxAssignments", hit["MaxAssignments"], 3)
        same("NumberOfAssignmentsAvailable", hit["NumberOfAssignmentsAvailable"], 3)


@check(8, "defaults: one assignment, 2592000")
def defaults(bench: Bench) -> None:
    hit = bench.any_requester().post()
    same("MaxAssignments", hit["MaxAssignments"], 1)
    same("AutoApprovalDelayInSeconds", hit["AutoApprovalDelayInSeconds"], MONTH_S)


@check(18, "same CreateHIT twice -> one HITTypeId, two HITIds")
def same_twice(bench: Bench) -> None:
    requester = bench.any_requester()
    first, second = requester.post(), requester.post()
    same("second HITTypeId", second["HITTypeId"], first["HITTypeId"])
    expect(first["HITId"] != second["HITId"], "both HITs have the same HITId")


@check(19, "other Keywords -> new HITTypeId; other annotation -> same")
def hit_type_terms(bench: Bench) -> None:
    requester = bench.any_requester()
    first = requester.post(Keywords="one")
    other_words = requester.post(Keywords="two")
    other_note = requester.post(Keywords="one", RequesterAnnotation="another")
    expect(other_words["HITTypeId"] != first["HITTypeId"], "other Keywords, and the same HITTypeId")
    same("HITTypeId with another annotation", other_note["HITTypeId"], first["HITTypeId"])


@check(30, "Max 9, +1 -> InvalidMaximumAssignmentsIncrease")
def nine_and_one(bench: Bench) -> None:
    requester = bench.any_requester()
    hit_id = requester.post(MaxAssignments=9)["HITId"]
    requester.refused(
        "create_additional_assignments_for_hit",
        HITId=hit_id,
        NumberOfAdditionalAssignments=1,
        code="InvalidMaximumAssignmentsIncrease",
    )
    same("MaxAssignments", requester.hit(hit_id)["MaxAssignments"], 9)


@check(31, "Max 10, +5 -> 15")
def ten_and_five(bench: Bench) -> None:
    requester = bench.any_requester()
    hit_id = requester.post(MaxAssignments=10)["HITId"]
    requester.api.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=5)
    hit = requester.hit(hit_id)
    same("MaxAssignments", hit["MaxAssignments"], 15)
    same("NumberOfAssignmentsAvailable", hit["NumberOfAssignmentsAvailable"], 15)


@check(33, "DeleteHIT Assignable -> InvalidHITState")
def delete_assignable(bench: Bench) -> None:
    requester = bench.any_requester()
    hit_id = requester.post()["HITId"]
    requester.refused("delete_hit", HITId=hit_id, code="InvalidHITState")
    same("HITStatus", requester.hit(hit_id)["HITStatus"], "Assignable")


@check(34, "DeleteHIT unreviewed -> error, after review ok")
def delete_unreviewed(bench: Bench) -> None:
    requester = bench.requester()
    hit = requester.post()
    assignment_id = bench.worker().do(hit)
    requester.refused("delete_hit", HITId=hit["HITId"])
    same("HITStatus", requester.hit(hit["HITId"])["HITStatus"], "Reviewable")
    requester.api.approve_assignment(AssignmentId=assignment_id)
    _delete(requester, hit["HITId"])


@check(35, "DeleteHIT from Reviewing ok")
def delete_reviewing(bench: Bench) -> None:
    requester = bench.requester()
    hit = requester.post()
    requester.api.approve_assignment(AssignmentId=bench.worker().do(hit))
    requester.api.update_hit_review_status(HITId=hit["HITId"], Revert=False)
    same("HITStatus", requester.hit(hit["HITId"])["HITStatus"], "Reviewing")
    _delete(requester, hit["HITId"])


@check(36, "after delete absent from ListHITs, override approve fails")
def deleted(bench: Bench) -> None:
    requester = bench.requester()
    hit = requester.post()
    assignment_id = bench.worker().do(hit)
    requester.api.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="No.")
    same("HITs before", requester.hits(), [hit["HITId"]])
    requester.api.delete_hit(HITId=hit["HITId"])
    same("HITs after", requester.hits(), [])
    requester.refused("approve_assignment", AssignmentId=assignment_id, OverrideRejection=True)


@check(46, "250 HITs, page 100 -> 3 pages and an empty one, newest first, no duplicates")
def pages(bench: Bench) -> None:
    requester = bench.requester()
    made = [requester.post()["HITId"] for _ in range(MANY_HITS)]
    paginator = requester.api.get_paginator("list_hits")
    listed = [
        [hit["HITId"] for hit in page["HITs"]]
        for page in paginator.paginate(PaginationConfig={"PageSize": 100})
    ]
    same("HITs on each page", [len(page) for page in listed], [100, 100, 50, 0])
    same("HITs listed", [hit_id for page in listed for hit_id in page], made[::-1])


@check(59, "UpdateHITTypeOfHIT after an accept -> error")
def change_type(bench: Bench) -> None:
    requester = bench.requester()
    hit, other = requester.post(Title="One"), requester.post(Title="Another")
    untouched = requester.post(Title="Two")["HITId"]
    change = requester.api.update_hit_type_of_hit
    change(HITId=untouched, HITTypeId=other["HITTypeId"])
    same("HITTypeId before any accept", requester.hit(untouched)["HITTypeId"], other["HITTypeId"])
    bench.worker().accept(hit)
    requester.refused("update_hit_type_of_hit", HITId=hit["HITId"], HITTypeId=other["HITTypeId"])
    same("HITTypeId", requester.hit(hit["HITId"])["HITTypeId"], hit["HITTypeId"])


def _delete(requester: Requester, hit_id: str) -> None:
    """Delete a HIT and check that it is no longer listed."""
    requester.api.delete_hit(HITId=hit_id)
    same("HITs after deletion", requester.hits(), [])
