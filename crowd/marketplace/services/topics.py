"""Topics and their subscriptions. No address is sent any event before it has confirmed."""

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.db.models import QuerySet

from crowd.marketplace import domain
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import TopicRefused
from crowd.marketplace.models import Destination, Event, Subscription, Topic
from crowd.marketplace.models.parties import Requester

NAME = re.compile(r"[A-Za-z0-9_-]{1,256}", re.ASCII)
CONFIRMATION = "SubscriptionConfirmation"
CONFIRMATION_LIFE = timedelta(days=3)
FIELDS = {"DisplayName": ("display_name", 100), "Policy": ("policy", 30_720)}  # with their most characters
MOST_TOPICS = 1000  # a requester's
MOST_SUBSCRIPTIONS = 20  # a topic's: each of its events becomes as many rows


def create_topic(*, requester: Requester, name: str, now: datetime) -> Topic:
    """The requester's topic of this name, made if it does not exist."""
    if not NAME.fullmatch(name):
        raise TopicRefused(
            "Invalid parameter: Topic Name. Use 1 to 256 letters, digits, hyphens, underscores."
        )
    with atomic():
        Requester.objects.select_for_update(no_key=True).get(pk=requester.pk)
        known = Topic.objects.filter(requester=requester, name=name).first()
        if known:
            return known
        if requester.topics.count() >= MOST_TOPICS:
            raise TopicRefused(
                f"You have {MOST_TOPICS} topics. Delete some first.", code="TopicLimitExceeded", status=403
            )
        return Topic.objects.create(requester=requester, name=name, created_at=now)


def set_attribute(*, topic: Topic, name: str, value: str) -> None:
    """Keep a topic's name for display, or its policy. Raises TopicRefused for one that is none."""
    field, most = FIELDS[name]
    if len(value) > most:
        raise TopicRefused(f"Invalid parameter: {name} has more than {most} characters.")
    if name == "Policy" and value:
        _read_policy(value)
    setattr(topic, field, value)
    topic.save(update_fields=[field])


def add_statement(*, topic: Topic, label: str, accounts: Sequence[str], actions: Sequence[str]) -> None:
    """Add a statement to the topic's policy, under a label that none has yet."""
    with atomic():
        locked = Topic.objects.select_for_update(no_key=True).get(pk=topic.pk)
        policy = _read_policy(locked.policy or '{"Version": "2008-10-17"}')
        if any(one.get("Sid") == label for one in _statements(policy)):
            raise TopicRefused("Invalid parameter: Statement already exists")
        statement = {
            "Sid": label,
            "Effect": "Allow",
            "Principal": {"AWS": list(accounts)},
            "Action": [f"SNS:{action}" for action in actions],
            "Resource": topic.arn,
        }
        _write_policy(locked, {**policy, "Statement": [*_statements(policy), statement]})


def remove_statement(*, topic: Topic, label: str) -> None:
    """Take the statement of this label out of the topic's policy, if there is one."""
    with atomic():
        locked = Topic.objects.select_for_update(no_key=True).get(pk=topic.pk)
        policy = _read_policy(locked.policy or "{}")
        kept = [one for one in _statements(policy) if one.get("Sid") != label]
        if len(kept) < len(_statements(policy)):
            _write_policy(locked, {**policy, "Statement": kept})


def _read_policy(text: str) -> Mapping[str, Any]:
    try:
        policy = json.loads(text)
    except (ValueError, RecursionError):
        policy = None
    if not isinstance(policy, dict) or not isinstance(policy.get("Statement", []), list | dict):
        raise TopicRefused("Invalid parameter: Policy is no JSON object with a list of statements.")
    return policy


def _statements(policy: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The policy's statements; one alone may stand without a list."""
    found = policy.get("Statement", [])
    return [one for one in (found if isinstance(found, list) else [found]) if isinstance(one, dict)]


def _write_policy(topic: Topic, policy: Mapping[str, Any]) -> None:
    set_attribute(topic=topic, name="Policy", value=json.dumps(policy))


def find_topic(*, requester: Requester, arn: str) -> Topic | None:
    """The requester's topic with this ARN. Another requester's topic counts as missing."""
    name = arn.rpartition(":")[2]
    if not NAME.fullmatch(name) or arn != domain.topic_arn(account=requester.pk, name=name):
        return None
    return Topic.objects.filter(requester=requester, name=name).first()


def lock_topic(*, requester: Requester, arn: str) -> Topic | None:
    """Lock a topic, so that it is not deleted before a new row refers to it. Callers hold the transaction."""
    found = find_topic(requester=requester, arn=arn)
    return Topic.objects.select_for_update(no_key=True).filter(pk=found.pk).first() if found else None


def delete_topic(*, requester: Requester, arn: str) -> None:
    """Delete a topic with its subscriptions and the settings of HIT types that use it. Idempotent."""
    with atomic():
        topic = lock_topic(requester=requester, arn=arn)
        if topic:
            _end(Subscription.objects.filter(topic=topic))
            topic.delete()


def subscribe(*, topic: Topic, protocol: str, endpoint: str, now: datetime) -> Subscription:
    """Subscribe an address and ask whether it agrees. Callers have locked the topic and checked the address.

    A repeated request sends another confirmation message, unless the last one still waits to be sent.
    """
    found = Subscription.objects.filter(topic=topic, endpoint=endpoint).first()
    subscription = found or _make(topic, protocol=protocol, endpoint=endpoint, now=now)
    if not subscription.confirmed_at and not _waiting(subscription.destination_id).exists():
        subscription.asked_at = now
        subscription.save(update_fields=["asked_at"])
        Event.objects.create(
            destination_id=subscription.destination_id, event_type=CONFIRMATION, occurred_at=now, due_at=now
        )
    return subscription


def confirm_subscription(*, token: str, now: datetime, topic: Topic | None = None) -> Subscription:
    """Confirm a subscription for the holder of its token. Idempotent. Raises TopicRefused."""
    theirs = Subscription.objects.filter(token=token, **({"topic": topic} if topic else {}))
    still_good = theirs.filter(confirmed_at=None, asked_at__gt=now - CONFIRMATION_LIFE)
    still_good.update(confirmed_at=now)
    confirmed = theirs.filter(confirmed_at__isnull=False).first()
    if not confirmed:
        raise TopicRefused("Invalid parameter: Token. It is unknown or older than three days.")
    return confirmed


def find_subscription(*, requester: Requester, arn: str) -> Subscription | None:
    mine = Subscription.objects.select_related("topic").filter(topic__requester=requester)
    return mine.filter(arn=arn).first()


def unsubscribe(*, requester: Requester, arn: str) -> None:
    """End a subscription: nothing more is sent, not even what waits. Idempotent."""
    with atomic():
        _end(Subscription.objects.filter(topic__requester=requester, arn=arn))


def _make(topic: Topic, *, protocol: str, endpoint: str, now: datetime) -> Subscription:
    if topic.subscriptions.count() >= MOST_SUBSCRIPTIONS:
        raise TopicRefused(
            f"This topic has {MOST_SUBSCRIPTIONS} subscriptions.",
            code="SubscriptionLimitExceeded",
            status=403,
        )
    arn = f"{topic.arn}:{uuid4()}"
    # Its address is the subscription, not the endpoint: one endpoint may subscribe to several topics.
    destination = Destination.objects.create(
        requester_id=topic.requester_id, transport="SNS", address=arn, free_at=now
    )
    return Subscription.objects.create(
        topic=topic,
        destination=destination,
        arn=arn,
        protocol=protocol,
        endpoint=endpoint,
        token=secrets.token_hex(32),
        asked_at=now,
    )


def _end(subscriptions: QuerySet[Subscription]) -> None:
    """Delete subscriptions and their waiting events. Destinations stay until their events are forgotten."""
    for subscription in subscriptions:
        _waiting(subscription.destination_id).delete()
        subscription.delete()


def _waiting(destination_id: int) -> QuerySet[Event]:
    return Event.objects.filter(destination_id=destination_id, delivered_at=None, given_up_at=None)
