"""Queues that speak Amazon's SQS. Messages are believed: the queue's own rights say who may write."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from cryptography.fernet import InvalidToken
from django.conf import settings

from hits.core.domain.sameness import is_amazon
from hits.core.errors import ProviderRefused, ProviderUnavailable
from hits.providers.models.accounts import Account

AT_ONCE = 10
WAIT_S = 1
REGION = re.compile(r"(?:sqs\.([a-z0-9-]+)|([a-z0-9-]+)\.queue)\.amazonaws\.com")


@dataclass(frozen=True, kw_only=True)
class Message:
    body: str
    receipt: str


class Queue:
    """A queue. Calls raise ProviderRefused or ProviderUnavailable. Messages not deleted come again."""

    def __init__(self, client: Any, *, url: str) -> None:
        self._client = client
        self._url = url

    def receive(self) -> list[Message]:
        """Return at most ten messages, after at most a second."""
        answer = _call(
            self._client.receive_message,
            QueueUrl=self._url,
            MaxNumberOfMessages=AT_ONCE,
            WaitTimeSeconds=WAIT_S,
        )
        return [
            Message(body=row.get("Body", ""), receipt=row["ReceiptHandle"])
            for row in answer.get("Messages", [])
        ]

    def delete(self, message: Message) -> None:
        _call(self._client.delete_message, QueueUrl=self._url, ReceiptHandle=message.receipt)


def queue_for(account: Account) -> Queue:
    """Return the queue at the account's address. Raises ProviderRefused for one that cannot be used."""
    try:
        secret_access_key = account.secret_access_key
    except InvalidToken:
        raise ProviderRefused(
            "The account's secret key cannot be decrypted. Enter it again.", code="Sealed"
        ) from None
    client = _client(
        url=account.notify_address,
        access_key_id=account.access_key_id,
        secret_access_key=secret_access_key,
        allow_amazon=settings.ALLOW_AMAZON,
    )
    return Queue(client, url=account.notify_address)


@lru_cache(maxsize=32)
def _client(*, url: str, access_key_id: str, secret_access_key: str, allow_amazon: bool) -> Any:
    """Return a client of the host that the address names, whatever the environment says."""
    import boto3  # noqa: PLC0415 - slow to load, and most processes poll no queue
    from botocore.config import Config  # noqa: PLC0415

    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https"):
        raise ProviderRefused("Set the account's queue address, such as https://host/queue.", code="BadQueue")
    if is_amazon(url) and not allow_amazon:
        raise ProviderRefused(
            "The queue is Amazon's own service and may cost real money. "
            "Set CROWD_ALLOW_AMAZON=true if that is what you want.",
            code="AmazonNotAllowed",
        )
    try:
        return boto3.session.Session().client(
            "sqs",
            region_name=region_of(host),
            endpoint_url=f"{parts.scheme}://{parts.netloc}",
            aws_access_key_id=access_key_id,
            aws_secret_access_key=secret_access_key,
            config=Config(
                retries={"mode": "standard", "total_max_attempts": 2}, connect_timeout=3, read_timeout=5
            ),
        )
    except ValueError as error:
        raise ProviderRefused(f"The queue cannot be used: {error}", code="BadQueue") from error


def region_of(host: str) -> str:
    """Return the region that an Amazon host's name contains; for other queues any region does."""
    named = REGION.fullmatch(host)
    return (named[1] or named[2]) if named else "us-east-1"


def _call(operation: Callable[..., Any], **parameters: Any) -> Any:
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415 - loaded with the client

    try:
        return operation(**parameters)
    except ClientError as error:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
        code = error.response["Error"].get("Code", "")
        if status >= 500:
            raise ProviderUnavailable(f"The queue answered {status}.") from error
        raise ProviderRefused(f"The queue refused: {code}.", code=code) from error
    except BotoCoreError as error:
        raise ProviderUnavailable(type(error).__name__) from error
