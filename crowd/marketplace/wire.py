"""The endpoint that boto3 speaks to: target, signature, shape, operation, answer."""

import json
from datetime import datetime
from typing import Any

import structlog
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from crowd.marketplace import shapes, sigv4
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import APIError, SerializationException, UnknownOperation
from crowd.marketplace.operations import OPERATIONS, Call
from crowd.marketplace.services import work

CONTENT_TYPE = "application/x-amz-json-1.1"
log = structlog.get_logger()


def api(request: HttpRequest) -> HttpResponse:
    """One signed call. The operation runs in one transaction: an error leaves nothing behind."""
    now = timezone.now()
    try:
        return _answer(_call(request, now=now))
    except APIError as error:
        log.info("marketplace.api.refused", kind=error.kind, code=error.code)
        return _answer(_error_body(error, now=now), status=error.status)


def _call(request: HttpRequest, *, now: datetime) -> Any:
    service = shapes.service_model()
    prefix, _, name = request.headers.get("X-Amz-Target", "").rpartition(".")
    operation = shapes.operation_model(name) if prefix == service.metadata["targetPrefix"] else None
    if operation is None:
        raise UnknownOperation(f"There is no operation {name or '(none)'} in this service.")
    key = sigv4.verify(request, now=now)
    params = _read_body(request)
    if operation.input_shape:
        shapes.check_input(params, operation.input_shape)
    run = OPERATIONS.get(name)
    if run is None:
        raise UnknownOperation(f"{name} is not served by this marketplace yet.")
    work.settle(now=now)
    with atomic():
        return run(Call(requester=key.requester, params=params, now=now))


def _read_body(request: HttpRequest) -> dict[str, Any]:
    try:
        body = json.loads(request.body or b"{}")
    except (ValueError, RecursionError):
        raise SerializationException("The body must be JSON.") from None
    if not isinstance(body, dict):
        raise SerializationException("The body must be a JSON object.")
    return {name: value for name, value in body.items() if value is not None}


def _error_body(error: APIError, *, now: datetime) -> dict[str, str]:
    stamped = f"{error.message} ({int(now.timestamp() * 1000)})"
    body = {"__type": error.kind, "Message": stamped, "message": stamped}
    if error.code:
        body["TurkErrorCode"] = f"AWS.MechanicalTurk.{error.code}"
    return body


def _answer(body: Any, *, status: int = 200) -> HttpResponse:
    return HttpResponse(json.dumps(shapes.write_output(body)), content_type=CONTENT_TYPE, status=status)
