"""What was spent on each of the last days, and what the accounts had: for who may see the studies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Sum

from hits.core.domain.money import round_to_cents
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.matches import Match
from hits.payments.queries.match_rows import accounts_for
from hits.work.access import studies_of
from hits.work.queries.local_days import DAY, in_last_days

DAYS = 28
NOTHING = Decimal(0)
Kind = LedgerEntry.Kind
# The parts of what is spent, by the kinds of entries that each has.
PARTS: Mapping[str, Sequence[str]] = {
    "rewards": (Kind.REWARD,),
    "bonuses": (Kind.SENT,),
    "fees": (Kind.REWARD_FEE, Kind.BONUS_FEE),
}
PART_OF = {kind: part for part, kinds in PARTS.items() for kind in kinds}


@dataclass(frozen=True, kw_only=True)
class DaySpending:
    """What was spent on one day of the studies' own time zones."""

    day: date
    rewards: Decimal = NOTHING
    bonuses: Decimal = NOTHING
    fees: Decimal = NOTHING

    @property
    def total(self) -> Decimal:
        return self.rewards + self.bonuses + self.fees


def spending_by_day(user: Any, *, now: datetime) -> list[DaySpending]:
    """Return each of the last days, those without spending too."""
    studies = studies_of(user)
    zones = set(studies.order_by().values_list("time_zone", flat=True).distinct())
    entries = LedgerEntry.objects.filter(study__in=studies, kind__in=PART_OF)
    days, dated = in_last_days(
        entries, moment="at", zone="study__time_zone", zones=zones, now=now, count=DAYS
    )
    sums: dict[date, dict[str, Decimal]] = {day: dict.fromkeys(PARTS, NOTHING) for day in days}
    for group in dated.values(DAY, "kind").annotate(sum=Sum("amount")):
        sums[group[DAY]][PART_OF[group["kind"]]] += round_to_cents(group["sum"])
    return [DaySpending(day=day, **parts) for day, parts in sums.items()]


@dataclass(frozen=True, kw_only=True)
class DayBalance:
    """The last balance that was read from an account on one day."""

    account: str
    at: datetime
    balance: Decimal


def balances_by_day(user: Any, *, now: datetime) -> list[DayBalance]:
    """Return the balances of the accounts that the user sees, as they were read."""
    accounts = list(accounts_for(user).order_by("name", "pk"))
    names = {account.pk: account.name for account in accounts}
    compared = Match.objects.filter(
        account__in=accounts, ended_at__gte=now - timedelta(days=DAYS), balance__isnull=False
    )
    reads = [
        DayBalance(account=names[match.account_id], at=match.ended_at, balance=match.balance)
        for match in compared.only("account_id", "ended_at", "balance")
        if match.ended_at is not None and match.balance is not None
    ]
    reads += [
        DayBalance(account=account.name, at=account.balance_read_at, balance=account.balance)
        for account in accounts
        if account.balance is not None and account.balance_read_at is not None
    ]
    last = {(one.account, one.at.date()): one for one in sorted(reads, key=lambda one: one.at)}
    return sorted(last.values(), key=lambda one: (one.account, one.at))
