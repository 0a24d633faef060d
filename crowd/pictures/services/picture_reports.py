"""A report removes a picture at once; staff decide afterwards whether it was right."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from crowd.pictures.models import Picture
from crowd.pictures.models.picture_reports import LONGEST_TEXT, Report
from crowd.pictures.removal import tell_listeners
from crowd.pictures.services.picture_states import lock_pictures
from crowd.pictures.services.removing_pictures import decide_reports, put_back, take_out
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

# The limit of one worker, so that nobody empties the pool alone.
MOST_A_DAY = 30
REPORTED = "Reported, not decided yet"
Status = Report.Status


def report_picture(
    *, picture: Picture, reason: str, text: str = "", by_worker: str | None, now: datetime
) -> Report:
    """Take the picture out at once; a worker's second report returns the first. Raises RuleBroken."""
    text = _read_text(reason, text)
    with transaction.atomic():
        (row,) = lock_pictures([picture.pk])
        if known := _known(row, reason=reason, text=text, by_worker=by_worker):
            return known
        _refuse_a_flood(by_worker, now=now)
        is_decided = row.status == Picture.Status.REMOVED and not row.reports.filter(status=Status.OPEN)
        report = Report.objects.create(
            picture=row,
            reason=reason,
            text=text,
            by_worker=by_worker,
            made_at=now,
            status=Status.UPHELD if is_decided else Status.OPEN,
            decided_at=now if is_decided else None,
        )
        was_shown = row.status == Picture.Status.FIT
        if row.status != Picture.Status.REMOVED:
            take_out(row, reason=REPORTED, now=now)
        if was_shown:
            tell_listeners(picture_ids=[row.pk], shown=False, now=now)
    picture.refresh_from_db()
    return report


def uphold_report(*, report: Report, by: User, now: datetime) -> None:
    """Keep the picture removed, and answer every open report of it. Raises RuleBroken if done already."""
    with transaction.atomic():
        picture = _decide(report, Status.UPHELD, by=by, now=now)
        reason = f"Reported: {report.get_reason_display()}"
        Picture.objects.filter(pk=picture.pk).update(removal_reason=reason)
        words = f"Upheld what was reported of picture {picture.key} ({picture.concept})."
        note("picture.report_upheld", words, by=by, now=now)


def dismiss_report(*, report: Report, by: User, now: datetime) -> None:
    """Put the picture back, and answer every open report of it. Raises RuleBroken if done already."""
    with transaction.atomic():
        picture = _decide(report, Status.DISMISSED, by=by, now=now)
        put_back([picture], now=now)
        words = f"Dismissed what was reported of picture {picture.key} ({picture.concept})."
        note("picture.report_dismissed", words, by=by, now=now)


def _decide(report: Report, to: str, *, by: User, now: datetime) -> Picture:
    (picture,) = lock_pictures([report.picture_id])
    report.refresh_from_db()
    if report.status != Status.OPEN:
        raise RuleBroken("decided_already", "This report has been decided already.")
    decide_reports([picture], to, by=by, now=now)
    return picture


def _known(picture: Picture, *, reason: str, text: str, by_worker: str | None) -> Report | None:
    if by_worker is not None:
        return picture.reports.filter(by_worker=by_worker).first()
    same = picture.reports.filter(by_worker=None, status=Status.OPEN, reason=reason, text=text)
    return same.order_by("pk").first()


def _read_text(reason: str, text: str) -> str:
    if reason not in Report.Reason.values:
        raise RuleBroken("unknown_reason", _("Choose what is wrong with the picture."))
    text = text.replace("\0", "").strip()
    if len(text) > LONGEST_TEXT:
        raise RuleBroken("long_text", _("Write at most %d characters.") % LONGEST_TEXT)
    return text


def _refuse_a_flood(by_worker: str | None, *, now: datetime) -> None:
    if by_worker is None:
        return
    lately = Report.objects.filter(by_worker=by_worker, made_at__gt=now - timedelta(days=1))
    if lately.count() >= MOST_A_DAY:
        raise RuleBroken(
            "too_many_reports", _("You have reported many pictures today. Staff look at those first.")
        )
