"""Messages to workers, blocks, and the notifications that requesters receive of their HITs."""

from typing import Any

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.listener import Listener
from crowd.marketplace.tools.conformance.outcomes import expect, same
from crowd.marketplace.tools.conformance.registry import check
from crowd.marketplace.tools.conformance.requester import Requester, notification

STRANGER = "A1NOBODYKNOWSME"
MANY = 1000
LATE_S = 120


@check(52, "NotifyWorkers stranger -> 200 + HardFailure; 101 ids -> error")
def notify_stranger(bench: Bench) -> None:
    requester = bench.any_requester()
    message = {"Subject": "Hello", "MessageText": "Thank you."}
    answer = requester.api.notify_workers(**message, WorkerIds=[STRANGER])
    [failure] = answer["NotifyWorkersFailureStatuses"]
    same("NotifyWorkersFailureCode", failure["NotifyWorkersFailureCode"], "HardFailure")
    same("WorkerId", failure["WorkerId"], STRANGER)
    requester.refused("notify_workers", **message, WorkerIds=[f"A1WORKER{number}" for number in range(101)])


@check(53, "CreateWorkerBlock unknown -> ParameterValidationError; DeleteWorkerBlock unblocked -> 200")
def blocks(bench: Bench) -> None:
    requester = bench.requester()
    requester.refused(
        "create_worker_block", WorkerId=STRANGER, Reason="Unknown.", kind="ParameterValidationError"
    )
    same("blocks", requester.api.list_worker_blocks()["WorkerBlocks"], [])
    answer = requester.api.delete_worker_block(WorkerId=bench.worker().external_id)
    same("HTTP status", answer["ResponseMetadata"]["HTTPStatusCode"], 200)


@check(67, "one EventDocId twice, reordered -> one effect")
def twice_and_reordered(bench: Bench) -> None:
    """Folding by EventDocId and EventTimestamp must give exactly what ListAssignmentsForHIT says."""
    requester = bench.requester()
    hit = requester.post(MaxAssignments=3)
    with bench.listener() as listener:
        kinds = ["AssignmentAccepted", "AssignmentSubmitted", "AssignmentApproved", "AssignmentRejected"]
        requester.listen(hit["HITTypeId"], listener.address, kinds)
        for kind in ("late", "duplicate", "reorder"):
            bench.control.fault(kind, seconds=LATE_S, remaining=MANY)
        expected = _work_on(bench, requester, hit)
        listener.wait(
            "every event twice",
            lambda heard: _is_complete(heard, expected),
            nudge=lambda: _pass_time(bench),
        )
    documents = listener.documents()
    _expect_twice(documents)
    times = [document["Events"][0]["EventTimestamp"] for _, document in documents]
    expect(times != sorted(times), f"the notifications came in order: {times}")
    same("what the notifications say", _fold(documents), _listed(requester, hit))


def _work_on(bench: Bench, requester: Requester, hit: dict[str, Any]) -> int:
    """Do work and return the number of events to expect. The clock moves, so each has its own second."""
    assignments = []
    for _ in range(3):
        bench.control.advance(5)
        worker = bench.worker()
        work = worker.accept(hit)
        bench.control.advance(5)
        worker.submit(work)
        assignments.append(work.assignment_id)
    bench.control.advance(5)
    requester.api.approve_assignment(AssignmentId=assignments[0])
    bench.control.advance(5)
    requester.api.reject_assignment(AssignmentId=assignments[1], RequesterFeedback="No.")
    return 8


def _pass_time(bench: Bench) -> None:
    """Pass the time in two steps: each event is made late, then all of them are due at once."""
    bench.control.settle()
    bench.control.advance(LATE_S + 10)
    bench.control.settle()


def _is_complete(listener: Listener, expected: int) -> bool:
    documents = listener.documents()
    names = [document["EventDocId"] for _, document in documents]
    return len(set(names)) >= expected and len(names) >= 2 * expected


def _expect_twice(documents: list[tuple[bytes, dict[str, Any]]]) -> None:
    """Check that each document came at least twice, byte for byte the same."""
    by_name: dict[str, list[bytes]] = {}
    for body, document in documents:
        by_name.setdefault(document["EventDocId"], []).append(body)
    for name, bodies in by_name.items():
        expect(len(bodies) >= 2, f"{name} came once only")
        same(f"bodies of {name}", len(set(bodies)), 1)


def _fold(documents: list[tuple[bytes, dict[str, Any]]]) -> dict[str, str]:
    """Take each document once, by time: the last event is the assignment's status."""
    once = {document["EventDocId"]: document for _, document in documents}
    events = [event for document in once.values() for event in document["Events"]]
    statuses = {}
    for event in sorted(events, key=lambda event: event["EventTimestamp"]):
        statuses[event["AssignmentId"]] = event["EventType"].removeprefix("Assignment")
    return statuses


def _listed(requester: Requester, hit: dict[str, Any]) -> dict[str, str]:
    return {one["AssignmentId"]: one["AssignmentStatus"] for one in requester.assignments(hit["HITId"])}


@check(68, "Ping by SendTestEventNotification; Active=false silences")
def ping_and_silence(bench: Bench) -> None:
    requester = bench.requester()
    hit = requester.post(MaxAssignments=3)
    with bench.listener() as listener:
        told = notification(listener.address, ["AssignmentAccepted"])
        requester.api.send_test_event_notification(Notification=told, TestEventType="Ping")
        listener.wait("Ping", Listener.events, nudge=bench.control.settle)
        same("events", [event["EventType"] for event in listener.events()], ["Ping"])
        requester.listen(hit["HITTypeId"], listener.address, ["AssignmentAccepted"])
        requester.api.update_notification_settings(HITTypeId=hit["HITTypeId"], Active=False)
        silenced = bench.worker().accept(hit).assignment_id
        requester.api.update_notification_settings(HITTypeId=hit["HITTypeId"], Active=True)
        heard = bench.worker().accept(hit).assignment_id
        listener.wait("AssignmentAccepted", lambda it: len(it.events()) > 1, nudge=bench.control.settle)
        bench.control.settle()
        told_of = [event.get("AssignmentId") for event in listener.events()[1:]]
        expect(silenced not in told_of, "an event came although Active was false")
        same("assignments told of", told_of, [heard])
