"""Books of a study: every balance is a sum over its ledger, made from the index alone.

One query reads the whole of a statement, grouped by what moved from where to where; the few groups are
added up in Decimal, since one of the databases adds floats.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from hits.core.domain.money import round_to_cents
from hits.ledger.models.transfers import LedgerEntry
from hits.studies.models import Study

Book = LedgerEntry.Book
Kind = LedgerEntry.Kind
NOTHING = Decimal(0)
SLICE = 1000


@dataclass(frozen=True, kw_only=True)
class Movement:
    """All transfers of one kind between two books, on one grant code."""

    grant_code: str
    kind: str
    source: str
    target: str
    amount: Decimal
    count: int

    @property
    def words(self) -> str:
        return str(Kind(self.kind).label)


@dataclass(frozen=True, kw_only=True)
class Check:
    """A condition that must hold. `ours` and `theirs` are shown if it does not."""

    words: str
    ours: Decimal
    theirs: Decimal

    @property
    def holds(self) -> bool:
        return self.ours == self.theirs


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A study's books, as a finance office reads them."""

    balances: Mapping[str, Decimal]
    confirmed_rewards: Decimal
    confirmed_bonuses: Decimal
    reward_fees: Decimal
    bonus_fees: Decimal

    @property
    def granted(self) -> Decimal:
        return -self.balances[Book.GRANT]

    @property
    def free(self) -> Decimal:
        """Amount that is not reserved: never used, or given back."""
        return self.balances[Book.BUDGET] + self.balances[Book.RELEASED]

    @property
    def set_aside(self) -> Decimal:
        """Amount that has been spent or still can be: all that is neither granted nor free."""
        return sum(self.balances.values(), NOTHING) + self.granted - self.free

    @property
    def paid(self) -> Decimal:
        """Amount that has been paid out, fees included."""
        return self.balances[Book.SENT] + self.balances[Book.CONFIRMED] + self.balances[Book.FEES]


def entries_of(
    studies: Iterable[Study], *, since: datetime | None = None, before: datetime | None = None
) -> QuerySet[LedgerEntry]:
    """Entries of these studies from `since` on, up to but not including `before`."""
    entries = LedgerEntry.objects.filter(study__in=studies)
    if since is not None:
        entries = entries.filter(at__gte=since)
    return entries if before is None else entries.filter(at__lt=before)


def movements(entries: QuerySet[LedgerEntry]) -> list[Movement]:
    """Sum the entries by kind, books and grant code: few groups, however many rows there are."""
    groups = entries.order_by().values("grant_code", "kind", "source", "target")
    summed = groups.annotate(sum=Sum("amount"), count=Count("*"))  # a column would not be in the index
    return [
        Movement(
            grant_code=group["grant_code"],
            kind=group["kind"],
            source=group["source"],
            target=group["target"],
            amount=round_to_cents(group["sum"]),
            count=group["count"],
        )
        for group in sorted(summed, key=_order)
    ]


def balances(moved: Iterable[Movement]) -> dict[str, Decimal]:
    """Return each book's balance, empty ones too. GRANT is negative: it is where money came from."""
    books = dict.fromkeys(Book.values, NOTHING)
    for movement in moved:
        books[movement.source] -= movement.amount
        books[movement.target] += movement.amount
    return books


def balances_by_grant(moved: Iterable[Movement]) -> dict[str, dict[str, Decimal]]:
    moved = list(moved)
    codes = sorted({movement.grant_code for movement in moved})
    return {code: balances(one for one in moved if one.grant_code == code) for code in codes}


def statement_of(moved: Iterable[Movement]) -> Statement:
    moved = list(moved)
    return Statement(
        balances=balances(moved),
        confirmed_rewards=_into(moved, Book.CONFIRMED, Kind.REWARD),
        confirmed_bonuses=_into(moved, Book.CONFIRMED, Kind.CONFIRMED),
        reward_fees=_into(moved, Book.FEES, Kind.REWARD_FEE),
        bonus_fees=_into(moved, Book.FEES, Kind.BONUS_FEE),
    )


def checks_of(study: Study, statement: Statement) -> list[Check]:
    """Checks of the ledger against the figures that the rest of the system works with."""
    return [
        Check(
            words="All books together sum to zero",
            ours=sum(statement.balances.values(), NOTHING),
            theirs=NOTHING,
        ),
        Check(
            words="What the ledger has set aside is what the study has reserved",
            ours=statement.set_aside,
            theirs=study.reserved,
        ),
        Check(
            words="What the ledger was granted is the study's budget",
            ours=statement.granted,
            theirs=study.budget or NOTHING,
        ),
    ]


def in_slices(entries: QuerySet[LedgerEntry]) -> Iterator[list[LedgerEntry]]:
    """Yield entries oldest first, in slices, with no open cursor for a slow reader to hold."""
    ordered = entries.order_by("at", "pk")
    held = list(ordered[:SLICE])
    while held:
        yield held
        last = held[-1]
        after = Q(at=last.at, pk__gt=last.pk) | Q(at__gt=last.at)
        held = list(ordered.filter(after, at__gte=last.at)[:SLICE])


def _into(moved: Iterable[Movement], book: str, kind: str) -> Decimal:
    return sum((one.amount for one in moved if (one.target, one.kind) == (book, kind)), NOTHING)


def _order(group: Mapping[str, Any]) -> tuple[str, int, str, str]:
    return group["grant_code"], Kind.values.index(group["kind"]), group["source"], group["target"]
