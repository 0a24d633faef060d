"""Events, and the subscriptions that are told of them: at least once, in no promised order."""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from crowd.marketplace.tools.prolific.state.entities import Json, Subscription, Workspace

EVENT_TYPES = (
    "submission.status.change",
    "study.status.change",
    "study.progress.change",
    "study.has_high_return_rate",
)
RETRIES = 11
WITHIN = timedelta(hours=24)
FAILING_DAYS = timedelta(days=5)
# Each wait is twice the one before, and together they last a day.
FIRST_WAIT = WITHIN / (2**RETRIES - 1)


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """One event on its way to one subscription."""

    subscription: Subscription
    event_id: str
    happened_at: datetime
    body: bytes
    attempt: int = 0

    def headers(self, *, secret: str, now: datetime) -> dict[str, str]:
        timestamp = str(int(now.timestamp()))
        return {
            "Content-Type": "application/json",
            "X-Event-ID": self.event_id,
            "X-Timestamp": self.happened_at.isoformat(),
            "X-Prolific-Request-Timestamp": timestamp,
            "X-Prolific-Request-Signature": sign(secret, timestamp=timestamp, body=self.body),
        }

    def again(self) -> "Delivery":
        return Delivery(
            subscription=self.subscription,
            event_id=self.event_id,
            happened_at=self.happened_at,
            body=self.body,
            attempt=self.attempt + 1,
        )


@dataclass
class Hooks:
    """Subscriptions and what is to be sent to them. The faults are counts of deliveries."""

    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    waiting: list[Delivery] = field(default_factory=list)
    # Tests set these: how often each is sent more, how many are lost, whether all wait for a release.
    repeats: int = 0
    lose: int = 0
    holds: bool = False
    last_at: datetime | None = None
    # What sends; the server sets it.
    send: Callable[[Delivery], object] | None = None

    def announce(self, *, workspace: Workspace, event_type: str, now: datetime, **payload: str | int) -> None:
        happened_at = self._moment(now)
        body = json.dumps({"event_type": event_type, **payload}).encode()
        event_id = secrets.token_hex(12)
        for subscription in list(self.subscriptions.values()):
            if wants(subscription, workspace=workspace, event_type=event_type):
                self._queue(subscription, event_id=event_id, happened_at=happened_at, body=body)

    def deliver(self) -> None:
        """Hand what waits to the sender, but while a test holds it back."""
        if self.holds or self.send is None:
            return
        self._send_all(self.waiting)

    def release(self, *, backward: bool) -> None:
        """End the hold, and send what it held back."""
        self.holds = False
        if backward:
            self.waiting.reverse()
        self.deliver()

    def _queue(
        self, subscription: Subscription, *, event_id: str, happened_at: datetime, body: bytes
    ) -> None:
        delivery = Delivery(subscription=subscription, event_id=event_id, happened_at=happened_at, body=body)
        if self.lose > 0:
            self.lose -= 1
            note(delivery, status="LOST", now=happened_at)
            return
        self.waiting.extend([delivery] * (1 + self.repeats))

    def _send_all(self, deliveries: list[Delivery]) -> None:
        while deliveries and self.send is not None:
            self.send(deliveries.pop(0))

    def _moment(self, now: datetime) -> datetime:
        """Each event has a time of its own, so that they can be put in order."""
        if self.last_at is not None and now <= self.last_at:
            now = self.last_at + timedelta(microseconds=1)
        self.last_at = now
        return now


def wants(subscription: Subscription, *, workspace: Workspace, event_type: str) -> bool:
    is_on = subscription.is_enabled and subscription.is_confirmed
    return is_on and subscription.workspace is workspace and subscription.event_type == event_type


def sign(secret: str, *, timestamp: str, body: bytes) -> str:
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def note(delivery: Delivery, *, status: str, now: datetime) -> None:
    entry: Json = {
        "id": delivery.event_id,
        "status": status,
        "attempt": delivery.attempt,
        "event_type": delivery.subscription.event_type,
        "date_updated": now.isoformat(),
        "payload": json.loads(delivery.body),
    }
    delivery.subscription.log.append(entry)


def wait_before(attempt: int) -> timedelta:
    """How long the retry of this number waits after the attempt before it."""
    waited: timedelta = FIRST_WAIT * (1 << (attempt - 1))
    return waited
