"""Restores from a copy: requesters learn of them, and the payment list waits for an operator."""

from datetime import datetime

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import Email, Epoch, ResetRequest
from crowd.marketplace.models.parties import OperatorSession, WorkerSession
from hits.common.kept_queries import KeptQuery

FIRST = "first"
LAST = KeptQuery(lambda: Epoch.objects.order_by("-pk").values_list("public_id", flat=True)[:1])


def begin_epoch(*, copied_at: datetime | None, now: datetime) -> Epoch:
    """Record a restore. All who were signed in when the copy was taken are signed out.

    E-mails that waited in the copy may have been sent since, and are not sent again.
    """
    with atomic():
        OperatorSession.objects.all().delete()
        WorkerSession.objects.all().delete()
        Email.objects.filter(sent_at=None).delete()
        ResetRequest.objects.all().delete()
        return Epoch.objects.create(copied_at=copied_at, began_at=now)


def current() -> str:
    """The epoch's name for requesters: a name other than before means that they should compare."""
    last = LAST.first()
    return str(last) if last else FIRST


def unconfirmed() -> Epoch | None:
    return Epoch.objects.filter(confirmed_at=None).order_by("copied_at").first()


def confirm(*, now: datetime) -> None:
    Epoch.objects.filter(confirmed_at=None).update(confirmed_at=now)


def refuse_list_to_pay() -> None:
    """Raise RuleBroken after a restore: what was marked as paid after the copy is owed here again."""
    if epoch := unconfirmed():
        since = f"since {epoch.copied_at:%d %B %Y, %H:%M} UTC" if epoch.copied_at else "of the last days"
        raise RuleBroken(
            f"This database was restored from a copy, so payouts {since} may be missing, and this list would "
            "pay them again. First mark what you have sent since: “Mark a paid list”. Then confirm on the "
            "overview that both agree."
        )
