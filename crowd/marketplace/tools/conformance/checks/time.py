"""Deadlines that the clock decides, and the states of a HIT."""

from datetime import UTC, datetime, timedelta

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.listener import Listener
from crowd.marketplace.tools.conformance.outcomes import expect, same
from crowd.marketplace.tools.conformance.registry import check
from crowd.marketplace.tools.conformance.requester import Requester

DAY_S = 86_400
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@check(24, "the Max = 5 walkthrough, every row")
def walkthrough(bench: Bench) -> None:
    requester = bench.requester()
    hit = requester.post(MaxAssignments=5)
    workers = [bench.worker() for _ in range(6)]
    _is(requester, hit, "Assignable", available=5, pending=0)
    works = [worker.accept(hit) for worker in workers[:3]]
    _is(requester, hit, "Assignable", available=2, pending=3)
    works += [worker.accept(hit) for worker in workers[3:5]]
    for worker, work in list(zip(workers, works, strict=False))[:2]:
        worker.submit(work)
    _is(requester, hit, "Unassignable", available=0, pending=3)
    workers[2].give_back(works[2])
    _is(requester, hit, "Assignable", available=1, pending=2)
    works.append(workers[5].accept(hit))
    for worker, work in list(zip(workers, works, strict=True))[3:]:
        worker.submit(work)
    _is(requester, hit, "Reviewable", available=0, pending=0)
    same("NumberOfAssignmentsCompleted", requester.hit(hit["HITId"])["NumberOfAssignmentsCompleted"], 0)
    requester.api.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=EPOCH)
    _is(requester, hit, "Reviewable", available=0, pending=0)


@check(25, "return -> available + 1, AssignmentReturned")
def returned(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    hit = requester.post(MaxAssignments=2)
    with bench.listener() as listener:
        _listen(requester, hit, listener, "AssignmentReturned")
        work = worker.accept(hit)
        _is(requester, hit, "Assignable", available=1, pending=1)
        worker.give_back(work)
        _is(requester, hit, "Assignable", available=2, pending=0)
        listener.wait("AssignmentReturned", Listener.events, nudge=bench.control.settle)
        [event] = listener.events()
        same("EventType", event["EventType"], "AssignmentReturned")
        same("AssignmentId", event["AssignmentId"], work.assignment_id)


@check(26, "deadline passes -> Abandoned, available + 1, late submit refused")
def abandoned(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    hit = requester.post(AssignmentDurationInSeconds=600)
    with bench.listener() as listener:
        _listen(requester, hit, listener, "AssignmentAbandoned")
        work = worker.accept(hit)
        _is(requester, hit, "Unassignable", available=0, pending=1)
        bench.control.advance(601)
        _is(requester, hit, "Assignable", available=1, pending=0)
        late = worker.submit(work)
        expect(400 <= late.status < 500, f"HTTP {late.status} for the late submit")
        same("assignments", requester.assignments(hit["HITId"]), [])
        listener.wait("AssignmentAbandoned", Listener.events, nudge=bench.control.settle)
        [event] = listener.events()
        same("EventType", event["EventType"], "AssignmentAbandoned")


@check(27, "expire with one pending -> Unassignable, submit still works, then Reviewable")
def expired_with_work(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    hit = requester.post(MaxAssignments=2)
    work = worker.accept(hit)
    requester.api.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=EPOCH)
    same("HITStatus", requester.hit(hit["HITId"])["HITStatus"], "Unassignable")
    expect(bench.worker().try_accept(hit) is None, "an expired HIT was accepted")
    same("HTTP status of handing in", worker.submit(work).status, 200)
    [assignment] = requester.assignments(hit["HITId"])
    same("AssignmentStatus", assignment["AssignmentStatus"], "Submitted")
    _is(requester, hit, "Reviewable", available=0, pending=0)


@check(28, "ExpireAt = 0 expires")
def expire_at_zero(bench: Bench) -> None:
    requester = bench.any_requester()
    hit = requester.post()
    requester.api.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    _is(requester, hit, "Reviewable", available=0, pending=0)


@check(29, "extending an expired HIT -> Assignable")
def extend_expired(bench: Bench) -> None:
    requester = bench.any_requester()
    hit = requester.post(MaxAssignments=2)
    requester.api.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    later = requester.hit(hit["HITId"])["CreationTime"] + timedelta(days=2)
    requester.api.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=later)
    _is(requester, hit, "Assignable", available=2, pending=0)
    seen = requester.hit(hit["HITId"])["Expiration"]
    expect(abs(seen - later) < timedelta(seconds=1), f"Expiration is {seen}, not {later}")


@check(43, "delay 0 -> approved at submit; delay N -> at AutoApprovalTime")
def auto_approval(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    at_once = worker.do(requester.post(Title="At once", AutoApprovalDelayInSeconds=0))
    same("AssignmentStatus", requester.assignment(at_once)["AssignmentStatus"], "Approved")
    later = worker.do(requester.post(Title="Later", AutoApprovalDelayInSeconds=DAY_S))
    due = requester.assignment(later)
    same("delay", due["AutoApprovalTime"] - due["SubmitTime"], timedelta(seconds=DAY_S))
    bench.control.advance(DAY_S - 60)
    same("AssignmentStatus", requester.assignment(later)["AssignmentStatus"], "Submitted")
    bench.control.advance(61)
    approved = requester.assignment(later)
    same("AssignmentStatus", approved["AssignmentStatus"], "Approved")
    same("ApprovalTime", approved["ApprovalTime"], due["AutoApprovalTime"])


def _is(requester: Requester, hit: dict[str, object], status: str, *, available: int, pending: int) -> None:
    seen = requester.hit(str(hit["HITId"]))
    counts = (seen["NumberOfAssignmentsAvailable"], seen["NumberOfAssignmentsPending"])
    same("status, available, pending", (seen["HITStatus"], *counts), (status, available, pending))


def _listen(requester: Requester, hit: dict[str, object], listener: Listener, event_type: str) -> None:
    requester.listen(str(hit["HITTypeId"]), listener.address, [event_type])
