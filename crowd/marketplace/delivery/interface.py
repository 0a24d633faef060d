"""What every transport promises."""

from collections.abc import Callable
from typing import Protocol

from crowd.marketplace.errors import RequestError
from crowd.marketplace.models import Event

Send = Callable[[], None]


class Undeliverable(Exception):
    """It did not arrive, or nobody knows whether it did. The message is for the requester."""


class Transport(Protocol):
    def check(self, address: str) -> None:
        """Raises InvalidTransportEndpoint if nothing could ever be sent there. Asks no network."""

    def prepare(self, event: Event) -> Send:
        """Reads what it needs from rows; the call it returns speaks to the network alone.

        That call raises Undeliverable, and may run in any thread. Each attempt of one event carries the
        same EventDocId.
        """


def invalid_endpoint(message: str) -> RequestError:
    return RequestError(message, code="InvalidTransportEndpoint")
