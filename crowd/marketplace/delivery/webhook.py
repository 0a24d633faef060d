"""Plain JSON to the requester's own address, signed with the ticket key that the requester shares with us."""

import hashlib
import hmac
import time
from functools import partial

from crowd.marketplace.delivery.documents import document_of
from crowd.marketplace.delivery.http_post import post_document, read_target
from crowd.marketplace.delivery.interface import Send, invalid_endpoint
from crowd.marketplace.models import Event
from hits.common.outgoing import Undeliverable

PREFIX = "webhook+"
LONGEST = 2000  # the prefix included
HEADER = "X-Marketplace-Signature"


class Webhook:
    def check(self, address: str) -> None:
        if len(address) > LONGEST:
            raise invalid_endpoint(f"The address is longer than {LONGEST} characters.")
        try:
            read_target(address.removeprefix(PREFIX))
        except Undeliverable as problem:
            raise invalid_endpoint(str(problem)) from None

    def prepare(self, event: Event) -> Send:
        url = event.destination.address.removeprefix(PREFIX)
        return partial(_send, url, document_of(event).encode(), key=event.destination.requester.ticket_key)


def signature(body: bytes, *, key: str, signed_at: int) -> str:
    digest = hmac.new(key.encode(), b"%d.%s" % (signed_at, body), hashlib.sha256).hexdigest()
    return f"t={signed_at},v1={digest}"


def _send(url: str, body: bytes, *, key: str) -> None:
    # The receiver compares the time with its own clock, so this is the machine's time, never a turned one.
    signed = signature(body, key=key, signed_at=int(time.time()))
    post_document(url, body=body, headers={"Content-Type": "application/json", HEADER: signed})
