"""Who wants to know when a picture begins or ceases to be shown: the families that have it in their items."""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Protocol

from hits.work.services.locking import lock_items

Items = Callable[[Collection[int]], Collection[int]]


class Listener(Protocol):
    """Runs in the transaction that changes the pictures, and that holds its items."""

    def __call__(self, *, picture_ids: Collection[int], shown: bool, now: datetime) -> None: ...


_listeners: list[Listener] = []
_items: list[Items] = []


def on_change(listener: Listener, *, items: Items | None = None) -> None:
    """Called once for each family, in its AppConfig.ready. `items`: the keys of those that show pictures."""
    if listener not in _listeners:
        _listeners.append(listener)
        _items.extend([items] if items else [])


def items_of_pictures(picture_ids: Collection[int]) -> set[int]:
    """Of all families: whoever changes pictures and anything else holds these with what else it changes."""
    return {key for items in _items for key in items(picture_ids)}


def tell_listeners(*, picture_ids: Collection[int], shown: bool, now: datetime) -> None:
    """The caller holds the pictures."""
    lock_items(items_of_pictures(picture_ids))
    for listener in _listeners:
        listener(picture_ids=picture_ids, shown=shown, now=now)
