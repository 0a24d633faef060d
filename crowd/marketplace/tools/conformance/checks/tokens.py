"""UniqueRequestToken: a repeat is an error for a day, and a new call afterwards."""

from uuid import uuid4

from botocore.exceptions import ClientError

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.outcomes import Failed, expect, same
from crowd.marketplace.tools.conformance.registry import check
from crowd.marketplace.tools.conformance.requester import hit_input

DAY_S = 86_400


@check(20, "same token within 24 h -> HitAlreadyExists naming the HIT, one HIT")
def repeated_token(bench: Bench) -> None:
    requester, token = bench.requester(), str(uuid4())
    hit_id = requester.post(UniqueRequestToken=token)["HITId"]
    bench.control.advance(DAY_S - 60)
    refusal = requester.refused(
        "create_hit", **hit_input(UniqueRequestToken=token), kind="RequestError", code="HitAlreadyExists"
    )
    expect(hit_id in refusal.message, f"the message does not name {hit_id}: {refusal.message}")
    same("HITs", requester.hits(), [hit_id])


@check(21, "same token at 24 h + 1 s -> second HIT")
def token_after_a_day(bench: Bench) -> None:
    requester, token = bench.requester(), str(uuid4())
    first = requester.post(UniqueRequestToken=token)["HITId"]
    bench.control.advance(DAY_S + 1)
    second = requester.post(UniqueRequestToken=token)["HITId"]
    same("HITs", sorted(requester.hits()), sorted([first, second]))


@check(22, "500 after commit, boto retries with the token -> one HIT")
def failed_after_commit(bench: Bench) -> None:
    requester = bench.requester()
    bench.control.fault("fail_after", operation="CreateHIT")
    try:
        requester.patient_api.create_hit(**hit_input(UniqueRequestToken=str(uuid4())))
    except ClientError as error:
        [hit_id] = requester.hits()
        same("kind of error", error.response["Error"]["Code"], "RequestError")
        code = str(error.response.get("TurkErrorCode"))
        same("TurkErrorCode", code, "AWS.MechanicalTurk.HitAlreadyExists")
        expect(hit_id in str(error), f"the message does not name {hit_id}: {error}")
        same("repeats by boto3", error.response["ResponseMetadata"]["RetryAttempts"], 1)
        return
    raise Failed("boto3's repetition was not told that the HIT exists already")


@check(23, "token of 65 -> ValidationException")
def token_too_long(bench: Bench) -> None:
    requester = bench.any_requester()
    requester.refused("create_hit", **hit_input(UniqueRequestToken="x" * 65), kind="ValidationException")
    requester.post(UniqueRequestToken=uuid4().hex * 2)


@check(32, "CreateAdditional twice with one token -> one increase, error")
def one_increase(bench: Bench) -> None:
    requester, token = bench.any_requester(), str(uuid4())
    hit_id = requester.post(MaxAssignments=2)["HITId"]
    more = {"HITId": hit_id, "NumberOfAdditionalAssignments": 3, "UniqueRequestToken": token}
    requester.api.create_additional_assignments_for_hit(**more)
    requester.refused("create_additional_assignments_for_hit", **more)
    same("MaxAssignments", requester.hit(hit_id)["MaxAssignments"], 5)


@check(49, "SendBonus twice with one token -> one payment, error")
def one_payment(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    assignment_id = worker.do(requester.post())
    bonus = {
        "WorkerId": worker.external_id,
        "AssignmentId": assignment_id,
        "BonusAmount": "1.00",
        "Reason": "Well done.",
        "UniqueRequestToken": str(uuid4()),
    }
    requester.api.send_bonus(**bonus)
    balance = requester.balance()
    requester.refused("send_bonus", **bonus)
    same(
        "bonuses",
        requester.bonuses(AssignmentId=assignment_id),
        [(worker.external_id, assignment_id, "1.00")],
    )
    same("balance after the refusal", requester.balance(), balance)
