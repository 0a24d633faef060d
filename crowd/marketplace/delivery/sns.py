"""A post as Amazon's SNS makes it, so that programs which read those read ours."""

import base64
import json
from functools import partial
from uuid import NAMESPACE_URL, uuid5

from django.conf import settings

from crowd.marketplace.delivery import certificates
from crowd.marketplace.delivery.documents import document_of, iso
from crowd.marketplace.delivery.http_post import post_document, read_target
from crowd.marketplace.delivery.interface import Send, invalid_endpoint
from crowd.marketplace.models import Event, Subscription
from crowd.marketplace.services.topics import CONFIRMATION
from hits.common.outgoing import Undeliverable

# The signed members in this order, as far as they are present.
SIGNED = ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type")


class SNS:
    def check(self, address: str) -> None:
        if address.startswith("arn:"):
            raise invalid_endpoint(
                "You have no SNS topic of this ARN here. Give the https address that shall receive the posts "
                "itself, or webhook+https://... for plain signed JSON, or make the topic here first."
            )
        try:
            read_target(address)
        except Undeliverable as problem:
            raise invalid_endpoint(str(problem)) from None

    def prepare(self, event: Event) -> Send:
        destination = event.destination
        subscription: Subscription | None = getattr(destination, "subscription", None)
        if subscription is None and destination.address.startswith("arn:"):
            return _fail_unsubscribed
        message = sign(_confirmation(event) if event.event_type == CONFIRMATION else _notification(event))
        headers = {
            "Content-Type": "text/plain; charset=UTF-8",
            "x-amz-sns-message-type": message["Type"],
            "x-amz-sns-message-id": message["MessageId"],
            "x-amz-sns-topic-arn": message["TopicArn"],
        }
        if event.event_type != CONFIRMATION:
            arn = subscription.arn if subscription else f"{message['TopicArn']}:{destination.pk}"
            headers["x-amz-sns-subscription-arn"] = arn
        url = subscription.endpoint if subscription else destination.address
        return partial(post_document, url, body=json.dumps(message).encode(), headers=headers)


def sign(message: dict[str, str]) -> dict[str, str]:
    key = certificates.signing_key()
    signature = certificates.sign(string_to_sign(message), key=key)
    return {
        **message,
        "SignatureVersion": "2",  # SHA-256; version 1 is SHA-1
        "Signature": base64.b64encode(signature).decode(),
        "SigningCertURL": f"{settings.MARKETPLACE_URL}/notifications/certificate-{key.pk}.pem",
    }


def string_to_sign(message: dict[str, str]) -> str:
    return "".join(f"{name}\n{message[name]}\n" for name in SIGNED if name in message)


def _notification(event: Event) -> dict[str, str]:
    """Write a notification. Its id follows from the event's: a repeated attempt is the same message."""
    destination = event.destination
    subscription: Subscription | None = getattr(destination, "subscription", None)
    own = f"arn:aws:sns:us-east-1:{destination.requester.external_id}:notifications"
    return {
        "Type": "Notification",
        "MessageId": _message_id(event),
        "TopicArn": subscription.topic.arn if subscription else own,
        "Message": document_of(event),
        "Timestamp": iso(event.occurred_at, timespec="milliseconds"),
        "UnsubscribeURL": f"{settings.MARKETPLACE_URL}/notifications/unsubscribe/",
    }


def _confirmation(event: Event) -> dict[str, str]:
    """Write the message that asks an address whether it agrees to receive a topic's events."""
    subscription = event.destination.subscription
    arn = subscription.topic.arn
    return {
        "Type": CONFIRMATION,
        "MessageId": _message_id(event),
        "Token": subscription.token,
        "TopicArn": arn,
        "Message": f"The owner of {arn} asks to send its events here. Open the SubscribeURL to agree.",
        "SubscribeURL": f"{settings.MARKETPLACE_URL}/notifications/confirm/{subscription.token}/",
        "Timestamp": iso(event.occurred_at, timespec="milliseconds"),
    }


def _message_id(event: Event) -> str:
    return str(uuid5(NAMESPACE_URL, f"event:{event.document_id}"))


def _fail_unsubscribed() -> None:
    raise Undeliverable("This subscription has ended.")
