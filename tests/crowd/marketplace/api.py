"""The marketplace's API as its callers use it: through boto3, and by bare HTTP beneath it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials as AWSCredentials
from botocore.exceptions import ClientError
from botocore.httpsession import URLLib3Session
from django.utils import timezone

from crowd.marketplace.services.requesters import Credentials
from tests.aws import make_client
from tests.conftest import Sites
from tests.factories import external_question

TARGET = "MTurkRequesterServiceV20170117"


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """An error as boto3 reports it: the code of a RequestError is kept, the code of any other dropped."""

    status: int = 400
    kind: str = "RequestError"
    code: str = ""


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def refusal(self) -> Refusal:
        code = str(self.body.get("TurkErrorCode", ""))
        kind = str(self.body.get("__type", "(no JSON)"))
        return Refusal(status=self.status, kind=kind, code=code.rpartition(".")[2])


def client_of(sites: Sites, credentials: Credentials) -> Any:
    """A boto3 client without checks of its own, so that mistakes reach the server, and without retries."""
    return make_client(
        "mturk",
        endpoint_url=sites.marketplace,
        aws_access_key_id=credentials.access_key_id,
        aws_secret_access_key=credentials.secret_access_key,
        config=Config(parameter_validation=False, retries={"total_max_attempts": 1, "mode": "standard"}),
    )


def hit_input(**changes: Any) -> dict[str, Any]:
    """Parameters that CreateHIT needs; a change to None leaves a member out."""
    values: dict[str, Any] = {
        "Title": "Which pictures?",
        "Description": "Pick them.",
        "Reward": "0.05",
        "LifetimeInSeconds": 3600,
        "AssignmentDurationInSeconds": 600,
        "Question": external_question(),
        **changes,
    }
    return {name: value for name, value in values.items() if value is not None}


def refused(call: Callable[..., object], **values: Any) -> Refusal:
    return refusal_of(error_of(call, **values))


def error_of(call: Callable[..., object], **values: Any) -> ClientError:
    with pytest.raises(ClientError) as caught:
        call(**values)
    return caught.value


def refusal_of(error: ClientError) -> Refusal:
    response: Mapping[str, Any] = error.response
    return Refusal(
        status=response["ResponseMetadata"]["HTTPStatusCode"],
        kind=response["Error"]["Code"],
        code=str(response.get("TurkErrorCode", "")).rpartition(".")[2],
    )


class ClockedAuth(SigV4Auth):
    """A signer whose clock is wrong by `off_by`."""

    off_by = timedelta(0)

    def _modify_request_before_signing(self, request: Any) -> None:
        signed_at = timezone.now() + self.off_by
        request.context["timestamp"] = signed_at.strftime("%Y%m%dT%H%M%SZ")
        super()._modify_request_before_signing(request)  # type: ignore[misc]


def signed(
    sites: Sites,
    credentials: Credentials,
    *,
    operation: str = "GetAccountBalance",
    target: str | None = None,
    body: bytes | Mapping[str, Any] = b"{}",
    off_by: timedelta = timedelta(0),
    service: str = "mturk-requester",
) -> AWSRequest:
    """A request that is signed but not sent, so that a test can alter it on the way."""
    headers = {
        "Content-Type": "application/x-amz-json-1.1",
        "X-Amz-Target": target or f"{TARGET}.{operation}",
    }
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = AWSRequest(method="POST", url=f"{sites.marketplace}/", data=data, headers=headers)
    keys = AWSCredentials(credentials.access_key_id, credentials.secret_access_key)
    auth = ClockedAuth(keys, service, "us-east-1")
    auth.off_by = off_by
    auth.add_auth(request)
    return request


def send(request: AWSRequest) -> Answer:
    response = URLLib3Session().send(request.prepare())
    is_json = response.headers.get("Content-Type", "") == "application/x-amz-json-1.1"
    return Answer(status=response.status_code, body=json.loads(response.content) if is_json else {})
