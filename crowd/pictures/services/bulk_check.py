"""The check of many pictures at once, as a person has seen them in the gallery."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from crowd.pictures.letter_reading import installed_reader
from crowd.pictures.models import Picture, Unfit
from crowd.pictures.removal import tell_listeners
from crowd.pictures.services.manual_check import UNCLAIMED, is_held, last_checked
from crowd.pictures.services.picture_states import lock_pictures
from hits.core import states
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

AT_ONCE = 200
Status = Picture.Status
UNCHECKED = {"checked_by": None, "checked_at": None, "unfit_reason": ""}
# The states in which a verdict about many finds a picture. Unfit ones go back to the check first.
BEFORE: Mapping[str, Collection[str]] = {
    Status.FIT: (Status.WAITING,),
    Status.UNFIT: (Status.WAITING, Status.FIT),
}


class LeftOut(StrEnum):
    """Why a verdict about many leaves one picture as it is."""

    REMOVED = "removed"
    OF_ITEM = "of_item"
    SAME = "same"
    UNFIT = "unfit"
    HELD = "held"
    UNREAD = "unread"
    LETTERS = "letters"


@dataclass(frozen=True, kw_only=True)
class LastMarked:
    """The last verdict of a person that can still be undone, and how many pictures it was about."""

    status: str
    checked_at: datetime
    count: int


def mark_fit(*, pictures: Collection[Picture], by: User, now: datetime) -> int:
    """Mark as fit what waits for the check and shows no letters, and return how many."""
    return _mark(pictures, Status.FIT, unfit_reason="", by=by, now=now)


def mark_unfit(*, pictures: Collection[Picture], reason: str, by: User, now: datetime) -> int:
    """Mark as unfit what waits for the check or is fit, and return how many. RuleBroken without a reason."""
    if reason not in Unfit.values:
        raise RuleBroken("no_reason", "Say why the pictures are unfit.")
    return _mark(pictures, Status.UNFIT, unfit_reason=reason, by=by, now=now)


def count_left_out(
    pictures: Collection[Picture], to: str, *, by: User, now: datetime
) -> Mapping[LeftOut, int]:
    """How many pictures the verdict would leave as they are, by the reason."""
    reasons = Counter(left_out(one, to, by=by, now=now) for one in pictures)
    return {reason: reasons[reason] for reason in LeftOut if reasons[reason]}


def left_out(picture: Picture, to: str, *, by: User, now: datetime) -> LeftOut | None:
    """Why the verdict leaves this picture as it is; None if it does not.

    Letters are too small to be seen in a gallery, so nobody finds a picture fit there that shows some, or
    on which they have not been looked for.
    """
    is_unread = picture.read_by == "" and not picture.is_drawing and installed_reader() is not None
    facts = {
        LeftOut.REMOVED: picture.status == Status.REMOVED,
        LeftOut.OF_ITEM: not picture.in_pool,
        LeftOut.SAME: picture.status == to,
        LeftOut.LETTERS: to == Status.FIT and picture.is_flagged,
        LeftOut.UNFIT: picture.status not in BEFORE[to],
        LeftOut.HELD: is_held(picture, by=by, now=now),
        LeftOut.UNREAD: to == Status.FIT and is_unread,
    }
    return next((reason for reason, is_so in facts.items() if is_so), None)


def last_marked(*, by: User, now: datetime) -> LastMarked | None:
    last = last_checked(by=by, now=now)
    if last is None or last.checked_at is None:
        return None
    count = _marked(by, status=last.status, at=last.checked_at).count()
    return LastMarked(status=last.status, checked_at=last.checked_at, count=count)


def undo_marks(*, by: User, now: datetime) -> int:
    """Send what this person's last verdict was about back to the check, and return how many.

    Raises RuleBroken if there is none, or if it was too long ago.
    """
    last = last_marked(by=by, now=now)
    if last is None:
        raise RuleBroken("nothing_to_undo", "There is nothing to undo: your last check was too long ago.")
    keys = list(_marked(by, status=last.status, at=last.checked_at).values_list("pk", flat=True))

    def is_mine(one: Picture) -> bool:
        return (one.status, one.checked_by_id, one.checked_at) == (last.status, by.pk, last.checked_at)

    undone = _move(keys, Status.WAITING, is_meant=is_mine, now=now, **UNCHECKED)
    note("picture.verdict_undone", f"Sent back to the check: {undone} pictures.", by=by, now=now)
    return undone


def _mark(pictures: Collection[Picture], to: Status, *, unfit_reason: str, by: User, now: datetime) -> int:
    def is_meant(one: Picture) -> bool:
        return left_out(one, to, by=by, now=now) is None

    found = {"checked_by": by, "checked_at": now, "unfit_reason": unfit_reason, **UNCLAIMED}
    marked = _move([one.pk for one in pictures], to, is_meant=is_meant, now=now, **found)
    if marked:
        note(f"picture.marked_{to}", f"Marked as {to}: {marked} pictures.", by=by, now=now)
    return marked


def _move(
    keys: Collection[int], to: str, *, is_meant: Callable[[Picture], bool], now: datetime, **changes: Any
) -> int:
    """Move pictures slice by slice, so that no slice holds its locks for long; return how many moved."""
    moved = 0
    for some in _slices(sorted(keys)):
        with transaction.atomic():
            rows = [one for one in lock_pictures(some) if is_meant(one)]
            shown = [one.pk for one in rows if Status.FIT in (one.status, to)]
            moved += _write(rows, to, **changes)
            if shown:
                tell_listeners(picture_ids=shown, shown=to == Status.FIT, now=now)
    return moved


def _write(rows: Collection[Picture], to: str, **changes: Any) -> int:
    """Compare and swap as `states.move` does, in one statement: thousands would keep a person waiting."""
    sources = states.sources_of(Picture, to)
    same = Picture.objects.filter(pk__in=[one.pk for one in rows], status__in=sources)
    return same.update(status=to, **changes)


def _slices(keys: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(keys), AT_ONCE):
        yield keys[start : start + AT_ONCE]


def _marked(by: User, *, status: str, at: datetime) -> QuerySet[Picture]:
    return Picture.objects.filter(checked_by=by, checked_at=at, status=status)
