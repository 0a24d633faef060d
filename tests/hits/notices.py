"""Documents as providers send them."""

import json
from datetime import datetime
from typing import Any
from uuid import uuid4

from tests.factories import NOW


def told(kind: str, *, hit: str = "HIT1", assignment: str = "", at: datetime = NOW) -> dict[str, Any]:
    event = {
        "EventType": kind,
        "EventTimestamp": at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "HITId": hit,
        "HITTypeId": "TYPE1",
    }
    return {**event, "AssignmentId": assignment} if assignment else event


def document(*events: dict[str, Any], document_id: str = "") -> str:
    return json.dumps(
        {
            "Events": list(events),
            "EventDocId": document_id or uuid4().hex,
            "SourceAccount": "AREQUESTER",
            "CustomerId": "AREQUESTER",
            "EventDocVersion": "2014-08-15",
        }
    )
