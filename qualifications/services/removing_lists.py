"""A list goes in two steps: out of everybody's sight at once, out of the database a little at a time."""

from datetime import datetime

import structlog
from django.db import transaction

from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from qualifications.models import SwowList, SwowWord

Status = SwowList.Status
# Words of one transaction, with all their edges.
AT_ONCE = 200
log = structlog.get_logger()


def remove_list(*, swow: SwowList, by: User, now: datetime) -> None:
    """Nobody finds it from now on. Instances that were made of it stay: they are copies."""
    with transaction.atomic():
        if not move(swow, Status.LEAVING):
            raise RuleBroken("swow.leaving", f"{swow.name} is being removed already.")
        note("swow.removed", f"Association list {swow.name}, SHA-256 {swow.sha256}", by=by, now=now)


def remove_leaving() -> int:
    """How many lists are gone."""
    lists = list(SwowList.objects.filter(status=Status.LEAVING).order_by("pk"))
    for swow in lists:
        _remove(swow)
    return len(lists)


def _remove(swow: SwowList) -> None:
    words = SwowWord.objects.filter(list=swow).order_by("pk")
    while some := list(words.values_list("pk", flat=True)[:AT_ONCE]):
        SwowWord.objects.filter(pk__in=some).delete()
    SwowList.objects.filter(pk=swow.pk).delete()
    log.info("swow.list_gone", list=str(swow.public_id))
