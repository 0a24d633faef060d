"""Topics as boto3's SNS client sees them."""

from collections.abc import Mapping
from typing import Any

from botocore.config import Config
from django.utils import timezone

from crowd.marketplace.delivery.sweep import deliver_events
from crowd.marketplace.models import HIT, Subscription
from crowd.marketplace.services.requesters import Credentials
from tests.aws import make_client
from tests.conftest import Sites
from tests.crowd.marketplace.api import client_of, error_of
from tests.crowd.marketplace.receivers import Receiver

ENDPOINT = "https://example.org/events"
PARAMETER = (400, "InvalidParameter")
NOT_FOUND = (404, "NotFound")


def sns_of(sites: Sites, credentials: Credentials) -> Any:
    return make_client(
        "sns",
        endpoint_url=sites.marketplace,
        aws_access_key_id=credentials.access_key_id,
        aws_secret_access_key=credentials.secret_access_key,
        config=Config(parameter_validation=False, retries={"total_max_attempts": 1, "mode": "standard"}),
    )


def refused(call: Any, **values: Any) -> tuple[int, str]:
    """Status and XML code with which the call is refused."""
    response: Mapping[str, Any] = error_of(call, **values).response
    return response["ResponseMetadata"]["HTTPStatusCode"], response["Error"]["Code"]


def subscribe(sns: Any, topic: str, endpoint: str = ENDPOINT) -> str:
    subscription: str = sns.subscribe(
        TopicArn=topic, Protocol=endpoint.partition(":")[0], Endpoint=endpoint, ReturnSubscriptionArn=True
    )["SubscriptionArn"]
    return subscription


def make_topic(sns: Any, name: str = "experiment-1") -> str:
    arn: str = sns.create_topic(Name=name)["TopicArn"]
    return arn


def follow(sns: Any, topic: str, receiver: Receiver, *, path: str = "/events") -> str:
    """Subscribe the receiver, and confirm the subscription."""
    arn = subscribe(sns, topic, f"{receiver.url}{path}")
    sns.confirm_subscription(TopicArn=topic, Token=Subscription.objects.get(arn=arn).token)
    return arn


def tell(sites: Sites, credentials: Credentials, hit: HIT, topic: str) -> None:
    client_of(sites, credentials).update_notification_settings(
        HITTypeId=hit.hit_type.external_id, Notification=specification(topic), Active=True
    )


def specification(address: str) -> dict[str, Any]:
    return {
        "Destination": address,
        "Transport": "SNS",
        "Version": "2014-08-15",
        "EventTypes": ["AssignmentAccepted"],
    }


def pending(sns: Any, arn: str) -> str:
    attributes = sns.get_subscription_attributes(SubscriptionArn=arn)["Attributes"]
    return str(attributes["PendingConfirmation"])


def deliver() -> None:
    deliver_events(now=timezone.now())
