"""Signatures by key and by certificate, and the only hosts that are ever asked for certificates."""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import LazySettings

from hits.providers.gateway import signatures
from hits.providers.gateway.signatures import Forged, Unfetched
from hits.providers.models.accounts import Account
from tests.factories import NOW
from tests.hits.certificates import TOPIC, Shelf, certificate, message, rsa_key, serving_shelf


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    with serving_shelf() as served:
        yield served


@pytest.fixture(autouse=True)
def _no_certificate_yet() -> None:
    signatures._certificate.cache_clear()


def account(endpoint: str = "http://localhost:8000", **changes: Any) -> Account:
    values = {"endpoint": endpoint, "worker_site": endpoint, "ticket_key": "ticket-key", "notify_by": "sns"}
    return Account(**{**values, **changes})


def check(said: Mapping[str, Any], of: Account) -> None:
    signatures.check_topic_message(said, account=of, now=NOW)


def header(body: bytes, *, key: str = "ticket-key", at: datetime = NOW) -> str:
    signed = b"%d.%s" % (int(at.timestamp()), body)
    return f"t={int(at.timestamp())},v1={hmac.new(key.encode(), signed, hashlib.sha256).hexdigest()}"


def test_post_signature_of_the_account_is_believed() -> None:
    signatures.check_post(header=header(b"{}"), body=b"{}", account=account(), now=NOW)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "t=1,v1=",
        header(b"{} "),
        header(b"{}", key="another"),
        header(b"{}").replace("v1=", "v2="),
        header(b"{}") + ",v1=" + "0" * 64,
        header(b"{}").replace("t=", "t=0"),
        header(b"{}").upper(),
        header(b"{}") + "\n",
        header(b"{}", at=NOW - timedelta(seconds=301)),
        header(b"{}", at=NOW + timedelta(seconds=301)),
        "t=" + "9" * 5000 + ",v1=" + "0" * 64,
    ],
)
def test_post_signature_that_is_wrong_or_old_is_refused(given: str) -> None:
    with pytest.raises(Forged):
        signatures.check_post(header=given, body=b"{}", account=account(), now=NOW)


def test_post_to_an_account_without_a_key_is_refused() -> None:
    with pytest.raises(Forged):
        signatures.check_post(
            header=header(b"{}", key=""), body=b"{}", account=account(ticket_key=""), now=NOW
        )


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("subject", [None, "A subject"])
def test_topic_message_is_believed_by_the_certificate_of_its_own_host(
    shelf: Shelf, version: str, subject: str | None
) -> None:
    url = shelf.put("/certificate-1.pem", certificate())

    check(message(url, version=version, Subject=subject), account(shelf.url))
    check(message(url, version=version, MessageId="m-2"), account(shelf.url, notify_address=TOPIC))

    assert shelf.asked == ["/certificate-1.pem"]  # kept for a while


def test_topic_message_as_the_marketplace_signs_it_is_believed(shelf: Shelf) -> None:
    url = shelf.put("/notifications/certificate-7.pem", certificate())
    confirm = f"{shelf.url}/confirm/"

    said = message(url, Type="SubscriptionConfirmation", Token="t", SubscribeURL=confirm)
    check(said, account(shelf.url))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda said: {**said, "Message": "other"},
        lambda said: {**said, "Subject": "added"},
        lambda said: {**said, "SignatureVersion": "1"},
        lambda said: {**said, "SignatureVersion": "3"},
        lambda said: {**said, "Signature": "x"},
        lambda said: {**said, "Signature": "é"},
        lambda said: {**said, "Signature": None},
        lambda said: {**said, "Type": "Else"},
        lambda said: {**said, "Type": ["Notification"]},
        lambda said: {**said, "Timestamp": None},
        lambda said: {**said, "Message": 1},
        lambda said: {**said, "Message": "\ud800"},
    ],
)
def test_topic_message_that_was_changed_is_refused(
    shelf: Shelf, spoil: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    said = message(shelf.put("/certificate-1.pem", certificate()))

    with pytest.raises(Forged):
        check(spoil(said), account(shelf.url))


def test_topic_message_of_another_topic_is_refused_before_anything_is_fetched(shelf: Shelf) -> None:
    said = message(shelf.put("/certificate-1.pem", certificate()))

    with pytest.raises(Forged, match="another topic"):
        check(said, account(shelf.url, notify_address=TOPIC + "-2"))

    assert shelf.asked == []


@pytest.mark.parametrize(
    "content",
    [
        certificate(begins=NOW - timedelta(days=40)),
        certificate(begins=NOW + timedelta(seconds=1)),
        certificate(ec.generate_private_key(ec.SECP256R1())),
        certificate(rsa_key(1024)),
        b"not a certificate",
        b"",
    ],
)
def test_topic_message_with_an_unusable_certificate_is_refused(shelf: Shelf, content: bytes) -> None:
    said = message(shelf.put("/certificate-1.pem", content))

    with pytest.raises(Forged):
        check(said, account(shelf.url))


def test_topic_message_of_another_key_is_refused(shelf: Shelf) -> None:
    said = message(shelf.put("/certificate-1.pem", certificate()), key=rsa_key(3072))

    with pytest.raises(Forged, match="wrong signature"):
        check(said, account(shelf.url))


@pytest.mark.parametrize(
    "url",
    [
        None,
        7,
        "",
        "file:///etc/passwd.pem",
        "http://169.254.169.254/certificate.pem",
        "{own}/certificate-1.pem?x=1",
        "{own}/certificate-1.pem#x",
        "{own}/certificate-1",
        "{own}/../x/certificate-1.pem",
        "{own}@127.0.0.1/certificate-1.pem",
        "{own}0/certificate-1.pem",
        "http://user@localhost:8000/certificate-1.pem",
        "http://localhost\\@127.0.0.1/certificate-1.pem",
        "http://localhost:0/certificate-1.pem",
        "http://localhost:99999/certificate-1.pem",
        "http://[::1/certificate-1.pem",
        "//localhost/certificate-1.pem",
        "https://sns.us-east-1.amazonaws.com/certificate-1.pem",
    ],
)
def test_certificate_from_anywhere_else_is_never_fetched(monkeypatch: pytest.MonkeyPatch, url: Any) -> None:
    fetched: list[Any] = []
    monkeypatch.setattr(signatures, "_fetch", fetched.append)
    address = url.format(own="http://localhost:8000") if isinstance(url, str) else url

    with pytest.raises(Forged):
        check(message(address), account())

    assert fetched == []


@pytest.mark.parametrize(
    ("url", "changes", "allowed", "is_fetched"),
    [
        ("https://sns.eu-west-1.amazonaws.com/Simple-1.pem", {}, True, True),
        ("https://sns.eu-west-1.amazonaws.com:443/Simple-1.pem", {}, True, True),
        ("https://sns.eu-west-1.amazonaws.com/Simple-1.pem", {}, False, False),
        ("https://sns.eu-west-1.amazonaws.com/Simple-1.pem", {"notify_address": ""}, True, False),
        (
            "https://sns.eu-west-1.amazonaws.com/Simple-1.pem",
            {"endpoint": "https://turk.example"},
            True,
            False,
        ),
        ("http://sns.eu-west-1.amazonaws.com/Simple-1.pem", {}, True, False),
        ("https://sns.eu-west-1.amazonaws.com:8443/Simple-1.pem", {}, True, False),
        ("https://sns.s3.eu-west-1.amazonaws.com/Simple-1.pem", {}, True, False),
        ("https://anybody.s3.amazonaws.com/Simple-1.pem", {}, True, False),
        ("https://sns.eu-west-1.amazonaws.com.example/Simple-1.pem", {}, True, False),
        # Amazon's API host serves no certificates, even where it is the account's own.
        ("https://mturk-requester.us-east-1.amazonaws.com/Simple-1.pem", {}, True, False),
    ],
)
def test_certificate_from_amazon_is_fetched_only_where_amazon_is_allowed(
    *,
    monkeypatch: pytest.MonkeyPatch,
    settings: LazySettings,
    url: str,
    changes: dict[str, str],
    allowed: bool,
    is_fetched: bool,
) -> None:
    settings.ALLOW_AMAZON = allowed
    fetched: list[Any] = []

    def fetch(parts: Any) -> bytes:
        fetched.append(parts.geturl())
        return certificate()

    monkeypatch.setattr(signatures, "_fetch", fetch)
    amazons = "https://mturk-requester.us-east-1.amazonaws.com"
    values = {
        "endpoint": amazons,
        "worker_site": "https://worker.mturk.com",
        "notify_address": TOPIC,
        **changes,
    }

    if is_fetched:
        check(message(url), account(**values))
    else:
        with pytest.raises(Forged):
            check(message(url), account(**values))

    assert fetched == ([url] if is_fetched else [])


@pytest.mark.parametrize("status", [301, 302, 307, 404, 500])
def test_certificate_by_way_of_a_redirect_is_not_fetched(shelf: Shelf, status: int) -> None:
    there = shelf.put("/there.pem", certificate())
    url = shelf.put("/certificate-1.pem", b"", status=status, Location=there)

    with pytest.raises(Unfetched):
        check(message(url), account(shelf.url))

    assert shelf.asked == ["/certificate-1.pem"]


def test_certificate_that_is_far_too_long_is_not_read(shelf: Shelf) -> None:
    url = shelf.put("/certificate-1.pem", certificate() + b"x" * 100_000)

    with pytest.raises(Unfetched):
        check(message(url), account(shelf.url))


def test_certificate_that_nobody_serves_says_come_again() -> None:
    with pytest.raises(Unfetched):
        check(message("http://127.0.0.1:9/certificate-1.pem"), account("http://127.0.0.1:9"))


def test_certificates_are_not_fetched_without_bound(shelf: Shelf) -> None:
    for number in range(signatures.FETCHES_A_MINUTE + 10):
        with pytest.raises((Unfetched, Forged)):
            check(message(f"{shelf.url}/{number}.pem"), account(shelf.url))

    # The minute may turn in between.
    assert len(shelf.asked) in range(signatures.FETCHES_A_MINUTE, signatures.FETCHES_A_MINUTE + 11)


def confirmation(url: Any) -> dict[str, Any]:
    return {"Type": "SubscriptionConfirmation", "TopicArn": TOPIC, "SubscribeURL": url}


def test_subscription_to_the_account_s_topic_is_confirmed(shelf: Shelf) -> None:
    url = shelf.put("/confirm/token/", b"")

    signatures.confirm_subscription(confirmation(url), account=account(shelf.url, notify_address=TOPIC))

    assert shelf.asked == ["/confirm/token/"]


@pytest.mark.parametrize("address", ["", TOPIC + "-2"])
def test_subscription_that_nobody_asked_for_is_not_confirmed(shelf: Shelf, address: str) -> None:
    url = shelf.put("/confirm/token/", b"")

    with pytest.raises(Forged):
        signatures.confirm_subscription(confirmation(url), account=account(shelf.url, notify_address=address))

    assert shelf.asked == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/x", "https://sns.us-east-1.amazonaws.com/?x", "", None])
def test_subscription_is_confirmed_on_the_account_s_host_alone(shelf: Shelf, url: Any) -> None:
    with pytest.raises(Forged):
        signatures.confirm_subscription(confirmation(url), account=account(shelf.url, notify_address=TOPIC))


@pytest.mark.parametrize(
    ("query", "is_confirmed"),
    [
        (f"Action=ConfirmSubscription&TopicArn={TOPIC}&Token=t", True),
        (f"Action=Unsubscribe&TopicArn={TOPIC}&Token=t", False),
        (f"Action=ConfirmSubscription&TopicArn={TOPIC}-2&Token=t", False),
    ],
)
def test_subscription_at_amazon_is_confirmed_for_this_topic_alone(
    monkeypatch: pytest.MonkeyPatch, settings: LazySettings, query: str, is_confirmed: bool
) -> None:
    settings.ALLOW_AMAZON = True
    fetched: list[Any] = []
    monkeypatch.setattr(signatures, "_fetch", fetched.append)
    amazons = account("https://mturk-requester.us-east-1.amazonaws.com", notify_address=TOPIC)
    said = confirmation(f"https://sns.us-east-1.amazonaws.com/?{query}")

    if is_confirmed:
        signatures.confirm_subscription(said, account=amazons)
    else:
        with pytest.raises(Forged):
            signatures.confirm_subscription(said, account=amazons)

    assert len(fetched) == is_confirmed
