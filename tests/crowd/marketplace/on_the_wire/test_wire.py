"""The endpoint itself over real HTTP: who may call, what is routed, and what it says about bad input."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from botocore import xform_name
from botocore.exceptions import ClientError
from botocore.model import ListShape, OperationModel, Shape, StructureShape
from django.utils import timezone

from crowd.marketplace.models import HIT, HITType
from crowd.marketplace.models.parties import AccessKey
from crowd.marketplace.operations import OPERATIONS
from crowd.marketplace.parameter_validation import service_model
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import (
    TARGET,
    Answer,
    Refusal,
    client_of,
    error_of,
    hit_input,
    refusal_of,
    refused,
    send,
    signed,
)
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)

UNRECOGNIZED = Refusal(kind="UnrecognizedClientException")
WRONG_SIGNATURE = Refusal(kind="InvalidSignatureException")
SERIALIZATION = Refusal(kind="SerializationException")
UNKNOWN_OPERATION = Refusal(kind="UnknownOperationException")


@pytest.fixture
def client(sites: Sites, credentials: Credentials) -> Any:
    return client_of(sites, credentials)


def post(sites: Sites, credentials: Credentials, **values: Any) -> Answer:
    return send(signed(sites, credentials, **values))


def test_balance_is_the_deposit(client: Any) -> None:
    assert client.get_account_balance()["AvailableBalance"] == "100.00"


def test_unknown_hit_does_not_exist(client: Any) -> None:
    error = error_of(client.get_hit, HITId="NOSUCHHIT")

    assert refusal_of(error) == Refusal(code="HITDoesNotExist")
    assert error.response["Error"]["Message"].startswith("Hit NOSUCHHIT does not exist.")


def test_unknown_assignment_does_not_exist(client: Any) -> None:
    assert refused(client.get_assignment, AssignmentId="NOSUCH") == Refusal(code="AssignmentDoesNotExist")


def test_wrong_secret_is_refused(sites: Sites, credentials: Credentials) -> None:
    other = make_requester(now=timezone.now())
    mixed = Credentials(**{**vars(credentials), "secret_access_key": other.secret_access_key})

    assert refused(client_of(sites, mixed).create_hit, **hit_input()) == WRONG_SIGNATURE
    assert HIT.objects.count() == 0


def test_unknown_key_is_refused(sites: Sites, credentials: Credentials) -> None:
    unknown = Credentials(**{**vars(credentials), "access_key_id": "CROWD0000000000000000"})

    assert refused(client_of(sites, unknown).create_hit, **hit_input()) == UNRECOGNIZED
    assert HIT.objects.count() == 0


def test_revoked_key_is_refused(client: Any, credentials: Credentials) -> None:
    AccessKey.objects.filter(access_key_id=credentials.access_key_id).update(revoked_at=timezone.now())

    assert refused(client.create_hit, **hit_input()) == UNRECOGNIZED
    assert HIT.objects.count() == 0


def test_unsigned_request_is_refused(sites: Sites, credentials: Credentials) -> None:
    request = signed(sites, credentials, operation="CreateHIT", body=hit_input())
    del request.headers["Authorization"]

    assert send(request).refusal == Refusal(kind="MissingAuthenticationTokenException")
    assert HIT.objects.count() == 0


def test_body_changed_after_signing_is_refused(sites: Sites, credentials: Credentials) -> None:
    request = signed(sites, credentials, operation="CreateHIT", body=hit_input())
    request.data = json.dumps(hit_input(Reward="5.00")).encode()

    assert send(request).refusal == WRONG_SIGNATURE
    assert HIT.objects.count() == 0


def test_target_changed_after_signing_is_refused(sites: Sites, credentials: Credentials) -> None:
    request = signed(sites, credentials, operation="GetAccountBalance", body=hit_input())
    del request.headers["X-Amz-Target"]
    request.headers["X-Amz-Target"] = f"{TARGET}.CreateHIT"

    assert send(request).refusal == WRONG_SIGNATURE
    assert HIT.objects.count() == 0


def test_signature_for_another_service_is_refused(sites: Sites, credentials: Credentials) -> None:
    assert post(sites, credentials, service="s3").refusal == WRONG_SIGNATURE


@pytest.mark.parametrize("minutes", [-6, 6])
def test_clock_more_than_five_minutes_off_is_refused(
    sites: Sites, credentials: Credentials, minutes: int
) -> None:
    answer = post(
        sites,
        credentials,
        operation="CreateHIT",
        body=hit_input(),
        off_by=timedelta(minutes=minutes),
    )

    assert answer.refusal == WRONG_SIGNATURE
    assert HIT.objects.count() == 0


@pytest.mark.parametrize("minutes", [-4, 4])
def test_clock_less_than_five_minutes_off_passes(
    sites: Sites, credentials: Credentials, minutes: int
) -> None:
    answer = post(sites, credentials, off_by=timedelta(minutes=minutes))

    assert answer == Answer(status=200, body={"AvailableBalance": "100.00", "OnHoldBalance": "0.00"})


def test_same_signature_twice_passes(sites: Sites, credentials: Credentials) -> None:
    request = signed(sites, credentials)

    assert [send(request).status, send(request).status] == [200, 200]


@pytest.mark.parametrize("target", [f"{TARGET}.MakeHIT", "DynamoDB_20120810.CreateHIT", "CreateHIT", " "])
def test_unknown_target_is_refused(sites: Sites, credentials: Credentials, target: str) -> None:
    assert post(sites, credentials, target=target, body=hit_input()).refusal == UNKNOWN_OPERATION
    assert HIT.objects.count() == 0


def sample(shape: Shape) -> Any:
    """The least input that the service model accepts, so that only the operation itself can refuse."""
    if isinstance(shape, StructureShape):
        return {name: sample(shape.members[name]) for name in shape.required_members}
    if isinstance(shape, ListShape):
        return [sample(shape.member)]
    if enum := getattr(shape, "enum", None):
        return enum[0]
    text = {"CurrencyAmount": "1.00", "CountryParameters": "US"}.get(shape.name, "A1")
    return {"string": text, "boolean": True, "timestamp": 0}.get(shape.type_name, 60)


def outcome(client: Any, operation: OperationModel) -> Refusal | None:
    params = sample(operation.input_shape) if operation.input_shape else {}
    try:
        getattr(client, xform_name(operation.name))(**params)
    except ClientError as error:
        return refusal_of(error)
    return None


def test_every_operation_of_the_model_is_served(client: Any) -> None:
    model = service_model()

    outcomes = {name: outcome(client, model.operation_model(name)) for name in model.operation_names}

    assert len(outcomes) == 39
    assert set(OPERATIONS) == set(outcomes)
    assert {name: got for name, got in outcomes.items() if got and got.status != 400} == {}
    assert {name for name, got in outcomes.items() if got == UNKNOWN_OPERATION} == set()


def test_call_at_an_address_where_no_api_is_names_the_endpoint(
    sites: Sites, credentials: Credentials
) -> None:
    mistyped = Sites(public=sites.public, marketplace=f"{sites.marketplace}/mturk-requester")

    error = error_of(client_of(mistyped, credentials).get_account_balance)

    assert error.response["Error"]["Code"] == "UnknownOperationException"
    assert "The endpoint is http" in error.response["Error"]["Message"]


def test_body_that_is_no_json_object_is_refused(sites: Sites, credentials: Credentials) -> None:
    bodies = [b"no JSON", b"{", b"[]", b'"text"', b"null", b"1", b"\xff\xfe", b"{'a': 1}"]

    answers = [post(sites, credentials, operation="CreateHIT", body=body) for body in bodies]

    assert [answer.refusal for answer in answers] == [SERIALIZATION] * len(bodies)


def test_requirements_that_are_no_list_of_structures_are_refused(
    sites: Sites, credentials: Credentials
) -> None:
    wrong: list[object] = ["Exists", {"Comparator": "Exists"}, ["Exists"], [None], [[]]]

    answers = [
        post(sites, credentials, operation="CreateHIT", body=hit_input(QualificationRequirements=value))
        for value in wrong
    ]

    assert [answer.refusal for answer in answers] == [SERIALIZATION] * len(wrong)
    assert HIT.objects.count() == 0


def test_body_nested_without_end_is_refused(sites: Sites, credentials: Credentials) -> None:
    answer = post(sites, credentials, operation="CreateHIT", body=b"[" * 100_000)

    assert answer.refusal == SERIALIZATION


def test_empty_body_is_an_empty_object(sites: Sites, credentials: Credentials) -> None:
    assert post(sites, credentials, body=b"").status == 200


def test_null_is_an_absent_member(sites: Sites, credentials: Credentials) -> None:
    optional = ("MaxAssignments", "AutoApprovalDelayInSeconds", "QualificationRequirements", "Keywords")
    body = {**hit_input(), **dict.fromkeys(optional)}

    answers = [
        post(sites, credentials, operation="CreateHIT", body=body),
        post(sites, credentials, operation="ListHITs", body={"MaxResults": None, "NextToken": None}),
    ]

    assert [answer.status for answer in answers] == [200, 200]


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_text_that_no_database_keeps_is_refused(sites: Sites, credentials: Credentials, text: str) -> None:
    members = ("Title", "Description", "Keywords", "RequesterAnnotation", "UniqueRequestToken", "Question")
    requirement = {"QualificationTypeId": text, "Comparator": "Exists"}
    inputs = [hit_input(**{member: text}) for member in members]
    inputs.append(hit_input(QualificationRequirements=[requirement]))

    answers = [post(sites, credentials, operation="CreateHIT", body=body) for body in inputs]

    assert [answer.status for answer in answers] == [400] * len(inputs)
    assert HITType.objects.count() == 0


def test_page_token_of_half_a_character_is_refused(sites: Sites, credentials: Credentials) -> None:
    answer = post(sites, credentials, operation="ListHITs", body={"NextToken": "a:\ud800:c"})

    assert answer.status == 400


def test_instant_that_is_none_is_refused(sites: Sites, credentials: Credentials) -> None:
    hit_id = client_of(sites, credentials).create_hit(**hit_input())["HIT"]["HITId"]
    instants = ["NaN", "Infinity", "-Infinity", "1e400", '"tomorrow"', "1" + "0" * 400]
    bodies = [f'{{"HITId": "{hit_id}", "ExpireAt": {instant}}}'.encode() for instant in instants]

    answers = [post(sites, credentials, operation="UpdateExpirationForHIT", body=body) for body in bodies]

    wanted = Refusal(kind="ParameterValidationError", code="InvalidParameterValue")
    assert [answer.refusal for answer in answers] == [wanted] * len(bodies)
    assert HIT.objects.get().closed_at is None


def test_timestamps_parse_as_instants(client: Any) -> None:
    before = timezone.now()

    hit = client.create_hit(**hit_input(LifetimeInSeconds=3600))["HIT"]

    created: datetime = hit["CreationTime"]
    assert abs(created - before) < timedelta(minutes=1)
    assert hit["Expiration"] - created == timedelta(hours=1)


def test_error_carries_its_code_and_an_instant_on_the_wire(sites: Sites, credentials: Credentials) -> None:
    answer = post(sites, credentials, operation="GetHIT", body={"HITId": "NOSUCH"})

    stamped = answer.body["Message"]
    assert answer == Answer(
        status=400,
        body={
            "__type": "RequestError",
            "Message": stamped,
            "message": stamped,
            "TurkErrorCode": "AWS.MechanicalTurk.HITDoesNotExist",
        },
    )
    assert stamped.rpartition(" (")[0] == "Hit NOSUCH does not exist."


def test_failure_nobody_foresaw_is_told_in_json(
    sites: Sites, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(call: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(OPERATIONS, "GetAccountBalance", fail)

    assert refused(client.get_account_balance) == Refusal(status=500, kind="ServiceFault")
