"""Errors as Prolific tells them: a detail is a text, a list, or an object of fields."""

from http import HTTPStatus
from typing import Any

Detail = str | list[str] | dict[str, list[str]]
CODES = {
    400: 140001,
    401: 140101,
    404: 140401,
    405: 140501,
    422: 142201,
    429: 142901,
    500: 150001,
    502: 150201,
}


class Refused(Exception):
    """A request that is not done; nothing has changed."""

    def __init__(self, status: int, detail: Detail) -> None:
        super().__init__(str(detail))
        self.status = status
        self.detail = detail


def error_object(status: int, detail: Any) -> dict[str, Any]:
    return {
        "status": status,
        "error_code": CODES.get(status, status * 1000),
        "title": HTTPStatus(status).phrase,
        "detail": detail,
        "additional_information": {},
    }


def error_body(status: int, detail: Any) -> dict[str, Any]:
    return {"error": error_object(status, detail)}
