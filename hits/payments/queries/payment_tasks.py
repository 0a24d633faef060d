"""What payments staff have to do, in a handful of queries however many bonuses there are."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, F, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from hits.core.domain.money import FEES, round_to_cents
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.runs import Run, RunRow
from hits.payments.queries.match_rows import accounts_for, differences_for
from hits.payments.queries.run_list import hidden_rows
from hits.providers.models.accounts import Account
from hits.work.access import SEES_ALL, studies_of, visible

Status = Bonus.Status
Kind = LedgerEntry.Kind
NOTHING = Decimal(0)
OWED_TOO_LONG = timedelta(days=7)
UNSENT_TOO_LONG = timedelta(hours=1)
UNCONFIRMED_TOO_LONG = timedelta(days=1)
SPENT_OVER = timedelta(days=14)
# Exactly the conditions of the two partial indexes of bonuses.
TO_DECIDE = (Status.OWED, Status.REFUSED)
IN_FLIGHT = (Status.APPROVED, Status.SENDING, Status.UNKNOWN, Status.SENT, Status.COMPENSATING)
# Promised to workers and not sent yet.
COMMITTED = (Status.OWED, Status.APPROVED, Status.SENDING, Status.UNKNOWN, Status.REFUSED)
SPENDING = (Kind.REWARD, Kind.REWARD_FEE, Kind.SENT, Kind.BONUS_FEE)
MOST_RUNS = 50
# Owed bonuses that a run holds already: they wait for whoever prepares it, or for its approval.
IN_RUN = "in_run"


@dataclass(kw_only=True)
class WaitingBonuses:
    """Bonuses in one state: how many, how much money, and since when the oldest of them waits."""

    count: int = 0
    amounts: dict[str, Decimal] = field(default_factory=dict)
    late: int = 0
    held: int = 0
    held_amounts: dict[str, Decimal] = field(default_factory=dict)
    oldest_at: datetime | None = None

    @property
    def free(self) -> int:
        """How many of them no hold keeps out of a run."""
        return self.count - self.held

    def add(self, group: Mapping[str, Any]) -> None:
        self.count += group["count"]
        _add(self.amounts, group, group["count"])
        self.late += group["late"]
        self.held += group["held"]
        _add(self.held_amounts, group, group["held"])
        self.oldest_at = min(self.oldest_at or group["oldest"], group["oldest"])


def _add(sums: dict[str, Decimal], group: Mapping[str, Any], count: int) -> None:
    if count:
        sums[group["currency"]] = sums.get(group["currency"], NOTHING) + count * group["amount"]


@dataclass(kw_only=True)
class AccountCommitment:
    """What an account still has to pay: bonuses owed and on their way, and the provider's fees on both."""

    owed: Decimal = NOTHING
    approved: Decimal = NOTHING
    fees: Decimal = NOTHING

    @property
    def total(self) -> Decimal:
        return self.owed + self.approved + self.fees

    def add(self, group: Mapping[str, Any]) -> None:
        amount = group["count"] * group["amount"]
        if group["status"] == Status.OWED:
            self.owed += amount
        else:
            self.approved += amount
        self.fees += group["count"] * FEES[group["by"]].on_bonus(group["amount"])


@dataclass(frozen=True, kw_only=True)
class AccountFunds:
    """One account: its balance when it was last read, and what it still has to pay."""

    account: Account
    differences: int
    committed: AccountCommitment
    spent: Decimal

    @property
    def balance(self) -> Decimal | None:
        return self.account.balance

    @property
    def is_short(self) -> bool:
        return self.balance is not None and self.balance < self.committed.total

    @property
    def runway_days(self) -> int | None:
        """Days the rest lasts at the recent pace. None if nothing was spent or the balance is unknown."""
        if self.balance is None or not self.spent:
            return None
        a_day = self.spent / SPENT_OVER.days
        return max(0, int((self.balance - self.committed.total) / a_day))


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Everything on the payments desk that this user may see."""

    bonuses: Mapping[str, WaitingBonuses]
    purses: list[AccountFunds]
    to_approve: list[Run]
    drafts: list[Run]
    waiting: list[Run]

    def count_late(self, status: str) -> int:
        """Bonuses in this state that wait for too long, those in runs among them."""
        keys = (status, IN_RUN) if status == Status.OWED else (status,)
        return sum(self.bonuses[key].late for key in keys if key in self.bonuses)

    @property
    def differences(self) -> int:
        return sum(purse.differences for purse in self.purses)


def desk_of(user: User, *, now: datetime) -> Desk:
    bonuses, committed = _bonuses(user, now=now)
    drafts, to_approve, waiting = _runs(user)
    return Desk(
        bonuses=bonuses,
        purses=_purses(user, committed=committed, now=now),
        drafts=drafts,
        to_approve=to_approve,
        waiting=waiting,
    )


def whole_runs(rows: QuerySet[Run], user: User) -> QuerySet[Run]:
    """Runs of which this user may see every bonus."""
    if user.has_perm(SEES_ALL):
        return rows
    return rows.filter(~Exists(hidden_rows(user)))


def _bonuses(user: User, *, now: datetime) -> tuple[dict[str, WaitingBonuses], dict[int, AccountCommitment]]:
    """One query grouped by state, account and amount: amounts are few, and fees are rounded on each."""
    is_open = Q(status__in=TO_DECIDE) | Q(status__in=IN_FLIGHT)
    groups = (
        visible(Bonus.objects.filter(is_open), user)
        .values(
            "status",
            "amount",
            "currency",
            account=F("assignment__account"),
            by=F("assignment__account__fee_schedule"),
        )
        .annotate(
            is_in_run=Exists(RunRow.objects.filter(bonus=OuterRef("pk"), is_live=True)),
            count=Count("pk"),
            held=Count("pk", filter=Q(held_at__isnull=False)),
            late=Count("pk", filter=_is_late(now)),
            oldest=Min(Coalesce("sent_at", "sending_at", "approved_at", "owed_at")),
        )
        .order_by()
    )
    waiting: dict[str, WaitingBonuses] = defaultdict(WaitingBonuses)
    committed: dict[int, AccountCommitment] = defaultdict(AccountCommitment)
    for group in groups:
        is_in_run = group["is_in_run"] and group["status"] == Status.OWED
        waiting[IN_RUN if is_in_run else group["status"]].add(group)
        if group["status"] in COMMITTED:
            committed[group["account"]].add(group)
    return waiting, committed


def _is_late(now: datetime) -> Q:
    return (
        Q(status=Status.OWED, owed_at__lt=now - OWED_TOO_LONG)
        | Q(status=Status.APPROVED, approved_at__lt=now - UNSENT_TOO_LONG)
        | Q(status=Status.SENT, sent_at__lt=now - UNCONFIRMED_TOO_LONG)
    )


def _runs(user: User) -> tuple[list[Run], list[Run], list[Run]]:
    """The user's own drafts, frozen runs of others, and the user's own frozen runs."""
    is_open = Run.objects.filter(status__in=(Run.Status.DRAFT, Run.Status.FROZEN))
    rows = whole_runs(is_open, user).select_related("prepared_by").order_by("pk")[:MOST_RUNS]
    found = list(rows)
    mine = [run for run in found if run.prepared_by_id == user.pk]
    return (
        [run for run in mine if run.status == Run.Status.DRAFT],
        [run for run in found if run.status == Run.Status.FROZEN and run.prepared_by_id != user.pk],
        [run for run in mine if run.status == Run.Status.FROZEN],
    )


def _purses(user: User, *, committed: Mapping[int, AccountCommitment], now: datetime) -> list[AccountFunds]:
    """The accounts that the user sees, the most committed first."""
    found = differences_for(user).filter(account=OuterRef("pk"), resolved_at=None).order_by()
    accounts = accounts_for(user).annotate(
        found=Coalesce(Subquery(found.values("account").annotate(n=Count("pk")).values("n")), 0),
    )
    spent = _spent(user, now=now)
    purses = [
        AccountFunds(
            account=account,
            differences=account.found,
            committed=committed.get(account.pk, AccountCommitment()),
            spent=spent.get(account.pk, NOTHING),
        )
        for account in accounts.order_by("name")
    ]
    return sorted(purses, key=lambda purse: -purse.committed.total)


def _spent(user: User, *, now: datetime) -> dict[int, Decimal]:
    """Rewards, bonuses and fees spent on each account in the last SPENT_OVER."""
    groups = (
        LedgerEntry.objects.filter(
            study__in=studies_of(user), at__gte=now - SPENT_OVER, at__lte=now, kind__in=SPENDING
        )
        .values(account=F("batch__account"))
        .annotate(sum=Sum("amount"))
        .order_by()
    )
    return {group["account"]: round_to_cents(group["sum"]) for group in groups}
