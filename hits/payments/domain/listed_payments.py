"""Whether a bonus in our books and the payments on the provider's list agree."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from hits.core.domain.money import FeeSchedule

REFERENCE = re.compile(r"\[ref ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\]")
NOTHING = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class ListedPayment:
    """A payment on the provider's list. Work and worker are keys of ours, never the provider's ids."""

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
    # The bonus is on its way, or so fresh that the list may not show it yet.
    is_moving: bool = False
    # Whether it was paid has been unknown for too long.
    is_unclear: bool = False
    # It was paid as the reward of a HIT of its own, which no list of payments shows.
    is_paid_by_hit: bool = False


@dataclass(frozen=True, kw_only=True)
class Gap:
    """One disagreement, and how much it moves the provider's balance away from ours."""

    cause: str
    ours: Decimal
    theirs: Decimal
    effect: Decimal


def reference_of(reason: str) -> str:
    """Return our token in a payment's reason, or "". The last match: a worker's words may come before it."""
    found = REFERENCE.findall(reason)
    return found[-1] if found else ""


def compare_bonus(due: BookedBonus, listed: Sequence[ListedPayment], *, fees: FeeSchedule) -> Gap | None:
    """Return the gravest disagreement about one bonus, or None where both sides agree."""
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
    if listed and (listed[0].work != due.work or due.worker not in ("", listed[0].worker)):
        return "other_worker"
    if listed and listed[0].amount != due.amount:
        return "other_amount"
    if due.is_unclear:
        return "unclear"
    if due.is_moving or due.is_sent == bool(listed):
        return ""
    return "not_ours" if listed else "not_listed"
