"""What was spent on each of the last days, and what the accounts had: for who may see the studies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Sum

from hits.common.currencies import Currency, in_order
from hits.core.domain.money import round_to_cents
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.matches import Match
from hits.payments.queries.match_rows import accounts_for
from hits.providers.models.accounts import Account
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


def spending_by_day(user: Any, *, now: datetime) -> dict[str, list[DaySpending]]:
    """Return each of the last days by the currency of its studies, those without spending too."""
    studies = studies_of(user)
    found = set(studies.order_by().values_list("time_zone", "currency").distinct())
    zones, currencies = {zone for zone, _ in found}, in_order(currency for _, currency in found)
    entries = LedgerEntry.objects.filter(study__in=studies, kind__in=PART_OF)
    days, dated = in_last_days(
        entries, moment="at", zone="study__time_zone", zones=zones, now=now, count=DAYS
    )
    sums: dict[str, dict[date, dict[str, Decimal]]] = {
        currency: {day: dict.fromkeys(PARTS, NOTHING) for day in days}
        for currency in currencies or [Currency.USD]
    }
    for group in dated.values(DAY, "kind", "study__currency").annotate(sum=Sum("amount")):
        of_day = sums[group["study__currency"]][group[DAY]]
        of_day[PART_OF[group["kind"]]] += round_to_cents(group["sum"])
    return {
        currency: [DaySpending(day=day, **parts) for day, parts in of_days.items()]
        for currency, of_days in sums.items()
    }


@dataclass(frozen=True, kw_only=True)
class DayBalance:
    """The last balance that was read from an account on one day."""

    account: str
    currency: str
    at: datetime
    balance: Decimal


def balances_by_day(user: Any, *, now: datetime) -> list[DayBalance]:
    """Return the balances of the accounts that the user sees, as they were read."""
    accounts = list(accounts_for(user).order_by("name", "pk"))
    known = {account.pk: account for account in accounts}
    compared = Match.objects.filter(
        account__in=accounts, ended_at__gte=now - timedelta(days=DAYS), balance__isnull=False
    )
    reads = [
        _balance(known[match.account_id], at=match.ended_at, balance=match.balance)
        for match in compared.only("account_id", "ended_at", "balance")
        if match.ended_at is not None and match.balance is not None
    ]
    reads += [
        _balance(account, at=account.balance_read_at, balance=account.balance)
        for account in accounts
        if account.balance is not None and account.balance_read_at is not None
    ]
    last = {(one.account, one.at.date()): one for one in sorted(reads, key=lambda one: one.at)}
    return sorted(last.values(), key=lambda one: (one.account, one.at))


def _balance(account: Account, *, at: datetime, balance: Decimal) -> DayBalance:
    return DayBalance(account=account.name, currency=account.currency, at=at, balance=balance)
