"""Disclosure of workers' ids at the provider: only with a permission, and always on record."""

from datetime import datetime

import structlog
from cryptography.fernet import InvalidToken
from django.core.exceptions import PermissionDenied
from django.db.models import Q

from hits.core import crypto
from hits.core.domain.typed_text import is_one_line
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.people.models import Disclosure
from hits.providers.models.accounts import Account
from hits.work.access import may_see, visible

LONGEST_REASON = 500
LONGEST_ID = 128
log = structlog.get_logger()


def disclose(*, worker: Worker, user: User, reason: str, now: datetime) -> str:
    """Return the id, once it is on record who was shown it and why. Raises RuleBroken or PermissionDenied."""
    _check_permission(user)
    reason = _read_reason(reason)
    if not may_see(worker, user):
        raise PermissionDenied
    try:
        external_id = str(worker.external_id)
    except InvalidToken:
        raise RuleBroken("sealed", "This id cannot be decrypted: its key is gone.") from None
    Disclosure.objects.create(worker=worker, user=user, reason=reason, at=now)
    log.info("worker.id_disclosed", worker=str(worker.public_id), by=str(user.public_id))
    return external_id


def find_by_external_id(
    *, account: Account | None, external_id: str, user: User, reason: str, now: datetime
) -> list[Worker]:
    """Find workers by id, on one account or any, by blind index alone. What is found is on record too."""
    _check_permission(user)
    reason = _read_reason(reason)
    external_id = external_id.strip()
    if not is_one_line(external_id, longest=LONGEST_ID):
        raise RuleBroken("id_wanted", f"Give the whole id, of 1 to {LONGEST_ID} characters.")
    accounts = [account] if account else list(Account.objects.only("public_id"))
    matches = Q(pk=None)
    for each in accounts:
        index = crypto.blind_index(str(each.public_id), external_id)
        matches |= Q(account=each, external_id_index=index)
    found = list(visible(Worker.objects.filter(matches), user).select_related("account").order_by("pk"))
    words = f"Searched by id: {reason}"[:LONGEST_REASON]
    Disclosure.objects.bulk_create(
        Disclosure(worker=worker, user=user, reason=words, at=now) for worker in found
    )
    log.info("worker.searched_by_id", found=len(found), by=str(user.public_id))
    return found


def _check_permission(user: User) -> None:
    if not user.has_perm("hits.see_worker_id"):
        raise PermissionDenied


def _read_reason(reason: str) -> str:
    reason = reason.strip()
    if not is_one_line(reason, longest=LONGEST_REASON):
        raise RuleBroken("reason_wanted", f"Give a reason of 1 to {LONGEST_REASON} characters, on one line.")
    return reason
