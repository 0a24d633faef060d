"""Who wants to know when a picture begins or ceases to be shown: the families that have it in their items."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol


class Listener(Protocol):
    """Runs in the transaction that changes the pictures, so that both happen or neither does."""

    def __call__(self, *, picture_ids: Collection[int], shown: bool, now: datetime) -> None: ...


_listeners: list[Listener] = []


def on_change(listener: Listener) -> None:
    """Called once for each family, in its AppConfig.ready."""
    if listener not in _listeners:
        _listeners.append(listener)


def tell_listeners(*, picture_ids: Collection[int], shown: bool, now: datetime) -> None:
    """The caller holds the transaction."""
    for listener in _listeners:
        listener(picture_ids=picture_ids, shown=shown, now=now)
