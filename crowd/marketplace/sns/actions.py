"""The API calls about topics. Each function is named after the Action that it answers."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from crowd.marketplace.delivery.http_post import read_target
from crowd.marketplace.errors import TopicRefused
from crowd.marketplace.models import Subscription, Topic
from crowd.marketplace.models.parties import Requester
from crowd.marketplace.services import topics
from crowd.marketplace.sns.documents import Value, attributes
from hits.common.outgoing import Undeliverable

PAGE = 100
PLACE = re.compile(r"[0-9]{1,18}", re.ASCII)
KEPT = {"DisplayName", "Policy"}
PENDING = "PendingConfirmation"


@dataclass(frozen=True, kw_only=True)
class Call:
    """One signed request."""

    requester: Requester
    form: Mapping[str, str]
    now: datetime

    def needed(self, name: str) -> str:
        value = self.form.get(name, "")
        if not value:
            raise TopicRefused(f"Invalid parameter: {name} must be given.")
        return value

    def attributes(self) -> dict[str, str]:
        """The map of attributes, which comes as Attributes.entry.1.key and Attributes.entry.1.value."""
        return {
            name: self.form.get(f"{key.removesuffix('.key')}.value", "")
            for key, name in self.form.items()
            if key.startswith("Attributes.") and key.endswith(".key")
        }

    def members(self, name: str) -> list[str]:
        """A list, which comes as ActionName.member.1 and so on."""
        found = [value for key, value in self.form.items() if key.startswith(f"{name}.member.")]
        if not found:
            raise TopicRefused(f"Invalid parameter: {name} must be given.")
        return found


Result = Mapping[str, Value] | None
Action = Callable[[Call], Result]
ACTIONS: dict[str, Action] = {}
Row = TypeVar("Row", Topic, Subscription)


def action(function: Action) -> Action:
    ACTIONS["".join(word.capitalize() for word in function.__name__.split("_"))] = function
    return function


@action
def create_topic(call: Call) -> Result:
    given = call.attributes()
    for name in given:
        _check_kept(name)
    topic = topics.create_topic(requester=call.requester, name=call.needed("Name"), now=call.now)
    for name, value in given.items():
        topics.set_attribute(topic=topic, name=name, value=value)
    return {"TopicArn": topic.arn}


@action
def set_topic_attributes(call: Call) -> Result:
    name = call.needed("AttributeName")
    _check_kept(name)
    topics.set_attribute(topic=_own_topic(call), name=name, value=call.form.get("AttributeValue", ""))
    return None


@action
def add_permission(call: Call) -> Result:
    """Keep a statement of the topic's policy, as scripts make one that let the provider publish."""
    topics.add_statement(
        topic=_own_topic(call),
        label=call.needed("Label"),
        accounts=call.members("AWSAccountId"),
        actions=call.members("ActionName"),
    )
    return None


@action
def remove_permission(call: Call) -> Result:
    topics.remove_statement(topic=_own_topic(call), label=call.needed("Label"))
    return None


@action
def delete_topic(call: Call) -> Result:
    topics.delete_topic(requester=call.requester, arn=call.needed("TopicArn"))
    return None


@action
def list_topics(call: Call) -> Result:
    """List topics by name. NextToken is the name of the last one shown."""
    after = call.form.get("NextToken", "")
    found = list(call.requester.topics.filter(name__gt=after).order_by("name")[: PAGE + 1])
    shown = found[:PAGE]
    result: dict[str, Value] = {"Topics": {"member": [{"TopicArn": topic.arn} for topic in shown]}}
    return {**result, "NextToken": shown[-1].name} if len(found) > PAGE else result


@action
def get_topic_attributes(call: Call) -> Result:
    topic = _own_topic(call)
    confirmed = topic.subscriptions.filter(confirmed_at__isnull=False).count()
    return attributes(
        {
            "TopicArn": topic.arn,
            "Owner": _owner(topic),
            "DisplayName": topic.display_name,
            **({"Policy": topic.policy} if topic.policy else {}),
            "SubscriptionsConfirmed": str(confirmed),
            "SubscriptionsPending": str(topic.subscriptions.count() - confirmed),
            "SubscriptionsDeleted": "0",
        }
    )


@action
def subscribe(call: Call) -> Result:
    arn, protocol, endpoint = call.needed("TopicArn"), call.needed("Protocol"), call.needed("Endpoint")
    _check_endpoint(protocol, endpoint)
    if call.attributes():
        raise TopicRefused("Invalid parameter: Attributes. Subscriptions here have no attributes to set.")
    topic = _found(topics.lock_topic(requester=call.requester, arn=arn), "Topic")
    subscription = topics.subscribe(topic=topic, protocol=protocol, endpoint=endpoint, now=call.now)
    shows = subscription.confirmed_at or call.form.get("ReturnSubscriptionArn") == "true"
    return {"SubscriptionArn": subscription.arn if shows else "pending confirmation"}


@action
def confirm_subscription(call: Call) -> Result:
    token = call.needed("Token")
    confirmed = topics.confirm_subscription(token=token, topic=_own_topic(call), now=call.now)
    return {"SubscriptionArn": confirmed.arn}


@action
def unsubscribe(call: Call) -> Result:
    topics.unsubscribe(requester=call.requester, arn=call.needed("SubscriptionArn"))
    return None


@action
def get_subscription_attributes(call: Call) -> Result:
    arn = call.needed("SubscriptionArn")
    subscription = _found(topics.find_subscription(requester=call.requester, arn=arn), "Subscription")
    described = _describe(subscription, subscription.topic)
    return attributes(
        {
            **described,
            "SubscriptionArn": subscription.arn,
            PENDING: "false" if subscription.confirmed_at else "true",
            "RawMessageDelivery": "false",
        }
    )


@action
def list_subscriptions(call: Call) -> Result:
    """List the requester's subscriptions, oldest first. NextToken is the number of the last one shown."""
    after = call.form.get("NextToken", "") or "0"
    if not PLACE.fullmatch(after):
        raise TopicRefused("Invalid parameter: NextToken")
    rows = Subscription.objects.filter(topic__requester=call.requester, pk__gt=int(after))
    found = list(rows.select_related("topic").order_by("pk")[: PAGE + 1])
    shown = found[:PAGE]
    described = [_describe(subscription, subscription.topic) for subscription in shown]
    result: dict[str, Value] = {"Subscriptions": {"member": described}}
    return {**result, "NextToken": str(shown[-1].pk)} if len(found) > PAGE else result


@action
def list_subscriptions_by_topic(call: Call) -> Result:
    """List all subscriptions at once: a topic has few."""
    topic = _own_topic(call)
    described = [_describe(subscription, topic) for subscription in topic.subscriptions.order_by("pk")]
    return {"Subscriptions": {"member": described}}


def _own_topic(call: Call) -> Topic:
    return _found(topics.find_topic(requester=call.requester, arn=call.needed("TopicArn")), "Topic")


def _check_kept(name: str) -> None:
    if name not in KEPT:
        raise TopicRefused(f"Invalid parameter: Attributes. Topics here have no attribute {name[:100]}.")


def _describe(subscription: Subscription, topic: Topic) -> dict[str, str]:
    return {
        "SubscriptionArn": subscription.arn if subscription.confirmed_at else PENDING,
        "Owner": _owner(topic),
        "Protocol": subscription.protocol,
        "Endpoint": subscription.endpoint,
        "TopicArn": topic.arn,
    }


def _owner(topic: Topic) -> str:
    return topic.arn.split(":")[4]


def _found(row: Row | None, noun: str) -> Row:
    if row is None:
        raise TopicRefused(f"{noun} does not exist", code="NotFound", status=404)
    return row


def _check_endpoint(protocol: str, endpoint: str) -> None:
    """Apply the rules for a HIT type's own address. Raises TopicRefused if the endpoint breaks one."""
    if protocol not in ("http", "https"):
        raise TopicRefused("Invalid parameter: Protocol. This marketplace sends to https addresses only.")
    try:
        target = read_target(endpoint)
    except Undeliverable as problem:
        raise TopicRefused(f"Invalid parameter: Endpoint. {problem}") from None
    if target.is_tls != (protocol == "https"):
        raise TopicRefused("Invalid parameter: Endpoint must match the specified protocol")
