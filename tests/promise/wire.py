"""boto3 speaks to the marketplace in this process: the same bytes and signatures, and no socket between."""

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from django.test import Client

from hits.providers.gateway.boto import BotoProvider, make_client
from hits.providers.models.accounts import Account

Send = Callable[[], AWSResponse]
Carry = Callable[[str, Send], AWSResponse]
Between = Callable[[str, bytes, Send], AWSResponse]


class Body(BytesIO):
    """A body from which botocore reads an answer."""

    def stream(self, **_: object) -> Iterator[bytes]:
        yield self.read()


def provider_over_wire(account: Account, *, carry: Carry, between: Between | None = None) -> BotoProvider:
    """A provider whose calls reach the marketplace in this process.

    `carry` receives the operation's name and the call itself: it may fail before it, or after. `between` is a
    proxy on the way, and sees each request.
    """
    client = make_client(
        endpoint=account.endpoint,
        access_key_id=account.access_key_id,
        secret_access_key=account.secret_access_key,
        allow_amazon=False,
    )
    server = Client(raise_request_exception=False)

    def answer(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        operation = _text(request.headers["X-Amz-Target"]).rpartition(".")[2]
        if between is None:
            return carry(operation, lambda: _send(server, request))
        asked: Any = request.body
        return carry(operation, lambda: between(operation, asked, lambda: _send(server, request)))

    client.meta.events.register("before-send.mturk", answer)
    return BotoProvider(client, account_id=account.pk)


def _send(server: Client, request: AWSPreparedRequest) -> AWSResponse:
    address = urlsplit(request.url)
    headers = {name: _text(value) for name, value in request.headers.items()}
    content_type = headers.pop("Content-Type")
    response = server.generic(
        request.method,
        address.path or "/",
        request.body,
        content_type=content_type,
        headers={**headers, "Host": address.netloc},
    )
    answered = HTTPHeaders()
    for name, value in response.items():
        answered[name] = value
    return AWSResponse(request.url, response.status_code, answered, Body(response.content))


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
