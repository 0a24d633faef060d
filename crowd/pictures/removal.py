"""Listeners for pictures that begin or cease to be shown: the families that have them in their items."""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Protocol

from hits.work.services.locking import lock_items

Items = Callable[[Collection[int]], Collection[int]]


class Listener(Protocol):
    """A family's callback, run in the transaction that changes the pictures and holds its items."""

    def __call__(self, *, picture_ids: Collection[int], shown: bool, now: datetime) -> None: ...


_listeners: list[Listener] = []
_items: list[Items] = []


def on_change(listener: Listener, *, items: Items | None = None) -> None:
    """Register a family once, in its AppConfig.ready. `items`: keys of the items that show pictures."""
    if listener not in _listeners:
        _listeners.append(listener)
        _items.extend([items] if items else [])


def items_of_pictures(picture_ids: Collection[int]) -> set[int]:
    """Items of all families with these pictures. A caller that changes other items locks all together."""
    return {key for items in _items for key in items(picture_ids)}


def tell_listeners(*, picture_ids: Collection[int], shown: bool, now: datetime) -> None:
    """Lock the items of these pictures, and call every listener. The caller holds the pictures."""
    lock_items(items_of_pictures(picture_ids))
    for listener in _listeners:
        listener(picture_ids=picture_ids, shown=shown, now=now)
