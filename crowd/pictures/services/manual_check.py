"""The manual check: one picture is leased to one person for some minutes."""

from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from crowd.pictures.models import Picture, Unfit
from crowd.pictures.services.picture_states import move_picture
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

LEASE = timedelta(minutes=5)
UNDO_FOR = timedelta(minutes=15)
AT_ONCE = 20
Status = Picture.Status
UNCLAIMED = {"claimed_by": None, "claimed_until": None}


def claim_picture(*, by: User, now: datetime) -> Picture | None:
    """Lease the picture that this person holds already, or the next one that nobody holds."""
    if own := _claimed(by, now=now).order_by("-claimed_until", "pk").first():
        return own if _claim(own, by=by, now=now) else claim_picture(by=by, now=now)
    while some := list(waiting_pictures(now=now)[:AT_ONCE]):
        for picture in some:
            if _claim(picture, by=by, now=now):
                return picture
    return None


def waiting_pictures(*, now: datetime) -> QuerySet[Picture]:
    """Pictures that nobody holds, in the order of the queue: skipped ones come last."""
    free = Q(claimed_until=None) | Q(claimed_until__lte=now) | Q(claimed_by=None)
    return Picture.objects.filter(free, status=Status.WAITING, in_pool=True).order_by("skipped", "pk")


def pass_picture(*, picture: Picture, by: User, now: datetime) -> None:
    """Mark a picture as fit. Raises RuleBroken if another person was faster."""
    _decide(picture, Status.FIT, by=by, now=now, unfit_reason="")


def refuse_picture(*, picture: Picture, reason: str, by: User, now: datetime) -> None:
    """Mark a picture as unfit. Raises RuleBroken without a reason, or if another person was faster."""
    if reason not in Unfit.values:
        raise RuleBroken("no_reason", "Say why the picture is unfit.")
    _decide(picture, Status.UNFIT, by=by, now=now, unfit_reason=reason)


def skip_picture(*, picture: Picture, by: User, now: datetime) -> None:
    """Move a picture to the end of the queue, unless it has been checked meanwhile."""
    mine = Picture.objects.filter(pk=picture.pk, status=Status.WAITING, claimed_by=by)
    mine.update(skipped=F("skipped") + 1, **UNCLAIMED)


def undo_check(*, by: User, now: datetime) -> Picture:
    """Undo this person's last verdict and lease the picture again. Raises RuleBroken if there is none."""
    last = last_checked(by=by, now=now)
    claim = {"claimed_by": by, "claimed_until": now + LEASE}
    undone = {"checked_by": None, "checked_at": None, "unfit_reason": "", **claim}
    if last is None or not move_picture(last, Status.WAITING, now=now, since=[last.status], **undone):
        raise RuleBroken("nothing_to_undo", "There is nothing to undo: your last check was too long ago.")
    return last


def last_checked(*, by: User, now: datetime) -> Picture | None:
    """The picture whose verdict this person could still undo."""
    checked = Picture.objects.filter(
        checked_by=by, checked_at__gt=now - UNDO_FOR, status__in=[Status.FIT, Status.UNFIT]
    )
    return checked.order_by("-checked_at", "-pk").first()


def is_held(picture: Picture, *, by: User, now: datetime) -> bool:
    """Whether a colleague is checking the picture now."""
    is_claimed = picture.claimed_until is not None and picture.claimed_until > now
    return is_claimed and picture.claimed_by_id not in (None, by.pk)


def _decide(picture: Picture, to: str, *, by: User, now: datetime, unfit_reason: str) -> None:
    if is_held(picture, by=by, now=now):
        raise RuleBroken("claimed", "A colleague is checking this picture now. Here is another one.")
    found = {"checked_by": by, "checked_at": now, "unfit_reason": unfit_reason, **UNCLAIMED}
    if not move_picture(picture, to, now=now, since=[Status.WAITING], **found):
        raise RuleBroken("checked_already", "A colleague has checked this picture already. Here is another.")


def _claimed(by: User, *, now: datetime) -> QuerySet[Picture]:
    return Picture.objects.filter(status=Status.WAITING, claimed_by=by, claimed_until__gt=now)


def _claim(picture: Picture, *, by: User, now: datetime) -> bool:
    """Compare and swap: two people never get the same picture."""
    same = Picture.objects.filter(
        pk=picture.pk,
        status=Status.WAITING,
        claimed_by=picture.claimed_by_id,
        claimed_until=picture.claimed_until,
    )
    if not same.update(claimed_by=by, claimed_until=now + LEASE):
        return False
    picture.claimed_by, picture.claimed_until = by, now + LEASE
    return True
