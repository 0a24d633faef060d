"""The API calls about topics. Each function is named after the Action that it answers."""

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
NEEDLESS = {"DisplayName", "Policy"}  # the requester alone publishes, and no mail is sent
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

    def names(self, prefix: str) -> set[str]:
        """The keys of a map, which comes as Attributes.entry.1.key and so on."""
        return {
            value for key, value in self.form.items() if key.startswith(f"{prefix}.") and key.endswith(".key")
        }


Result = Mapping[str, Value] | None
Action = Callable[[Call], Result]
ACTIONS: dict[str, Action] = {}
Row = TypeVar("Row", Topic, Subscription)


def action(function: Action) -> Action:
    ACTIONS["".join(word.capitalize() for word in function.__name__.split("_"))] = function
    return function


@action
def create_topic(call: Call) -> Result:
    if more := call.names("Attributes") - NEEDLESS:
        raise TopicRefused(f"Invalid parameter: Attributes. Topics here have no attribute {min(more)[:100]}.")
    topic = topics.create_topic(requester=call.requester, name=call.needed("Name"), now=call.now)
    return {"TopicArn": topic.arn}


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
    topic = _found(topics.find_topic(requester=call.requester, arn=call.needed("TopicArn")), "Topic")
    confirmed = topic.subscriptions.filter(confirmed_at__isnull=False).count()
    return attributes(
        {
            "TopicArn": topic.arn,
            "Owner": _owner(topic),
            "DisplayName": "",
            "SubscriptionsConfirmed": str(confirmed),
            "SubscriptionsPending": str(topic.subscriptions.count() - confirmed),
            "SubscriptionsDeleted": "0",
        }
    )


@action
def subscribe(call: Call) -> Result:
    arn, protocol, endpoint = call.needed("TopicArn"), call.needed("Protocol"), call.needed("Endpoint")
    _check_endpoint(protocol, endpoint)
    if call.names("Attributes"):
        raise TopicRefused("Invalid parameter: Attributes. Subscriptions here have no attributes to set.")
    topic = _found(topics.lock_topic(requester=call.requester, arn=arn), "Topic")
    subscription = topics.subscribe(topic=topic, protocol=protocol, endpoint=endpoint, now=call.now)
    shows = subscription.confirmed_at or call.form.get("ReturnSubscriptionArn") == "true"
    return {"SubscriptionArn": subscription.arn if shows else "pending confirmation"}


@action
def confirm_subscription(call: Call) -> Result:
    arn, token = call.needed("TopicArn"), call.needed("Token")
    topic = _found(topics.find_topic(requester=call.requester, arn=arn), "Topic")
    return {"SubscriptionArn": topics.confirm_subscription(token=token, topic=topic, now=call.now).arn}


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
def list_subscriptions_by_topic(call: Call) -> Result:
    """List all subscriptions at once: a topic has few."""
    topic = _found(topics.find_topic(requester=call.requester, arn=call.needed("TopicArn")), "Topic")
    described = [_describe(subscription, topic) for subscription in topic.subscriptions.order_by("pk")]
    return {"Subscriptions": {"member": described}}


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
