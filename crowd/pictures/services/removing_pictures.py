"""Removing of pictures from the pool by staff, and restoring: everywhere at once, and on the record."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from crowd.pictures.models import Picture
from crowd.pictures.models.picture_reports import Report
from crowd.pictures.models.pictures import LONGEST_REASON
from crowd.pictures.removal import tell_listeners
from crowd.pictures.services.picture_states import lock_pictures
from hits.core import states
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

Status = Picture.Status


def remove_pictures(*, pictures: Collection[Picture], reason: str, by: User, now: datetime) -> int:
    """Remove pictures, uphold their open reports, and return how many were not removed already."""
    reason = _read_reason(reason)
    with transaction.atomic():
        rows = lock_pictures([one.pk for one in pictures])
        decide_reports(rows, Report.Status.UPHELD, by=by, now=now)
        shown = [one.pk for one in rows if one.status == Status.FIT]
        removed = [one for one in rows if take_out(one, reason=reason, now=now)]
        if shown:
            tell_listeners(picture_ids=shown, shown=False, now=now)
        _note("picture.removed", "Removed", removed, reason=reason, by=by, now=now)
    return len(removed)


def restore_pictures(*, pictures: Collection[Picture], reason: str, by: User, now: datetime) -> int:
    """Put each picture back where it was, dismiss its open reports, and return how many came back."""
    reason = _read_reason(reason)
    with transaction.atomic():
        rows = lock_pictures([one.pk for one in pictures])
        decide_reports(rows, Report.Status.DISMISSED, by=by, now=now)
        restored = put_back(rows, now=now)
        _note("picture.restored", "Restored", restored, reason=reason, by=by, now=now)
    return len(restored)


def recheck_pictures(*, pictures: Collection[Picture], by: User, now: datetime) -> int:
    """Send pool pictures back to the manual check, shown to nobody until they pass; return how many."""
    with transaction.atomic():
        rows = [one for one in lock_pictures([one.pk for one in pictures]) if one.in_pool]
        shown = [one.pk for one in rows if one.status == Status.FIT]
        # A colleague is to decide, whatever letters are on them.
        undone = {"checked_by": None, "checked_at": None, "unfit_reason": "", "flagged_at": now}
        since = (Status.FIT, Status.UNFIT)
        moved = [one for one in rows if states.move(one, Status.WAITING, since=since, **undone)]
        if shown:
            tell_listeners(picture_ids=shown, shown=False, now=now)
        _note("picture.rechecked", "Sent back to the check", moved, reason="", by=by, now=now)
    return len(moved)


def take_out(picture: Picture, *, reason: str, now: datetime) -> bool:
    """Mark the picture as removed. The caller has locked it, and tells the families."""
    return states.move(
        picture,
        Status.REMOVED,
        since=[picture.status],
        former_status=picture.status,
        removal_reason=reason,
        removed_at=now,
    )


def put_back(pictures: Collection[Picture], *, now: datetime) -> list[Picture]:
    """Put back those that were removed, and tell the families. The caller has locked them."""
    nothing = {"former_status": "", "removal_reason": "", "removed_at": None}
    back = [one for one in pictures if one.status == Status.REMOVED]
    for one in back:
        states.move(one, one.former_status, since=[Status.REMOVED], **nothing)
    if shown := [one.pk for one in back if one.status == Status.FIT]:
        tell_listeners(picture_ids=shown, shown=True, now=now)
    return back


def decide_reports(pictures: Collection[Picture], to: str, *, by: User, now: datetime) -> int:
    """Decide all open reports of these pictures, and return how many. The caller has locked the pictures."""
    reports = Report.objects.filter(picture__in=pictures, status=Report.Status.OPEN)
    return reports.update(status=to, decided_by=by, decided_at=now)


def _read_reason(text: str) -> str:
    reason = " ".join(text.split())
    if not reason:
        raise RuleBroken("no_reason", "Say why, for the record.")
    if len(reason) > LONGEST_REASON:
        raise RuleBroken("long_reason", f"A reason has at most {LONGEST_REASON} characters.")
    return reason


def _note(
    kind: str, verb: str, pictures: Collection[Picture], *, reason: str, by: User, now: datetime
) -> None:
    for one in pictures:
        note(kind, f"{verb}: picture {one.key} ({one.concept}). {reason}".strip(), by=by, now=now)
