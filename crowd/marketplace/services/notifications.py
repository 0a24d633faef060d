"""The events that a requester is notified of, and the addresses that they go to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from crowd.marketplace.errors import ParameterValidationError
from crowd.marketplace.models import Destination, HITType, NotificationSetting, Topic
from crowd.marketplace.models.parties import Requester


@dataclass(frozen=True, kw_only=True)
class Wish:
    transport: str
    address: str
    version: str
    event_types: Sequence[str]
    topic: Topic | None = None  # instead of the address


def set_notification(*, hit_type: HITType, wish: Wish, is_active: bool | None, now: datetime) -> None:
    """Replace a HIT type's notification.

    If `is_active` is None, a first one is active and a later one stays as it was. Callers hold the
    transaction, and have locked the topic if it is one.
    """
    requester, topic = hit_type.requester, wish.topic
    values = {
        "topic": topic,
        "destination": None
        if topic
        else find_destination(requester=requester, transport=wish.transport, address=wish.address, now=now),
        "version": wish.version,
        "event_types": list(dict.fromkeys(wish.event_types)),
        **({} if is_active is None else {"is_active": is_active}),
    }
    NotificationSetting.objects.update_or_create(hit_type=hit_type, defaults=values)


def switch_notification(*, hit_type: HITType, is_active: bool) -> None:
    """Switch notifications on or off. Earlier events are still sent: the outbox is not emptied."""
    if not NotificationSetting.objects.filter(hit_type=hit_type).update(is_active=is_active):
        raise ParameterValidationError(
            "This HIT type has no notification yet. Send a Notification along with Active.",
            code="InvalidParameterValue",
        )


def find_destination(*, requester: Requester, transport: str, address: str, now: datetime) -> Destination:
    destination, _ = Destination.objects.get_or_create(
        requester=requester, transport=transport, address=address, defaults={"free_at": now}
    )
    return destination
