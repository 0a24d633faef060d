"""The endpoint that boto3 speaks to: target, signature, shape, operation, answer."""

import json
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any
from urllib.parse import unquote

import structlog
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from crowd.marketplace import clock, parameter_validation, sigv4
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import (
    APIError,
    BodyTooLarge,
    SerializationException,
    ServiceFault,
    Throttled,
    UnknownOperation,
)
from crowd.marketplace.models.parties import AccessKey
from crowd.marketplace.operations import OPERATIONS, Call
from crowd.marketplace.services import epochs, faults, work
from hits.common import rates

LARGEST_BODY = 1_048_576
# Not part of the API: clients that do not know this header ignore it.
EPOCH = "X-Marketplace-Epoch"
# Not part of the API either: words to the worker, percent-encoded, where an operation has no parameter.
REASON = "X-Marketplace-Reason"
LONGEST_REASON = 1024
CONTENT_TYPE = "application/x-amz-json-1.1"
log = structlog.get_logger()


def api(request: HttpRequest) -> HttpResponse:
    """Answer one signed call. The operation runs in one transaction: an error leaves nothing behind."""
    try:
        answer = _answer(_call(request))
    except APIError as error:
        log.info("marketplace.api.refused", kind=error.kind, code=error.code)
        answer = _answer(_error_body(error, now=timezone.now()), status=error.status)
    answer[EPOCH] = epochs.current()
    return answer


def elsewhere() -> HttpResponse:
    """The answer to a program that calls an address where no API is, for its endpoint is spelled wrongly."""
    error = UnknownOperation(f"There is no API at this address. The endpoint is {settings.MARKETPLACE_URL}/")
    return _answer(_error_body(error, now=timezone.now()), status=404)


def fault() -> HttpResponse:
    """The answer to an unforeseen error: the caller may ask again, and boto3 does so by itself."""
    error = ServiceFault("The service failed. Nothing was changed; try again.")
    return _answer(_error_body(error, now=timezone.now()), status=error.status)


def _call(request: HttpRequest) -> Any:
    service = parameter_validation.service_model()
    prefix, _, name = request.headers.get("X-Amz-Target", "").rpartition(".")
    operation = (
        parameter_validation.operation_model(name) if prefix == service.metadata["targetPrefix"] else None
    )
    if operation is None:
        raise UnknownOperation(f"There is no operation {name or '(none)'} in this service.")
    key = admit(request, service=sigv4.SERVICE, must_sign=sigv4.MUST_SIGN)
    params = _read_body(request)
    if operation.input_shape:
        parameter_validation.check_input(params, operation.input_shape)
    faults.before(name)
    now = clock.now()
    work.settle_unless_just_done(now=now)
    with atomic():
        reason = _read_reason(request)
        call = Call(operation=name, requester=key.requester, params=params, now=now, reason=reason)
        answer = OPERATIONS[name](call)
    faults.after(name)
    return answer


def admit(request: HttpRequest, *, service: str, must_sign: AbstractSet[str]) -> AccessKey:
    """The key that signed the call to either API. Raises BodyTooLarge, SignatureRefused or Throttled."""
    _refuse_large_body(request)
    key = sigv4.verify(request, now=timezone.now(), service=service, must_sign=must_sign)
    if not rates.allow("key", key.access_key_id, per_second=settings.MARKETPLACE_KEY_RATE):
        raise Throttled("Rate exceeded")
    return key


def _refuse_large_body(request: HttpRequest) -> None:
    """Raise BodyTooLarge. The largest call carries 64 KiB of question, far below Django's limit."""
    try:
        size = len(request.body)
    except RequestDataTooBig:
        size = LARGEST_BODY + 1
    if size > LARGEST_BODY:
        raise BodyTooLarge(f"The body is longer than {LARGEST_BODY} bytes.")


def _read_body(request: HttpRequest) -> dict[str, Any]:
    try:
        body = json.loads(request.body or b"{}")
    except (ValueError, RecursionError):
        raise SerializationException("The body must be JSON.") from None
    if not isinstance(body, dict):
        raise SerializationException("The body must be a JSON object.")
    return {name: value for name, value in body.items() if value is not None}


def _read_reason(request: HttpRequest) -> str:
    """Return the caller's words to the worker; what no page could show is left out."""
    words = unquote(request.headers.get(REASON, ""))
    return "".join(sign for sign in words if sign.isprintable())[:LONGEST_REASON]


def _error_body(error: APIError, *, now: datetime) -> dict[str, str]:
    stamped = f"{error.message} ({int(now.timestamp() * 1000)})"
    body = {"__type": error.kind, "Message": stamped, "message": stamped}
    if error.code:
        body["TurkErrorCode"] = f"AWS.MechanicalTurk.{error.code}"
    return body


def _answer(body: Any, *, status: int = 200) -> HttpResponse:
    return HttpResponse(
        json.dumps(parameter_validation.write_output(body)), content_type=CONTENT_TYPE, status=status
    )
