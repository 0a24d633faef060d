"""The content of a notification: the same document, to the letter, at every attempt."""

import json
from datetime import UTC, datetime

from crowd.marketplace.models import Event

VERSION = "2014-08-15"


def document_of(event: Event) -> str:
    requester_id = event.destination.requester.external_id
    described = {
        "EventType": event.event_type,
        "EventTimestamp": iso(event.occurred_at, timespec="seconds"),
        "HITId": event.hit_id,
        "HITTypeId": event.hit_type_id,
    }
    if event.assignment_id:
        described["AssignmentId"] = event.assignment_id
    return json.dumps(
        {
            "Events": [described],
            "EventDocId": event.document_id,
            "SourceAccount": requester_id,
            "CustomerId": requester_id,
            "EventDocVersion": VERSION,
        }
    )


def iso(instant: datetime, *, timespec: str) -> str:
    return instant.astimezone(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")
