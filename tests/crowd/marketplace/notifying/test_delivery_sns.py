"""Posts in the form of SNS, verified with nothing but their content and the certificate they name."""

import base64
import json
from typing import Any
from urllib.request import urlopen

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from crowd.marketplace.delivery.sweep import deliver_events
from crowd.marketplace.models import Event, SigningKey
from tests.conftest import Sites
from tests.crowd.marketplace.receivers import Post, receiving, tell
from tests.crowd.marketplace.rows import hand_in, post_hit
from tests.crowd.marketplace.site import stranger
from tests.factories import NOW


def verify(message: dict[str, Any]) -> None:
    """Verify the signature as a receiver does. Raises InvalidSignature."""
    with urlopen(message["SigningCertURL"], timeout=10) as answer:  # noqa: S310 (our own address)
        key = x509.load_pem_x509_certificate(answer.read()).public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    names = ["Message", "MessageId", "Timestamp", "TopicArn", "Type"]
    if message["Type"] == "SubscriptionConfirmation":
        names = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
    text = "".join(f"{name}\n{message[name]}\n" for name in names)
    signature = base64.b64decode(message["Signature"])
    key.verify(signature, text.encode(), padding.PKCS1v15(), hashes.SHA256())


def headers_of(post: Post) -> dict[str, str]:
    return {name.removeprefix("x-amz-sns-"): value for name, value in post.headers.items()}


@pytest.mark.django_db(transaction=True)
def test_delivery_by_sns_is_signed_so_that_the_certificate_proves_it(sites: Sites) -> None:
    hit = post_hit()
    with receiving(500) as receiver:
        tell(hit, f"{receiver.url}/sns", event_types=["AssignmentSubmitted"])
        hand_in(hit)

        deliver_events(now=NOW)
        deliver_events(now=NOW.replace(minute=1))

    failed, taken = receiver.posts
    message = taken.document
    event = Event.objects.get()
    assert json.loads(message["Message"])["EventDocId"] == event.document_id
    assert {name: message[name] for name in ("Type", "Timestamp", "SignatureVersion")} == {
        "Type": "Notification",
        "Timestamp": "2026-11-21T12:00:00.000Z",
        "SignatureVersion": "2",
    }
    assert {name: headers_of(taken)[name] for name in ("message-type", "message-id", "topic-arn")} == {
        "message-type": "Notification",
        "message-id": message["MessageId"],
        "topic-arn": message["TopicArn"],
    }
    assert taken.headers["Content-Type"] == "text/plain; charset=UTF-8"
    assert "Subject" not in message
    assert failed.document["MessageId"] == message["MessageId"]
    assert message["SigningCertURL"].startswith(f"{sites.marketplace}/")
    verify(message)
    with pytest.raises(InvalidSignature):
        verify({**message, "Message": message["Message"].replace("Submitted", "Approved")})
    with urlopen(message["UnsubscribeURL"], timeout=10) as answer:  # noqa: S310
        assert b"Active=false" in answer.read()


@pytest.mark.django_db
def test_signing_key_is_made_once_and_sealed() -> None:
    hit = post_hit()
    with receiving() as receiver:
        tell(hit, receiver.url)
        hand_in(hit)

        deliver_events(now=NOW)

    key = SigningKey.objects.get()
    assert len(receiver.posts) == 2
    assert "PRIVATE" not in key.private_sealed
    assert key.certificate.startswith("-----BEGIN CERTIFICATE-----")


@pytest.mark.django_db
@pytest.mark.parametrize("number", ["0", "99", "9" * 40])
def test_certificate_that_is_not_there_is_not_found(number: str) -> None:
    assert stranger().get(f"/notifications/certificate-{number}.pem").status_code == 404
    assert stranger().post("/notifications/unsubscribe/").status_code == 405
