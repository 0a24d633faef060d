"""Disclosure of workers' ids at the provider: only with a permission, and always on record."""

from collections.abc import Iterable
from datetime import datetime

import structlog
from cryptography.fernet import InvalidToken
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Q

from hits.core import crypto
from hits.core.domain.typed_text import is_one_line
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.people.models import Disclosure
from hits.providers.models.accounts import Account
from hits.work.access import may_see, visible
from hits.work.models.assignments import Assignment

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


def open_to(user: User, *, account: Account, external_ids: Iterable[str]) -> list[str]:
    """Return those of the ids by which the user may name a person.

    Only with the permission may an id be linked with the pseudonym of somebody who has worked.
    """
    by_index = {crypto.blind_index(str(account.public_id), one): one for one in external_ids}
    worked = Worker.objects.filter(
        Exists(Assignment.objects.filter(worker=OuterRef("pk"))),
        account=account,
        external_id_index__in=by_index,
    )
    is_open = user.has_perm("hits.see_worker_id")
    closed = set() if is_open else set(worked.values_list("external_id_index", flat=True))
    return [one for index, one in by_index.items() if index not in closed]


def name_by_external_id(
    *, account: Account, external_id: str, user: User, reason: str, now: datetime
) -> Worker:
    """Return the worker of an id that is open to the user, made at first sight. It is on record."""
    worker = Worker.objects.known(account=account, external_id=external_id)
    words = f"Named by id: {reason}"[:LONGEST_REASON]
    Disclosure.objects.create(worker=worker, user=user, reason=words, at=now)
    return worker


def _check_permission(user: User) -> None:
    if not user.has_perm("hits.see_worker_id"):
        raise PermissionDenied


def _read_reason(reason: str) -> str:
    reason = reason.strip()
    if not is_one_line(reason, longest=LONGEST_REASON):
        raise RuleBroken("reason_wanted", f"Give a reason of 1 to {LONGEST_REASON} characters, on one line.")
    return reason
