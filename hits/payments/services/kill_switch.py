"""The kill switch. After a halt has returned, no payment of what it covers starts.

A claim and a halt both lock the account, and so happen one after the other. A payment claimed before is on
its way: it ends, and is settled from the provider's list like any other.
"""

from datetime import datetime
from typing import Any

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.payments.models.runs import Halt
from hits.providers.models.accounts import Account
from hits.providers.models.epochs import Epoch

LONGEST_REASON = 500
log = structlog.get_logger()


def halt_payments(*, account: Account | None, reason: str, by: User | None, now: datetime) -> Halt:
    """Stop the payments of one account, or of all if none is given. `by` is None if this program does it.

    Raises RuleBroken.
    """
    if by is not None:
        _refuse_unless_allowed(by)
    if not 1 <= len(reason.strip()) <= LONGEST_REASON:
        raise RuleBroken(
            "no_reason", f"Say why, in at most {LONGEST_REASON} characters: others will wonder what happened."
        )
    try:
        with transaction.atomic():
            lock_accounts(Account.objects.filter(pk=account.pk) if account else Account.objects.all())
            halt = Halt.objects.create(account=account, reason=reason.strip(), by=by, at=now)
            where = account or "every account"
            audit_trail.note(
                "halt.set", f"Stopped the payments of {where}: {halt.reason}", by=by, now=now, account=account
            )
    except IntegrityError as error:
        raise RuleBroken("already_halted", "These payments are stopped already.") from error
    log.warning("payments.halted", account=str(account.public_id) if account else "all")
    return halt


def lift_halt(*, halt: Halt, by: User, now: datetime) -> None:
    """Let these payments go on. Raises RuleBroken."""
    _refuse_unless_allowed(by)
    with transaction.atomic():
        if not Halt.objects.filter(pk=halt.pk, lifted_at=None).update(lifted_at=now, lifted_by=by):
            raise RuleBroken("not_halted", "Somebody has let these payments go on already.")
        where = halt.account or "every account"
        audit_trail.note(
            "halt.lifted", f"Let the payments of {where} go on.", by=by, now=now, account=halt.account
        )
    halt.refresh_from_db()


def halt_by_the_house(*, account: Account, reason: str, now: datetime) -> None:
    """Halt the account in this program's own name. If a halt is in force already, that one is enough."""
    try:
        halt_payments(account=account, reason=reason[:LONGEST_REASON], by=None, now=now)
    except RuleBroken as broken:
        log.info("payments.halted_already", account=str(account.public_id), code=broken.code)


def open_halts() -> QuerySet[Halt]:
    return Halt.objects.filter(lifted_at=None).select_related("account", "by").order_by("pk")


def is_halted(account_id: int) -> bool:
    return halts_of(account_id).exists() or stand_still(account_id).exists()


def halts_of(account: Any) -> QuerySet[Halt]:
    """Halts in force that cover the account, which may be an OuterRef."""
    return Halt.objects.filter(Q(account=None) | Q(account=account), lifted_at=None)


def stand_still(account: Any) -> QuerySet[Epoch]:
    """The account's restores that nobody has confirmed yet. The account may be an OuterRef."""
    return Epoch.objects.still_open().filter(account=account)


def may_start(account_id: int) -> bool:
    """Whether a payment may be claimed. Until the claim's transaction ends, no halt can be set."""
    lock_accounts(Account.objects.filter(pk=account_id))
    return not is_halted(account_id)


def lock_accounts(accounts: QuerySet[Account]) -> None:
    rows = accounts.order_by("pk").select_for_update(of=("self",), no_key=True)
    list(rows.values_list("pk", flat=True))


def _refuse_unless_allowed(by: User) -> None:
    if not by.has_perm("hits.set_halt"):
        raise RuleBroken("not_allowed", "Your role does not include this. Ask the manager of the accounts.")
