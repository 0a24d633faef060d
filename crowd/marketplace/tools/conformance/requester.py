"""A requester with the real boto3 client, and a way to sign calls that boto3 would not send."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from typing import Any

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from crowd.marketplace.tools.conformance.browser import Answer, Browser
from crowd.marketplace.tools.conformance.outcomes import Failed, expect, same
from crowd.marketplace.tools.conformance.questions import external

REGION = "us-east-1"
TARGET = "MTurkRequesterServiceV20170117"
CODES = "AWS.MechanicalTurk."
REFUSALS = {
    "RequestError",
    "ParameterValidationError",
    "ValidationException",
    "InvalidParameterCombinationError",
}


@dataclass(frozen=True, kw_only=True)
class Keys:
    access_key_id: str
    secret_access_key: str
    ticket_key: str = ""


@dataclass(frozen=True, kw_only=True)
class Refusal:
    kind: str
    code: str
    message: str


@cache
def _session() -> boto3.session.Session:
    """The boto3 session, shared so that the service's model is read only once."""
    return boto3.session.Session()


class Requester:
    """A requester. The client checks and repeats nothing, so that every mistake reaches the server."""

    def __init__(self, *, endpoint: str, keys: Keys) -> None:
        self.endpoint = endpoint
        self.keys = keys
        self._last_body: Mapping[str, Any] = {}

    @cached_property
    def api(self) -> Any:
        client = self._client(parameter_validation=False, attempts=1)
        client.meta.events.register("before-parse.mturk", self._keep_body)
        return client

    @cached_property
    def patient_api(self) -> Any:
        """A client as a real program has it: it repeats failed calls by itself."""
        return self._client(parameter_validation=True, attempts=5)

    def _client(self, *, parameter_validation: bool, attempts: int) -> Any:
        return _session().client(
            "mturk",
            region_name=REGION,
            endpoint_url=self.endpoint,
            aws_access_key_id=self.keys.access_key_id,
            aws_secret_access_key=self.keys.secret_access_key,
            config=Config(
                parameter_validation=parameter_validation,
                retries={"mode": "standard", "total_max_attempts": attempts},
                proxies={},
            ),
        )

    def _keep_body(self, response_dict: Mapping[str, Any], **_: object) -> None:
        """Keep the body of an answer: boto3 drops the codes of all errors but one kind."""
        try:
            body = json.loads(response_dict["body"])
        except ValueError:
            body = {}
        self._last_body = body if isinstance(body, dict) else {}

    def post(self, **changes: Any) -> dict[str, Any]:
        """Post a HIT and return it as CreateHIT describes it."""
        hit: dict[str, Any] = self.api.create_hit(**hit_input(**changes))["HIT"]
        return hit

    def hit(self, hit_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.api.get_hit(HITId=hit_id)["HIT"]
        return found

    def assignment(self, assignment_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.api.get_assignment(AssignmentId=assignment_id)["Assignment"]
        return found

    def assignments(self, hit_id: str, **values: Any) -> list[dict[str, Any]]:
        answer = self.api.list_assignments_for_hit(HITId=hit_id, MaxResults=100, **values)
        return list(answer["Assignments"])

    def hits(self) -> list[str]:
        """Every HITId, from every page."""
        pages = self.api.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 100})
        return [hit["HITId"] for page in pages for hit in page["HITs"]]

    def balance(self) -> Decimal:
        return Decimal(self.api.get_account_balance()["AvailableBalance"])

    def bonuses(self, **where: str) -> list[tuple[str, str, str]]:
        """Worker, assignment and amount of each bonus."""
        answer = self.api.list_bonus_payments(**where, MaxResults=100)
        return [
            (bonus["WorkerId"], bonus["AssignmentId"], bonus["BonusAmount"])
            for bonus in answer["BonusPayments"]
        ]

    def listen(self, hit_type_id: str, address: str, event_types: list[str]) -> None:
        self.api.update_notification_settings(
            HITTypeId=hit_type_id, Notification=notification(address, event_types), Active=True
        )

    def refused(self, method: str, *, kind: str = "", code: str = "", **values: Any) -> Refusal:
        """Check that the call is refused with HTTP 400, and with this kind and code if they are given."""
        try:
            getattr(self.api, method)(**values)
        except ClientError as error:
            return self._check_refusal(method, error, kind=kind, code=code)
        raise Failed(f"{method} was not refused")

    def _check_refusal(self, method: str, error: ClientError, *, kind: str, code: str) -> Refusal:
        status = error.response["ResponseMetadata"]["HTTPStatusCode"]
        refusal = Refusal(
            kind=error.response["Error"]["Code"],
            code=str(self._last_body.get("TurkErrorCode", "")),
            message=str(self._last_body.get("Message", "")),
        )
        same(f"{method}: HTTP status of {refusal}", status, 400)
        expect(refusal.kind in REFUSALS, f"{method} was refused by an error of the kind {refusal.kind}")
        if kind:
            same(f"{method}: kind of error ({refusal.message})", refusal.kind, kind)
        if code:
            same(f"{method}: TurkErrorCode ({refusal.message})", refusal.code, f"{CODES}{code}")
        return refusal

    def send_signed(self, *, target: str, body: Mapping[str, Any] | None = None) -> Answer:
        """Sign and send a call that boto3 has no method for."""
        data = json.dumps(body or {}).encode()
        url = f"{self.endpoint}/"
        headers = {"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": target}
        request = AWSRequest(method="POST", url=url, data=data, headers=headers)
        keys = Credentials(self.keys.access_key_id, self.keys.secret_access_key)
        SigV4Auth(keys, "mturk-requester", REGION).add_auth(request)
        return Browser(cookies=False).send(
            f"{self.endpoint}/", data=data, headers=dict(request.headers.items())
        )


def hit_input(**changes: Any) -> dict[str, Any]:
    """Input for CreateHIT; a change to None leaves a member out."""
    values: dict[str, Any] = {
        "Title": "Conformance",
        "Description": "A HIT of the conformance checks.",
        "Reward": "0.05",
        "LifetimeInSeconds": 86_400 * 200,
        "AssignmentDurationInSeconds": 3_600,
        "Question": external(),
        **changes,
    }
    return {name: value for name, value in values.items() if value is not None}


def notification(address: str, event_types: list[str]) -> dict[str, Any]:
    return {
        "Destination": address,
        "Transport": "SNS",
        "Version": "2014-08-15",
        "EventTypes": event_types,
    }
