"""The query protocol: the request is a form, the answer is XML."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import parse_qsl
from uuid import uuid4

from django.http import HttpRequest, HttpResponse

from crowd.marketplace.errors import TopicRefused
from crowd.marketplace.parameter_validation import UNSTORABLE

NAMESPACE = "http://sns.amazonaws.com/doc/2010-03-31/"
UNPRINTABLE = re.compile("[^\t\n -\ud7ff\ue000-\ufffd]")  # no XML can hold them
MOST_FIELDS = 200

Value = str | Sequence["Value"] | Mapping[str, "Value"]


def read_form(request: HttpRequest) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            request.body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise TopicRefused("The body is not a form in UTF-8.", code="MalformedQueryString") from None
    if any(UNSTORABLE.search(text) for pair in pairs for text in pair):
        raise TopicRefused("No value may hold the character NUL.")
    return dict(pairs)


def write_answer(action: str, result: Mapping[str, Value] | None = None) -> HttpResponse:
    """Write the XML answer. Actions without a result have no element for it either."""
    inner: dict[str, Value] = {} if result is None else {f"{action}Result": result}
    return _respond(f"{action}Response", {**inner, "ResponseMetadata": {"RequestId": str(uuid4())}})


def write_error(message: str, *, code: str, status: int) -> HttpResponse:
    kind = "Sender" if status < 500 else "Receiver"
    error = {"Type": kind, "Code": code, "Message": message}
    return _respond("ErrorResponse", {"Error": error, "RequestId": str(uuid4())}, status=status)


def attributes(values: Mapping[str, str]) -> Mapping[str, Value]:
    return {"Attributes": {"entry": [{"key": key, "value": value} for key, value in values.items()]}}


def _respond(name: str, content: Mapping[str, Value], *, status: int = 200) -> HttpResponse:
    text = f'<{name} xmlns="{NAMESPACE}">{_write(content)}</{name}>'
    return HttpResponse(text, content_type="text/xml", status=status)


def _write(value: Value) -> str:
    """Write a value as XML; a list repeats its element."""
    if isinstance(value, str):
        return escape(UNPRINTABLE.sub("?", value))
    if isinstance(value, Mapping):
        return "".join(_element(name, inner) for name, inner in value.items())
    raise TypeError("Only a named list can be written.")


def _element(name: str, value: Value) -> str:
    values = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    return "".join(f"<{name}>{_write(one)}</{name}>" for one in values)
