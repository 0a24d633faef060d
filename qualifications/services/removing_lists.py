"""Removal of an association list in two steps: hidden at once, then deleted in small transactions."""

from datetime import datetime

import structlog
from django.db import transaction

from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from qualifications.models import SwowList, SwowWord

Status = SwowList.Status
# Words deleted in one transaction, with all their edges.
AT_ONCE = 200
log = structlog.get_logger()


def remove_list(*, swow: SwowList, by: User, now: datetime) -> None:
    """Hide a list from now on. Instances made of it stay: they are copies.

    Raises RuleBroken if it is hidden.
    """
    with transaction.atomic():
        if not move(swow, Status.LEAVING):
            raise RuleBroken("swow.leaving", f"{swow.name} is being removed already.")
        note("swow.removed", f"Association list {swow.name}, SHA-256 {swow.sha256}", by=by, now=now)


def remove_leaving() -> int:
    """Delete the lists that are being removed; return how many."""
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
