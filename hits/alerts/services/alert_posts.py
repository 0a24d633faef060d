"""One alert as JSON to a lab's own address, signed with a key that the lab knows. Chats read its `text`."""

import hashlib
import hmac
import json
from datetime import datetime
from typing import Any

from django.conf import settings

from hits.alerts.models import Alert, AlertHook
from hits.alerts.services.alert_words import address_of_page
from hits.common.outgoing import outgoing_posts
from hits.common.outgoing.outgoing_addresses import Target, is_on_loopback
from hits.common.outgoing.outgoing_addresses import read_target as read_any

SIGNATURE = "X-Crowd-Signature"
DELIVERY = "X-Crowd-Delivery"


def read_target(address: str) -> Target:
    """Check the form of an address. Raises Undeliverable if it can never be posted to."""
    return read_any(address, is_local=is_on_loopback(settings.PUBLIC_URL))


def post_alert(*, alert: Alert, hook: AlertHook, now: datetime) -> None:
    """Post the alert. Raises Undeliverable, which is unclear if no answer came."""
    body = json.dumps(document_of(alert)).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "crowd",
        SIGNATURE: signature(body, secret=hook.secret, at=int(now.timestamp())),
        # The same at every try, by which a receiver knows a repetition.
        DELIVERY: str(alert.pk),
    }
    outgoing_posts.post_document(read_target(hook.address), body=body, headers=headers)


def document_of(alert: Alert) -> dict[str, Any]:
    occurrence = alert.occurrence
    return {
        "text": f"{occurrence.words} {address_of_page(occurrence)}",
        "kind": occurrence.kind,
        "words": occurrence.words,
        "url": address_of_page(occurrence),
        "study": str(occurrence.study.public_id) if occurrence.study else None,
        "at": occurrence.at.isoformat(),
    }


def signature(body: bytes, *, secret: str, at: int) -> str:
    """Return the time and an HMAC (SHA-256) over the time, a dot, and the body."""
    digest = hmac.new(secret.encode(), b"%d.%s" % (at, body), hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"
