"""Readers of the Requester API's notifications, which come from outside: nothing in them is trusted."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

LONGEST = 262_144  # bytes; queues and topics carry no more
MOST_EVENTS = 1000
DOCUMENT_ID = re.compile(r"[!-~]{1,128}", re.ASCII)
KIND = re.compile(r"[A-Za-z0-9]{1,40}", re.ASCII)
EXTERNAL_ID = re.compile(r"[A-Za-z0-9]{0,64}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class ReportedEvent:
    """One event, as a notification reports it."""

    kind: str
    occurred_at: datetime
    hit_id: str
    assignment_id: str


@dataclass(frozen=True, kw_only=True)
class Document:
    document_id: str
    events: list[ReportedEvent]


def read_document(text: str) -> Document:
    """Return the document. Raises ValueError if it is none, incomplete, or too large."""
    data = read_object(text)
    events = data.get("Events")
    if not isinstance(events, list) or not 0 < len(events) <= MOST_EVENTS:
        raise ValueError("There is no list of events.")
    return Document(
        document_id=_matched(DOCUMENT_ID, data.get("EventDocId"), "EventDocId"),
        events=[_read_event(event) for event in events],
    )


def read_object(text: str) -> dict[str, Any]:
    """Return a JSON object. Raises ValueError for anything else, and for text made to exhaust us."""
    if len(text) > LONGEST:
        raise ValueError("It is too long.")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("It is not JSON.") from None
    if not isinstance(data, dict):
        raise ValueError("It is not an object.")  # noqa: TRY004 (one kind of error for bad input)
    return data


def unwrap(text: str) -> str:
    """Return the document itself if a topic has wrapped it into a message of its own. Raises ValueError."""
    data = read_object(text)
    inner = data.get("Message")
    return inner if isinstance(inner, str) and data.get("Type") == "Notification" else text


def _read_event(data: Any) -> ReportedEvent:
    if not isinstance(data, dict):
        raise ValueError("An event is not an object.")  # noqa: TRY004
    return ReportedEvent(
        kind=_matched(KIND, data.get("EventType"), "EventType"),
        occurred_at=_read_moment(data.get("EventTimestamp")),
        hit_id=_matched(EXTERNAL_ID, data.get("HITId", ""), "HITId"),
        assignment_id=_matched(EXTERNAL_ID, data.get("AssignmentId", ""), "AssignmentId"),
    )


def _matched(pattern: re.Pattern[str], value: Any, name: str) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise ValueError(f"{name} is missing or not readable.")
    return value


def _read_moment(value: Any) -> datetime:
    if not isinstance(value, str):
        raise ValueError("EventTimestamp is missing.")  # noqa: TRY004
    try:
        moment = datetime.fromisoformat(value)
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("EventTimestamp is not readable.") from None
