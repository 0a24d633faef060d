"""The transport for a destination. The API has no name for webhooks; their address shows them."""

from crowd.marketplace.delivery import webhook
from crowd.marketplace.delivery.interface import Transport, invalid_endpoint
from crowd.marketplace.delivery.sns import SNS
from crowd.marketplace.delivery.sqs import SQS
from crowd.marketplace.delivery.webhook import Webhook

TRANSPORTS: dict[str, Transport] = {"SQS": SQS(), "SNS": SNS()}
WEBHOOK: Transport = Webhook()


def transport_of(*, name: str, address: str) -> Transport:
    """The transport of this name and address. Raises InvalidTransportEndpoint if there is none here."""
    if name == "SNS" and address.startswith(webhook.PREFIX):
        return WEBHOOK
    if name not in TRANSPORTS:
        raise invalid_endpoint(
            f"This marketplace cannot send notifications by {name}. Use SQS with a queue's URL, or SNS with "
            "an https address (webhook+https://... for plain signed JSON)."
        )
    return TRANSPORTS[name]
