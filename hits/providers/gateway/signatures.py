"""Checks of who sent a message: the marketplace's posts by a shared key, SNS-style ones by a certificate.

Anybody can write an address into a message. So only the account's own host is fetched from, or Amazon's own
for topics where the operator allows Amazon; no redirect is followed.
"""

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from functools import lru_cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ssl import create_default_context
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

import structlog
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from django.conf import settings

from hits.common import rates
from hits.core.domain.sameness import is_amazon
from hits.core.errors import CrowdError
from hits.providers.models.accounts import Account

CLOCKS_MAY_DIFFER_S = 300
POST_SIGNATURE = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})", re.ASCII)
HOOK_TIME = re.compile(r"[0-9]{1,12}", re.ASCII)
# Not every host name of Amazon's: on many of them anybody may keep a certificate.
TOPIC_HOST = re.compile(r"sns\.[a-z0-9-]+\.amazonaws\.com", re.ASCII)
CERTIFICATE_PATH = re.compile(r"/[A-Za-z0-9/_-]{1,200}\.pem", re.ASCII)
VISIBLE_ASCII = re.compile(r"[!-~]{1,2000}", re.ASCII)
HASHES: dict[str, type[hashes.SHA1 | hashes.SHA256]] = {"1": hashes.SHA1, "2": hashes.SHA256}
SIGNED = {
    "Notification": ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    "SubscriptionConfirmation": (
        ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type")
    ),
    "UnsubscribeConfirmation": (
        ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type")
    ),
}
SMALLEST_KEY = 2048
FETCH_S = 5.0
LARGEST_ANSWER = 65_536
CERTIFICATE_LIFE_S = 600.0
FETCHES_A_MINUTE = 20
PORTS = {"http": 80, "https": 443}
log = structlog.get_logger()


class Forged(CrowdError):
    """A message that nobody we know has signed. The words are for the log, never for the sender."""


class Unfetched(CrowdError):
    """The proof of a message could not be fetched: the sender may send it again."""


def check_post(*, header: str, body: bytes, account: Account, now: datetime) -> None:
    """Check the marketplace's own signature, made with the account's ticket key. Raises Forged."""
    given = POST_SIGNATURE.fullmatch(header)
    if not given or not account.ticket_key:
        raise Forged("no signature")
    signed = given[1].encode() + b"." + body
    expected = hmac.new(account.ticket_key.encode(), signed, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(given[2], expected):
        raise Forged("wrong signature")
    if abs(now.timestamp() - int(given[1])) > CLOCKS_MAY_DIFFER_S:
        raise Forged("signed at another time")


def check_hook(*, signature: str, timestamp: str, body: bytes, account: Account, now: datetime) -> None:
    """Check the signature of a provider that gave the account a secret. Raises Forged."""
    if not account.hook_secret or not HOOK_TIME.fullmatch(timestamp):
        raise Forged("no signature")
    signed = hmac.digest(account.hook_secret.encode(), timestamp.encode() + body, hashlib.sha256)
    if not hmac.compare_digest(signature.encode(), base64.b64encode(signed)):
        raise Forged("wrong signature")
    if abs(now.timestamp() - int(timestamp)) > CLOCKS_MAY_DIFFER_S:
        raise Forged("signed at another time")


def check_topic_message(message: Mapping[str, Any], *, account: Account, now: datetime) -> None:
    """Check an SNS-style message of this account's topic. Raises Forged or Unfetched."""
    if account.notify_address and message.get("TopicArn") != account.notify_address:
        raise Forged("another topic")
    algorithm = HASHES.get(str(message.get("SignatureVersion")))
    if algorithm is None:
        raise Forged("unknown signature version")
    text = string_to_sign(message)
    signature = _decoded(message.get("Signature"))
    url = _certificate_url(message.get("SigningCertURL"), account=account)
    certificate = _certificate(url, int(time.monotonic() // CERTIFICATE_LIFE_S))
    if not certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc:
        raise Forged("the certificate is not valid now")
    key = certificate.public_key()
    if not isinstance(key, rsa.RSAPublicKey) or key.key_size < SMALLEST_KEY:
        raise Forged("unusable key")
    try:
        key.verify(signature, text.encode(), padding.PKCS1v15(), algorithm())
    except InvalidSignature:
        raise Forged("wrong signature") from None


def string_to_sign(message: Mapping[str, Any]) -> str:
    """Return the text that is signed. Raises Forged if a part of it is missing."""
    names = SIGNED.get(str(message.get("Type")))
    if names is None:
        raise Forged("unknown type")
    named = [name for name in names if name != "Subject" or name in message]
    if not all(isinstance(message.get(name), str) for name in named):
        raise Forged("something is missing")
    text = "".join(f"{name}\n{message[name]}\n" for name in named)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise Forged("no text")
    return text


def confirm_subscription(message: Mapping[str, Any], *, account: Account) -> None:
    """Confirm a subscription, but only to the topic that the account names. Raises Forged or Unfetched.

    The caller has checked the message's signature.
    """
    if not account.notify_address or message.get("TopicArn") != account.notify_address:
        raise Forged("nobody asked for this topic")
    parts = _split(message.get("SubscribeURL"))
    if _is_topic_host(parts, account=account):
        query = parse_qs(parts.query)
        if (query.get("Action"), query.get("TopicArn")) != (
            ["ConfirmSubscription"],
            [account.notify_address],
        ):
            raise Forged("this confirms something else")
    elif not _is_own_host(parts, account=account):
        raise Forged("foreign host")
    _fetch(parts)
    log.info("inbox.subscription_confirmed", account=str(account.public_id))


def _certificate_url(value: Any, *, account: Account) -> str:
    parts = _split(value)
    if not CERTIFICATE_PATH.fullmatch(parts.path) or parts.query:
        raise Forged("no address of a certificate")
    if _is_topic_host(parts, account=account):
        # Amazon signs for all its customers: only the topic tells whose message it is.
        if not account.notify_address:
            raise Forged("no topic is set")
    elif not _is_own_host(parts, account=account):
        raise Forged("foreign host")
    return parts.geturl()


def _split(value: Any) -> SplitResult:
    if not isinstance(value, str) or not VISIBLE_ASCII.fullmatch(value):
        raise Forged("no address")
    try:
        parts = urlsplit(value)
        is_plain = parts.port != 0 and parts.username is None and not parts.fragment
    except ValueError:
        raise Forged("no address") from None
    if parts.scheme not in PORTS or not parts.hostname or not is_plain or "\\" in value:
        raise Forged("no address")
    return parts


def _is_own_host(parts: SplitResult, *, account: Account) -> bool:
    ours = (urlsplit(account.endpoint), urlsplit(account.worker_site))
    return not is_amazon(parts.geturl()) and _site(parts) in map(_site, ours)


def _is_topic_host(parts: SplitResult, *, account: Account) -> bool:
    is_theirs = parts.scheme == "https" and _site(parts)[2] == PORTS["https"]
    allowed = settings.ALLOW_AMAZON and is_amazon(account.endpoint)
    return bool(allowed and is_theirs and TOPIC_HOST.fullmatch(parts.hostname or ""))


def _site(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)


def _decoded(value: Any) -> bytes:
    if not isinstance(value, str):
        raise Forged("no signature")
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise Forged("no signature") from None


@lru_cache(maxsize=16)
def _certificate(url: str, _period: int) -> x509.Certificate:
    """Return the certificate, kept for minutes: a host set up again may have another at this address."""
    try:
        return x509.load_pem_x509_certificate(_fetch(urlsplit(url)))
    except ValueError:
        raise Forged("no certificate") from None


def _fetch(parts: SplitResult) -> bytes:
    """Return what is at the address. Raises Unfetched for any status but 200, and for too many fetches."""
    if not rates.spend("fetch", parts.netloc, most=FETCHES_A_MINUTE, window_s=60):
        raise Unfetched("fetched too often")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        with closing(_connection(parts)) as connection:
            connection.request("GET", path, headers={"User-Agent": "crowd"})
            response = connection.getresponse()
            if response.status != 200:
                raise Unfetched(f"answered {response.status}")
            return _read_all(response)
    except (OSError, HTTPException) as error:
        raise Unfetched(type(error).__name__) from error


def _connection(parts: SplitResult) -> HTTPConnection:
    host = parts.hostname or ""
    if parts.scheme == "https":
        return HTTPSConnection(host, parts.port, timeout=FETCH_S, context=create_default_context())
    return HTTPConnection(host, parts.port, timeout=FETCH_S)


def _read_all(response: Any) -> bytes:
    """Read the response. Raises Unfetched if it is longer or slower than anything that is asked for."""
    ends, content = time.monotonic() + FETCH_S, b""
    while piece := response.read1(8192):
        content += piece
        if len(content) > LARGEST_ANSWER or time.monotonic() > ends:
            raise Unfetched("too long")
    return content
