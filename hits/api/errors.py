"""The one place that turns our errors into HTTP answers."""

from typing import Any

from django.core.exceptions import RequestDataTooBig, ValidationError
from rest_framework import status
from rest_framework.exceptions import ValidationError as InvalidRequest
from rest_framework.response import Response
from rest_framework.views import exception_handler

from hits.core.errors import CrowdError, InvalidItems, ProviderError, RuleBroken


def answer_error(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer an error with its status and body. None if it is unexpected: Django then answers 500."""
    if isinstance(error, ValidationError):
        error = InvalidRequest(getattr(error, "message_dict", error.messages))
    if isinstance(error, RequestDataTooBig):
        return Response({"detail": "The body is too large. Send it in parts."}, status=413)
    if not isinstance(error, CrowdError):
        return exception_handler(error, context)
    code, body = _describe(error)
    return Response(body, status=code)


def _describe(error: CrowdError) -> tuple[int, dict[str, Any]]:
    if isinstance(error, RuleBroken):
        return status.HTTP_409_CONFLICT, {"code": error.code, "message": str(error)}
    if isinstance(error, InvalidItems):
        problems = {"code": "invalid_items", "message": "Nothing was added.", "problems": error.problems}
        return status.HTTP_400_BAD_REQUEST, problems
    if isinstance(error, ProviderError):
        message = f"The provider of this account answered: {error}"
        return status.HTTP_502_BAD_GATEWAY, {"code": "provider", "message": message}
    return status.HTTP_409_CONFLICT, {"code": "refused", "message": str(error)}
