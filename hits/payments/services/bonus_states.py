"""The one place that moves bonuses through their states: rows, ledger and figures change at once."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from django.db import transaction

from hits.core.states import sources_of
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.services.transfers import BOOK_OF, Book, Kind, Transfer, post
from hits.studies.services import mark_stale

Status = Bonus.Status
KINDS = {
    Book.OWED: Kind.RETURNED,
    Book.APPROVED: Kind.APPROVED,
    Book.SENT: Kind.SENT,
    Book.CONFIRMED: Kind.CONFIRMED,
}


def move_bonus(
    bonus: Bonus,
    to: str,
    *,
    now: datetime,
    by: User | None = None,
    since: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    **changes: Any,
) -> bool:
    """Move one bonus and its fields; True if this call moved it. Compare and swap: no error if it did not."""
    moved = move_bonuses([bonus], to, now=now, by=by, since=since, where=where, **changes)
    if moved:
        for name, value in {"status": to, **changes}.items():
            setattr(bonus, name, value)
    return bool(moved)


def move_bonuses(
    bonuses: Iterable[Bonus],
    to: str,
    *,
    now: datetime,
    by: User | None = None,
    since: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    **changes: Any,
) -> list[Bonus]:
    """Move bonuses and return those that this call moved, without those in another state or moved before.

    `where` narrows the move to rows that are still as the caller has seen them.
    """
    sources = [source for source in sources_of(Bonus, to) if not since or source in since]
    keys = sorted(bonus.pk for bonus in bonuses)
    with transaction.atomic():
        held = list(
            Bonus.objects.filter(pk__in=keys, status__in=sources, **(where or {}))
            .select_related("assignment__hit__batch__study", "assignment__hit__batch__account")
            .order_by("pk")
            .select_for_update(of=("self",), no_key=True)
        )
        Bonus.objects.filter(pk__in=[bonus.pk for bonus in held]).update(status=to, **changes)
        post((transfer for bonus in held for transfer in _transfers(bonus, to)), by=by, now=now)
        for batch_id in sorted({bonus.assignment.hit.batch_id for bonus in held}):
            mark_stale(batch_id)
    return held


def owe(bonuses: Iterable[Bonus], *, by: User | None, now: datetime) -> None:
    """Create new obligations. The caller holds the transaction and has reserved what no place had."""
    owed = list(bonuses)
    for bonus in owed:
        bonus.token = token_of(bonus)
        bonus.currency = bonus.assignment.hit.batch.account.currency
    made = Bonus.objects.bulk_create(owed)
    post(
        (_transfer(bonus, Kind.OWED, Book.RESERVED, Book.OWED) for bonus in made),
        by=by,
        now=now,
    )
    for batch_id in sorted({bonus.assignment.hit.batch_id for bonus in made}):
        mark_stale(batch_id)


def token_of(bonus: Bonus) -> UUID:
    """A token that is the same for the same obligation in every copy of this database, and otherwise unique.

    A payment made by one copy is therefore found by any other copy that owes it again.
    """
    work = bonus.assignment
    named = f"{work.external_id or work.public_id} {bonus.rule} {bonus.revision}"
    return uuid5(work.hit.batch.account.public_id, named)


def _transfers(bonus: Bonus, to: str) -> list[Transfer]:
    source, target = BOOK_OF[bonus.status], BOOK_OF[to]
    is_paid_by_hit = bonus.compensation_id and to == Status.CONFIRMED  # its reward is booked instead
    if source == target or is_paid_by_hit:
        return []
    kind = KINDS.get(target) or (Kind.WAIVED if to == Status.WAIVED else Kind.COMPENSATED)
    transfers = [_transfer(bonus, kind, source, target)]
    if to == Status.SENT:
        transfers.append(_transfer(bonus, Kind.BONUS_FEE, Book.RESERVED, Book.FEES))
    return transfers


def _transfer(bonus: Bonus, kind: Kind, source: Book, target: Book) -> Transfer:
    batch = bonus.assignment.hit.batch
    fee = kind == Kind.BONUS_FEE
    return Transfer(
        kind=kind,
        source=source,
        target=target,
        amount=batch.prices.fees.on_bonus(bonus.amount) if fee else bonus.amount,
        study=batch.study,
        batch=batch,
        assignment=bonus.assignment,
        bonus=bonus,
    )
