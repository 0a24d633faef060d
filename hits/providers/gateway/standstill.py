"""Standstill of accounts: while restored data is compared, a provider is asked but told nothing."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction

from hits.common.kept_queries import KeptQuery, given_id
from hits.core.errors import StandsStill
from hits.core.models.audit_events import AuditEvent
from hits.providers.models.accounts import Account
from hits.providers.models.epochs import Epoch

ASKS = ("get_", "list_")
WORDS = "Nothing was sent: rows were put back from a copy. A person must confirm the comparison first."
# Values of a comparison that has not been made yet.
FRESH: dict[str, Any] = {
    "surveyed_at": None,
    "match": None,
    "found": {},
    "compared_at": None,
    "problem": "",
}
OPEN = KeptQuery(
    lambda: Epoch.objects.still_open().filter(account=given_id("account")).values_list("pk", flat=True)
)
log = structlog.get_logger()


def refuse_to_tell(operation: str, *, account_id: int) -> None:
    """Raise StandsStill for an operation that would change something while the account has an open epoch."""
    if operation.startswith(ASKS):
        return
    if OPEN.rows(account=account_id):
        raise StandsStill(WORDS)


def begin_epochs(
    account_ids: Collection[int], *, side: str, copied_at: datetime | None, now: datetime
) -> None:
    """Begin an epoch for each account, or restart its open one. No payment starts after this returns."""
    accounts = Account.objects.filter(pk__in=account_ids).order_by("pk")
    values = {**FRESH, "side": side, "copied_at": copied_at, "began_at": now, "look_at": now}
    with transaction.atomic():
        for account in accounts.select_for_update(of=("self",), no_key=True):
            epoch, is_first = Epoch.objects.get_or_create(account=account, confirmed_at=None, defaults=values)
            if not is_first:
                _begin_again(epoch, values)
            words = f"{Epoch.Side(side).label} was put back from a copy: {account} stands still."
            AuditEvent.objects.create(kind="epoch.begun", words=words, at=now, account=account)
    log.warning("epoch.begun", accounts=len(account_ids), side=side)


def _begin_again(epoch: Epoch, values: Mapping[str, Any]) -> None:
    known = {"side": Epoch.Side.BOTH} if values["side"] != epoch.side else {}
    copied_at = values["copied_at"] or epoch.copied_at
    Epoch.objects.filter(pk=epoch.pk).update(**{**values, "copied_at": copied_at, **known})
