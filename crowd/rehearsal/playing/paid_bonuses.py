"""Bonuses of a run are approved by two people and paid, as payments staff would do it."""

from datetime import datetime

from crowd.rehearsal.playing.process_deaths import Deaths
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import bonus_runs, paying

OPEN = (Bonus.Status.APPROVED, Bonus.Status.SENDING, Bonus.Status.UNKNOWN)


def approve_owed(*, preparer: User, approver: User, now: datetime) -> None:
    """Approve whatever is owed and in no run yet."""
    owed = Bonus.objects.filter(status=Bonus.Status.OWED)
    if not owed.exists():
        return
    run = bonus_runs.prepare_run(bonuses=owed, by=preparer, title="Rehearsal", now=now)
    bonus_runs.freeze_run(run=run, by=preparer, now=now)
    bonus_runs.approve_run(run=run, digest=run.digest, by=approver, now=now)


def pay_approved(*, deaths: Deaths, now: datetime) -> None:
    with deaths.risked():
        paying.pay_bonuses(now=now)
        paying.confirm_bonuses(now=now)


def are_open() -> bool:
    return Bonus.objects.filter(status__in=OPEN).exists()
