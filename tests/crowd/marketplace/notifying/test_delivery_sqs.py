"""Messages to a queue on loopback that speaks as much of SQS's protocol as is needed."""

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import pytest
from django.conf import LazySettings

from crowd.marketplace.delivery.documents import document_of
from crowd.marketplace.delivery.sqs import region_of
from crowd.marketplace.delivery.sweep import deliver_events
from crowd.marketplace.models import Event
from tests.crowd.marketplace.receivers import Answer, Post, Receiver, receiving, tell
from tests.crowd.marketplace.rows import accept, post_hit
from tests.factories import NOW

pytestmark = pytest.mark.django_db

JSON = {"Content-Type": "application/x-amz-json-1.0"}


@pytest.fixture(autouse=True)
def _credentials(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MARKETPLACE_SQS_ACCESS_KEY_ID = "QUEUEKEY"
    settings.MARKETPLACE_SQS_SECRET_ACCESS_KEY = "queue-secret"
    # botocore would follow this setting; the marketplace's own posts do not.
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")


@contextmanager
def queue() -> Iterator[Receiver]:
    def take(post: Post) -> Answer:
        text = post.document["MessageBody"]
        digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
        return 200, JSON, json.dumps({"MessageId": "m-1", "MD5OfMessageBody": digest}).encode()

    with receiving(answer=take) as receiver:
        yield receiver


def tell_queue(address: str) -> Event:
    hit = post_hit()
    tell(hit, address, transport="SQS", event_types=["AssignmentAccepted"])
    accept(hit)
    return Event.objects.get()


def sent(post: Post) -> dict[str, Any]:
    return {name: value for name, value in post.document.items() if name != "MessageBody"}


def test_delivery_by_sqs_puts_the_document_into_the_queue() -> None:
    with queue() as receiver:
        event = tell_queue(f"{receiver.url}/000000000000/events")

        deliver_events(now=NOW)

    [post] = receiver.posts
    event.refresh_from_db()
    assert (event.delivered_at, event.last_error) == (NOW, "")
    assert json.loads(post.document["MessageBody"])["EventDocId"] == event.document_id
    assert sent(post) == {"QueueUrl": f"{receiver.url}/000000000000/events"}
    assert (post.path, post.headers["X-Amz-Target"]) == ("/", "AmazonSQS.SendMessage")
    assert "Credential=QUEUEKEY/" in post.headers["Authorization"]


def test_delivery_to_an_ordered_queue_names_the_hit_and_the_document() -> None:
    with queue() as receiver:
        event = tell_queue(f"{receiver.url}/000000000000/events.fifo")

        deliver_events(now=NOW)

    [post] = receiver.posts
    assert sent(post) == {
        "QueueUrl": f"{receiver.url}/000000000000/events.fifo",
        "MessageGroupId": event.hit_id,
        "MessageDeduplicationId": event.document_id,
    }


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((400, JSON, b'{"__type":"QueueDoesNotExist"}'), 'The queue answered 400: {"__type":"Queue'),
        ((500, {}, b"<html>\0\xff"), "The queue answered 500: <html> \ufffd"),
        ((302, {"Location": "http://127.0.0.1:9/"}, b""), "The queue answered 302: "),
        ((200, {}, b"<html>Welcome</html>"), "The address that answered is not a queue."),
        ((200, JSON, b"[" * 60_000), "The address that answered is not a queue."),
        ((200, JSON, b"[1]"), "The address that answered is not a queue."),
        ((200, JSON, b"{}"), "The address that answered is not a queue."),
    ],
)
def test_delivery_to_a_queue_that_does_not_take_it_is_tried_again(answer: Answer, says: str) -> None:
    with receiving(answer=lambda _: answer) as receiver:
        event = tell_queue(f"{receiver.url}/queue")

        deliver_events(now=NOW)

    event.refresh_from_db()
    assert (len(receiver.posts), event.attempts, event.delivered_at) == (1, 1, None)
    assert event.last_error.startswith(says)


def test_delivery_to_a_queue_inside_a_network_is_never_sent(settings: LazySettings) -> None:
    with queue() as receiver:
        event = tell_queue(f"{receiver.url}/queue")
        settings.MARKETPLACE_URL = "https://market.example.org"

        deliver_events(now=NOW)

    event.refresh_from_db()
    assert (receiver.posts, event.last_error) == ([], "The address must begin with https://.")


@pytest.mark.parametrize(
    ("host", "region"),
    [
        ("sqs.eu-west-3.amazonaws.com", "eu-west-3"),
        ("us-west-2.queue.amazonaws.com", "us-west-2"),
        ("queues.example.org", "us-east-1"),
        ("sqs.eu-west-3.amazonaws.com.example.org", "us-east-1"),
    ],
)
def test_queue_is_signed_for_its_region(host: str, region: str) -> None:
    assert region_of(host) == region


def test_queue_is_sent_what_boto3_would_send(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HTTP_PROXY")
    with queue() as receiver:
        url = f"{receiver.url}/000000000000/events"
        event = tell_queue(url)
        deliver_events(now=NOW)
        client = boto3.session.Session().client(
            "sqs",
            region_name="us-east-1",
            endpoint_url=receiver.url,
            aws_access_key_id="QUEUEKEY",
            aws_secret_access_key="queue-secret",
        )
        client.send_message(QueueUrl=url, MessageBody=document_of(event))

    ours, theirs = receiver.posts
    for name in ("Content-Type", "X-Amz-Target", "Host"):
        assert ours.headers[name] == theirs.headers[name]
    assert (ours.path, ours.document) == (theirs.path, theirs.document)
    scope = re.compile(r"Credential=QUEUEKEY/\d{8}/us-east-1/sqs/aws4_request")
    assert scope.search(ours.headers["Authorization"])
    assert scope.search(theirs.headers["Authorization"])
