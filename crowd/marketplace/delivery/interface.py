"""The interface of every transport."""

from collections.abc import Callable
from typing import Protocol

from crowd.marketplace.errors import RequestError
from crowd.marketplace.models import Event

Send = Callable[[], None]


class Transport(Protocol):
    def check(self, address: str) -> None:
        """Raise InvalidTransportEndpoint if nothing could ever be sent there. Asks no network."""

    def prepare(self, event: Event) -> Send:
        """Read the needed rows; the returned call speaks to the network alone.

        That call raises Undeliverable, and may run in any thread. Each attempt of one event carries the
        same EventDocId.
        """


def invalid_endpoint(message: str) -> RequestError:
    return RequestError(message, code="InvalidTransportEndpoint")
