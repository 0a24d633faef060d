"""The one way to change a picture's state: the families are told in the same transaction.

A picture's row is locked before every other row; listeners lock their items after it.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import transaction

from crowd.pictures.models import Picture
from crowd.pictures.removal import tell_listeners
from hits.core import states

FIT = Picture.Status.FIT


def move_picture(
    picture: Picture, to: str, *, now: datetime, since: Collection[str] = (), **changes: Any
) -> bool:
    """Move a picture to a state; True if this call moved it."""
    with transaction.atomic():
        if not (locked := lock_pictures([picture.pk])):
            return False
        before = locked[0].status
        if not states.move(picture, to, since=since, **changes):
            return False
        if FIT in (before, to):
            tell_listeners(picture_ids=[picture.pk], shown=to == FIT, now=now)
    return True


def lock_pictures(keys: Collection[int]) -> list[Picture]:
    """Lock pictures in one order, and return them as they are now. The caller holds the transaction."""
    return list(Picture.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk"))
