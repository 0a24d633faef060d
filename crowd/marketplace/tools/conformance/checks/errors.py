"""Requests that the wire refuses, and the errors it answers with."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.loaders import Loader
from botocore.model import ListShape, ServiceModel, Shape, StructureShape

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.outcomes import expect, same
from crowd.marketplace.tools.conformance.questions import external
from crowd.marketplace.tools.conformance.registry import check
from crowd.marketplace.tools.conformance.requester import TARGET, Keys, Requester, hit_input

UNKNOWN_ID = "3UNKNOWN00000000000000000000X"
AUTH_ERRORS = {"InvalidSignatureException", "UnrecognizedClientException", "AccessDeniedException"}
UNROUTED = {"UnknownOperationException", "InternalFailure", "NotImplementedError"}


@check(1, "GetHIT unknown -> RequestError HITDoesNotExist")
def get_hit_unknown(bench: Bench) -> None:
    bench.any_requester().refused("get_hit", HITId=UNKNOWN_ID, kind="RequestError", code="HITDoesNotExist")


@check(2, "GetAssignment unknown -> AssignmentDoesNotExist")
def get_assignment_unknown(bench: Bench) -> None:
    bench.any_requester().refused("get_assignment", AssignmentId=UNKNOWN_ID, code="AssignmentDoesNotExist")


@check(3, "all 39 targets routed; unknown target -> 400")
def every_operation_routed(bench: Bench) -> None:
    """Send input that the model allows: the operation itself answers, if only that the id is unknown."""
    requester = bench.any_requester()
    model = ServiceModel(Loader().load_service_model("mturk", "service-2"), "mturk")
    same("operations of the service model", len(model.operation_names), 39)
    for name in model.operation_names:
        shape = model.operation_model(name).input_shape
        answer = requester.send_signed(target=f"{TARGET}.{name}", body=_smallest(shape) if shape else {})
        expect(answer.status in (200, 400), f"{name} answered HTTP {answer.status}")
        kind = json.loads(answer.text).get("__type", "")
        expect(kind not in UNROUTED, f"{name} is not routed: {answer.text}")
    unknown = requester.send_signed(target=f"{TARGET}.MakeCoffee")
    same("HTTP status of an unknown target", unknown.status, 400)


def _smallest(shape: Shape) -> Any:
    """The smallest input that the model allows."""
    if isinstance(shape, StructureShape):
        return {name: _smallest(shape.members[name]) for name in shape.required_members}
    if isinstance(shape, ListShape):
        return [_smallest(shape.member)]
    if enum := getattr(shape, "enum", None):
        return enum[0]
    if shape.type_name == "string":
        return "0.01" if shape.name == "CurrencyAmount" else "A1CONFORMANCE"
    return {"boolean": False, "timestamp": 0}.get(shape.type_name, 60)


@check(4, "bad signature or unknown key -> auth error")
def unauthentic(bench: Bench) -> None:
    requester = bench.any_requester()
    right = requester.keys
    wrong_secret = Keys(access_key_id=right.access_key_id, secret_access_key=right.secret_access_key + "x")
    wrong_key = Keys(access_key_id="UNKNOWNKEY0000000000", secret_access_key=right.secret_access_key)
    for keys in (wrong_secret, wrong_key):
        liar = Requester(endpoint=requester.endpoint, keys=keys)
        answer = liar.send_signed(target=f"{TARGET}.GetAccountBalance")
        expect(answer.status in (400, 401, 403), f"HTTP {answer.status} for a bad signature")
        kind = json.loads(answer.text)["__type"].rpartition("#")[2]
        expect(kind in AUTH_ERRORS, f"kind of error: {kind}")


@check(5, "timestamps parse to datetime")
def timestamps(bench: Bench) -> None:
    before = datetime.now(tz=UTC) - timedelta(minutes=5)
    hit = bench.any_requester().post(LifetimeInSeconds=3600)
    for name in ("CreationTime", "Expiration"):
        expect(isinstance(hit[name], datetime), f"{name} is {hit[name]!r}")
    same("Expiration - CreationTime", hit["Expiration"] - hit["CreationTime"], timedelta(hours=1))
    expect(hit["CreationTime"] > before, f"CreationTime is {hit['CreationTime']}")


@check(9, "no question or layout -> 400")
def no_question(bench: Bench) -> None:
    bench.any_requester().refused("create_hit", **hit_input(Question=None))


@check(10, "malformed XML -> ParameterValidationError")
def malformed_xml(bench: Bench) -> None:
    question = external().replace("</ExternalQuestion>", "")
    _refuse_hit(bench, kind="ParameterValidationError", Question=question)


@check(11, "wrong namespace -> same")
def wrong_namespace(bench: Bench) -> None:
    question = external(namespace="http://example.org/ExternalQuestion.xsd")
    _refuse_hit(bench, kind="ParameterValidationError", Question=question)


@check(12, "http ExternalURL (not loopback) -> error")
def plain_http(bench: Bench) -> None:
    _refuse_hit(bench, Question=external("http://example.org/question"))


@check(13, "question of 65,536 bytes -> error")
def question_too_long(bench: Bench) -> None:
    requester = bench.any_requester()
    longest = external(pad_to=65_535)
    requester.post(Question=longest)
    requester.refused("create_hit", **hit_input(Question=external(pad_to=65_536)))


@check(14, 'Reward "0.123" or "abc" -> ValidationException')
def bad_reward(bench: Bench) -> None:
    for reward in ("0.123", "abc"):
        _refuse_hit(bench, kind="ValidationException", Reward=reward)


@check(15, "Lifetime 29 -> error")
def lifetime_too_short(bench: Bench) -> None:
    _refuse_hit(bench, LifetimeInSeconds=29)
    bench.any_requester().post(LifetimeInSeconds=30)


@check(16, "eleven requirements -> error")
def eleven_requirements(bench: Bench) -> None:
    requester = bench.any_requester()
    wanted = [
        {
            "QualificationTypeId": _make_type(requester, number),
            "Comparator": "Exists",
            "ActionsGuarded": "Accept",
        }
        for number in range(11)
    ]
    requester.post(QualificationRequirements=wanted[:10])
    requester.refused("create_hit", **hit_input(QualificationRequirements=wanted))


def _make_type(requester: Requester, number: int) -> str:
    made = requester.api.create_qualification_type(
        Name=f"Conformance {number} {datetime.now(tz=UTC).timestamp()}",
        Description="One of eleven.",
        QualificationTypeStatus="Active",
    )
    return str(made["QualificationType"]["QualificationTypeId"])


@check(17, "ActionsGuarded + RequiredToPreview -> InvalidParameterCombinationError")
def both_guards(bench: Bench) -> None:
    requirement = {
        "QualificationTypeId": "00000000000000000040",
        "Comparator": "GreaterThan",
        "IntegerValues": [1],
        "ActionsGuarded": "Accept",
        "RequiredToPreview": True,
    }
    _refuse_hit(bench, kind="InvalidParameterCombinationError", QualificationRequirements=[requirement])


@check(47, "MaxResults 101 -> ValidationException")
def page_too_long(bench: Bench) -> None:
    requester = bench.any_requester()
    requester.refused("list_hits", MaxResults=101, kind="ValidationException")
    requester.api.list_hits(MaxResults=100)


@check(48, "ListBonusPayments without ids -> error")
def bonuses_of_nothing(bench: Bench) -> None:
    bench.any_requester().refused("list_bonus_payments")


def _refuse_hit(bench: Bench, *, kind: str = "", **changes: Any) -> None:
    """Check that the HIT is refused, and that none was made."""
    requester = bench.any_requester()
    before = requester.hits()
    requester.refused("create_hit", **hit_input(**changes), kind=kind)
    same("HITs after the refusal", requester.hits(), before)
