"""The outbox of notifications: an event is written in the transaction of the change it reports."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from crowd.marketplace import domain
from crowd.marketplace.errors import Throttled
from crowd.marketplace.models import (
    HIT,
    Assignment,
    Destination,
    Event,
    NotificationSetting,
    Subscription,
    Topic,
)
from crowd.marketplace.models.parties import Requester


def record(*, hit: HIT, event_type: str, now: datetime, assignment: Assignment | None = None) -> None:
    """Queue the event if the HIT's type has an active setting for it. Callers hold the transaction.

    Runs on every accept and submit: one look-up by a unique index, and none at all where the HIT was
    read with select_related("hit_type__notification"). A topic's subscribers all get the same document.
    """
    setting: NotificationSetting | None = getattr(hit.hit_type, "notification", None)
    if setting is None or not setting.is_active or event_type not in setting.event_types:
        return
    document_id = domain.new_id(length=40)
    Event.objects.bulk_create(
        Event(
            destination_id=destination_id,
            document_id=document_id,
            event_type=event_type,
            hit_id=hit.external_id,
            hit_type_id=hit.hit_type.external_id,
            assignment_id=assignment.external_id if assignment else "",
            occurred_at=now,
            due_at=now,
        )
        for destination_id in _destinations_of(setting)
    )


def _destinations_of(setting: NotificationSetting) -> Sequence[int]:
    """The ids of a setting's destinations. Only a topic costs another look-up."""
    if setting.destination_id:
        return [setting.destination_id]
    confirmed = Subscription.objects.filter(topic__settings=setting, confirmed_at__isnull=False)
    return list(confirmed.order_by("pk").values_list("destination_id", flat=True))


def record_test(*, destination: Destination, event_type: str, now: datetime, grace: timedelta) -> Event:
    """Record an event about an invented HIT. The sweep skips it for `grace`, as the caller sends it."""
    return Event.objects.create(
        destination=destination,
        event_type=event_type,
        hit_id=domain.new_id(),
        hit_type_id=domain.new_id(),
        assignment_id=domain.new_id() if event_type.startswith("Assignment") else "",
        occurred_at=now,
        due_at=now + grace,
    )


def record_topic_test(*, topic: Topic, event_type: str, now: datetime) -> int:
    """Record a test event for each confirmed subscriber; return their number. The sweep sends them later."""
    confirmed = Subscription.objects.filter(topic=topic, confirmed_at__isnull=False)
    destinations = [found.destination for found in confirmed.select_related("destination")]
    for destination in destinations:
        record_test(destination=destination, event_type=event_type, now=now, grace=timedelta(0))
    return len(destinations)


def refuse_second_test(*, requester: Requester, now: datetime, grace: timedelta) -> None:
    """Raise Throttled if a test is under way: each keeps a web thread waiting. boto3 asks again by itself."""
    Requester.objects.select_for_update(no_key=True).get(pk=requester.pk)
    waiting = Event.objects.filter(
        destination__requester=requester, delivered_at=None, given_up_at=None, attempts=0, due_at__gt=now
    )
    if any(event.due_at - event.occurred_at == grace for event in waiting):
        raise Throttled("A test event of yours is on its way. Wait for its answer.")
