"""Payments that carry no reference of ours, attributed to the bonuses of one piece of work by their amounts.

Bonuses of one amount are worth the same, so only the number of payments matters: as many count as paid.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import IntEnum


class Standing(IntEnum):
    """What is known of a bonus. A payment goes to the bonus that is known best.

    One on its way comes before an unclear one: its own answer may still say that the payment is its.
    """

    CONFIRMED = 0
    SENT = 1
    ON_ITS_WAY = 2
    UNCLEAR = 3
    # Nothing was paid, by our books: a copy of them may have done it.
    UNPAID = 4


@dataclass(frozen=True, kw_only=True)
class Payable:
    token: str
    amount: Decimal
    standing: Standing
    # When it was asked for last. None: never by these books.
    asked_at: datetime | None


def attribute(amounts: Sequence[Decimal], bonuses: Sequence[Payable]) -> list[str]:
    """The token for each payment, or "" for one whose amount no bonus has.

    What is paid beyond the bonuses of an amount was paid twice, by all that can be known: it goes to the one
    that was asked for last.
    """
    waiting: defaultdict[Decimal, list[Payable]] = defaultdict(list)
    for bonus in sorted(bonuses, key=_order):
        waiting[bonus.amount].append(bonus)
    last = {amount: _asked_last(those).token for amount, those in waiting.items()}
    return [
        waiting[amount].pop(0).token if waiting.get(amount) else last.get(amount, "") for amount in amounts
    ]


def _order(bonus: Payable) -> tuple[int, float, str]:
    asked = bonus.asked_at.timestamp() if bonus.asked_at else float("inf")
    return bonus.standing, asked, bonus.token


def _asked_last(bonuses: Sequence[Payable]) -> Payable:
    return max(bonuses, key=lambda one: one.asked_at.timestamp() if one.asked_at else float("-inf"))
