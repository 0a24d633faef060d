"""Messages to a queue that speaks Amazon's SQS, signed by botocore and sent by our own post.

botocore's own sending would look the name up again, and follow proxies of the environment.
"""

import json
import re
from functools import partial
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from django.conf import settings

from crowd.marketplace.delivery.documents import document_of
from crowd.marketplace.delivery.http_post import post, read_target
from crowd.marketplace.delivery.interface import Send, invalid_endpoint
from crowd.marketplace.models import Event
from hits.common.outgoing import Undeliverable

REGION = re.compile(r"(?:sqs\.([a-z0-9-]+)|([a-z0-9-]+)\.queue)\.amazonaws\.com(?:\.cn)?")


class SQS:
    def check(self, address: str) -> None:
        if address.startswith("arn:"):
            raise invalid_endpoint("Give the queue's URL, not its ARN.")
        if not (settings.MARKETPLACE_SQS_ACCESS_KEY_ID and settings.MARKETPLACE_SQS_SECRET_ACCESS_KEY):
            raise invalid_endpoint(
                "This marketplace has no credentials for queues; its operator sets "
                "CROWD_MARKETPLACE_SQS_ACCESS_KEY_ID and CROWD_MARKETPLACE_SQS_SECRET_ACCESS_KEY."
            )
        try:
            read_target(address)
        except Undeliverable as problem:
            raise invalid_endpoint(str(problem)) from None

    def prepare(self, event: Event) -> Send:
        url = event.destination.address
        values = {"QueueUrl": url, "MessageBody": document_of(event)}
        if urlsplit(url).path.endswith(".fifo"):
            values |= {"MessageGroupId": event.hit_id, "MessageDeduplicationId": event.document_id}
        return partial(_send, values)


def _send(values: dict[str, str]) -> None:
    parts = urlsplit(values["QueueUrl"])
    url, body = f"{parts.scheme}://{parts.netloc}/", json.dumps(values).encode()
    answer = post(url, body=body, headers=_signed_headers(url, body), wants_body=True)
    if answer.status != 200:
        said = answer.body[:300].decode(errors="replace")
        raise Undeliverable(f"The queue answered {answer.status}: {said}")
    if not _took_it(answer.body):
        raise Undeliverable("The address that answered is not a queue.")


def _signed_headers(url: str, body: bytes) -> dict[str, str]:
    headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "AmazonSQS.SendMessage"}
    request = AWSRequest("POST", url, headers=headers, data=body)
    credentials = Credentials(
        settings.MARKETPLACE_SQS_ACCESS_KEY_ID, settings.MARKETPLACE_SQS_SECRET_ACCESS_KEY
    )
    SigV4Auth(credentials, "sqs", region_of(urlsplit(url).hostname or "")).add_auth(request)
    return dict(request.headers)


def region_of(host: str) -> str:
    """The region in the names of Amazon's hosts; other queues mostly ignore it."""
    named = REGION.fullmatch(host)
    return (named[1] or named[2]) if named else "us-east-1"


def _took_it(body: bytes) -> bool:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(answer, dict) and bool(answer.get("MessageId"))
