from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db import transaction

from crowd.marketplace.database import ALIAS
from crowd.marketplace.delivery import sweep
from crowd.marketplace.delivery.interface import invalid_endpoint
from crowd.marketplace.delivery.registry import transport_of
from crowd.marketplace.errors import ParameterValidationError
from crowd.marketplace.models import Topic
from crowd.marketplace.operations.hit_types import find_hit_type
from crowd.marketplace.operations.registry import Call, operation
from crowd.marketplace.services import events, topics
from crowd.marketplace.services.notifications import (
    Wish,
    find_destination,
    set_notification,
    switch_notification,
)

VERSIONS = ("2006-05-05", "2014-08-15")


@operation
def update_notification_settings(call: Call) -> Mapping[str, Any]:
    hit_type = find_hit_type(call)
    is_active = call.params.get("Active")
    if call.params.get("Notification") is not None:
        set_notification(hit_type=hit_type, wish=_read_wish(call), is_active=is_active, now=call.now)
    elif is_active is not None:
        switch_notification(hit_type=hit_type, is_active=is_active)
    else:
        raise ParameterValidationError(
            "Send a Notification, or Active, or both.", code="InvalidParameterValue"
        )
    return {}


@operation
def send_test_event_notification(call: Call) -> Mapping[str, Any]:
    """Send a test event after commit, while the caller waits for its outcome.

    A topic's subscribers may be many, so the caller does not wait for them. The row is written first:
    if this process dies, the sweep sends it.
    """
    wish = _read_wish(call)
    if wish.topic:
        return _test_topic(call, wish.topic)
    events.refuse_second_test(requester=call.requester, now=call.now, grace=sweep.LEASE)
    event = events.record_test(
        destination=find_destination(
            requester=call.requester, transport=wish.transport, address=wish.address, now=call.now
        ),
        event_type=call.text("TestEventType"),
        now=call.now,
        grace=sweep.LEASE,
    )
    transaction.on_commit(partial(sweep.deliver_test, event=event, now=call.now), using=ALIAS)
    return {}


def _test_topic(call: Call, topic: Topic) -> Mapping[str, Any]:
    if not events.record_topic_test(topic=topic, event_type=call.text("TestEventType"), now=call.now):
        raise invalid_endpoint("This topic has no confirmed subscription.")
    return {}


def _read_wish(call: Call) -> Wish:
    given = call.params["Notification"]
    if given["Version"] not in VERSIONS:
        raise ParameterValidationError(
            f"Version must be one of {', '.join(VERSIONS)}.", code="InvalidParameterValue"
        )
    if not given["EventTypes"]:
        raise ParameterValidationError("Name at least one of EventTypes.", code="InvalidParameterValue")
    topic = None
    if given["Transport"] == "SNS":
        topic = topics.lock_topic(requester=call.requester, arn=given["Destination"])
    if topic is None:
        transport_of(name=given["Transport"], address=given["Destination"]).check(given["Destination"])
    return Wish(
        transport=given["Transport"],
        address=given["Destination"],
        version=given["Version"],
        event_types=given["EventTypes"],
        topic=topic,
    )
