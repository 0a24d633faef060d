"""Erasure of a worker: the person goes, the books and the requesters' data stay under the worker id."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import Assignment, EmailAddress, QualificationRequest
from crowd.marketplace.models.parties import AuditEntry, Worker
from crowd.marketplace.services import work

ERASED_NAME = "Erased worker"


@dataclass(frozen=True, kw_only=True)
class Obstacles:
    """Things that the worker would lose or leave undone."""

    open_work: int
    waiting: int  # submitted, not reviewed
    owed: Decimal

    def __bool__(self) -> bool:
        return bool(self.open_work or self.waiting or self.owed)


def find_obstacles(*, worker: Worker) -> Obstacles:
    mine = Assignment.objects.filter(worker=worker)
    return Obstacles(
        open_work=mine.filter(status=Assignment.Status.ACCEPTED).count(),
        waiting=mine.filter(status=Assignment.Status.SUBMITTED).count(),
        owed=worker.owed,
    )


def erase_worker(*, worker_id: int, in_spite_of_obstacles: bool, now: datetime) -> None:
    """Erase a worker. Raises RuleBroken while work is open or money is owed, unless that was confirmed.

    Open work is returned first, each by itself: the locks of the HITs come before the worker's.
    """
    if in_spite_of_obstacles:
        _return_open_work(worker_id, now=now)
    with atomic():
        worker = Worker.objects.select_for_update(no_key=True).get(pk=worker_id)
        if worker.erased_at:
            raise RuleBroken("This worker is already erased.")
        if find_obstacles(worker=worker) and not in_spite_of_obstacles:
            raise RuleBroken("This worker has open work or is owed money. Confirm that these may be lost.")
        _forget(worker, now=now)


def _return_open_work(worker_id: int, *, now: datetime) -> None:
    mine = Assignment.objects.filter(worker_id=worker_id, status=Assignment.Status.ACCEPTED)
    for assignment in mine:
        work.return_assignment(assignment=assignment, now=now)


def _forget(worker: Worker, *, now: datetime) -> None:
    worker.invitations.all().delete()
    worker.sessions.all().delete()
    worker.emails.all().delete()
    worker.messages.all().delete()
    worker.complaints.all().delete()
    EmailAddress.objects.filter(worker=worker).delete()
    worker.qualification_requests.filter(status__in=QualificationRequest.OPEN).delete()
    AuditEntry.objects.filter(about=worker.external_id).update(note="")
    worker.name, worker.sign_in_name, worker.password = ERASED_NAME, None, ""
    worker.country, worker.subdivision = "", ""
    worker.is_adult, worker.is_master = False, False
    worker.waits_since, worker.suspended_at, worker.erased_at = None, None, now
    worker.save()
