"""A bonus, and what the provider's list says of it: whether both tell the same."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from hits.core.domain.money import FeeSchedule

REFERENCE = re.compile(r"\[ref ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\]")
NOTHING = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class ListedPayment:
    """A payment on the provider's list. Work and worker are keys of ours, and no ids of the provider's."""

    amount: Decimal
    work: str
    worker: str


@dataclass(frozen=True, kw_only=True)
class BookedBonus:
    """A bonus as our books have it. `is_sent`: the books say that the provider has paid it."""

    amount: Decimal
    work: str
    worker: str
    is_sent: bool
    # It is on its way, or so fresh that the list may not show it yet.
    is_moving: bool = False
    # Nobody knows for too long whether it was paid.
    is_unclear: bool = False
    # As the reward of a HIT of its own, which is on no list of payments.
    is_paid_by_hit: bool = False


@dataclass(frozen=True, kw_only=True)
class Gap:
    """What disagrees, and by how much it makes the provider's balance another one than ours."""

    cause: str
    ours: Decimal
    theirs: Decimal
    effect: Decimal


def reference_of(reason: str) -> str:
    """Our token in a payment's reason, or nothing. The last one: a worker's words may stand before it."""
    found = REFERENCE.findall(reason)
    return found[-1] if found else ""


def compare_bonus(due: BookedBonus, listed: Sequence[ListedPayment], *, fees: FeeSchedule) -> Gap | None:
    """One cause at most for each bonus, the gravest first; None where both sides tell the same."""
    cause = _cause_of(due, listed)
    if not cause:
        return None
    ours = due.amount if due.is_sent else NOTHING
    theirs = sum((paid.amount for paid in listed), NOTHING)
    there = sum((with_fee(paid.amount, fees=fees) for paid in listed), NOTHING)
    here = with_fee(due.amount, fees=fees) if due.is_sent else NOTHING
    return Gap(cause=cause, ours=ours, theirs=theirs, effect=here - there)


def with_fee(amount: Decimal, *, fees: FeeSchedule) -> Decimal:
    return amount + fees.on_bonus(amount)


def _cause_of(due: BookedBonus, listed: Sequence[ListedPayment]) -> str:
    if len(listed) > 1 or (listed and due.is_paid_by_hit):
        return "twice"
    if listed and (listed[0].worker, listed[0].work) != (due.worker, due.work):
        return "other_worker"
    if listed and listed[0].amount != due.amount:
        return "other_amount"
    if due.is_unclear:
        return "unclear"
    if due.is_moving or due.is_sent == bool(listed):
        return ""
    return "not_ours" if listed else "not_listed"
