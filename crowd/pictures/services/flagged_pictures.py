"""Pictures with letters on them: unfit from the moment they are found until a person says otherwise."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models import Min, Q, QuerySet

from crowd.pictures.models import Picture, Unfit
from crowd.pictures.removal import tell_listeners
from crowd.pictures.services.picture_states import lock_pictures
from hits.core import states
from hits.core.audit_trail import note
from hits.identity.models.users import User

AT_ONCE = 100
Status = Picture.Status
# States that a flag ends, also in a picture that is removed at the moment and would go back there.
BEFORE = (Status.WAITING, Status.FIT)


def drop_flagged(*, now: datetime) -> int:
    """Make flagged pictures unfit on which nobody has decided, and return how many.

    A picture that a person is checking at this moment is theirs to decide.
    """
    dropped = 0
    while keys := list(_to_drop(now=now).order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        with transaction.atomic():
            rows = _to_drop(now=now).in_bulk([one.pk for one in lock_pictures(keys)])
            drop(list(rows.values()), now=now)
        dropped += len(rows)
    return dropped


def next_drop(*, now: datetime) -> datetime | None:
    """The time when the next flagged picture that a person holds is theirs no longer."""
    held = _undecided().filter(_held(now=now))
    first: datetime | None = held.aggregate(first=Min("claimed_until"))["first"]
    return first


def drop(pictures: Collection[Picture], *, now: datetime) -> None:
    """Make these flagged pictures unfit, and tell the families. The caller has locked them."""
    shown = [one.pk for one in pictures if one.status == Status.FIT]
    for one in pictures:
        flagged = {"unfit_reason": reason_of(one), "flagged_at": now, "checked_by": None, "checked_at": None}
        if one.status in BEFORE:
            states.move(one, Status.UNFIT, since=BEFORE, **flagged)
        elif one.former_status in BEFORE:
            Picture.objects.filter(pk=one.pk).update(former_status=Status.UNFIT, **flagged)
    if shown:
        tell_listeners(picture_ids=shown, shown=False, now=now)


def judge_anew(picture: Picture, *, now: datetime) -> None:
    """Judge a picture of the pool by what its letters say of another concept. The caller has locked it.

    Who found it fit had the earlier concept in mind. Where letters alone had decided, they decide again.
    """
    is_unfit = Status.UNFIT in (picture.status, picture.former_status)
    if not (is_unfit and picture.has_reason_of_letters):
        if picture.shows_concept:
            drop([picture], now=now)
        return
    row = Picture.objects.filter(pk=picture.pk)
    free = {"unfit_reason": "", "flagged_at": None}
    if picture.is_flagged:
        row.update(unfit_reason=reason_of(picture))
    elif picture.is_undecided:
        states.move(picture, Status.WAITING, since=[Status.UNFIT], **free)
    else:
        row.update(former_status=Status.WAITING, **free)


def allow_flagged(*, pictures: Collection[Picture], by: User, now: datetime) -> int:
    """Make pictures fit that only their flags have made unfit, and return how many."""
    with transaction.atomic():
        rows = [one for one in lock_pictures([one.pk for one in pictures]) if one.is_undecided]
        found = {"unfit_reason": "", "checked_by": by, "checked_at": now}
        allowed = [one for one in rows if states.move(one, Status.FIT, since=[Status.UNFIT], **found)]
        if allowed:
            tell_listeners(picture_ids=[one.pk for one in allowed], shown=True, now=now)
        for one in allowed:
            words = f"Allowed in spite of its letters: picture {one.key} ({one.concept})."
            note("picture.flag_overruled", words, by=by, now=now)
    return len(allowed)


def disallow_flagged(*, pictures: Collection[Picture], by: User, now: datetime) -> int:
    """Make flagged pictures that are fit unfit again, as if nobody had decided, and return how many."""
    with transaction.atomic():
        locked = lock_pictures([one.pk for one in pictures])
        rows = [one for one in locked if one.in_pool and one.is_flagged and one.status == Status.FIT]
        drop(rows, now=now)
        for one in rows:
            words = f"Unfit for its letters again: picture {one.key} ({one.concept})."
            note("picture.flag_restored", words, by=by, now=now)
    return len(rows)


def reason_of(picture: Picture) -> Unfit:
    """The graver of its flags."""
    return Unfit.CONCEPT if picture.shows_concept else Unfit.WORDS


def _to_drop(*, now: datetime) -> QuerySet[Picture]:
    """Flagged pictures on which nobody has decided, and that nobody is checking now."""
    standing = Q(status__in=BEFORE) | Q(status=Status.REMOVED, former_status__in=BEFORE)
    return _undecided().filter(standing).exclude(_held(now=now))


def _undecided() -> QuerySet[Picture]:
    """Flagged pictures on which neither a flag nor a person has decided yet."""
    return Picture.objects.flagged().filter(in_pool=True, flagged_at=None, checked_at=None)


def _held(*, now: datetime) -> Q:
    """Pictures that a person is checking."""
    return Q(status=Status.WAITING, claimed_by__isnull=False, claimed_until__gt=now)
