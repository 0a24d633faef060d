"""A study's month as rows: what the books held before, what moved, what they hold now, and what was paid.

The rows come from ledger entries alone, which never change: a closed month always reads the same.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncMonth

from hits import families
from hits.common.spreadsheets import Cell
from hits.core.domain.money import round_to_cents
from hits.core.domain.months import Month
from hits.identity.models.workers import Worker
from hits.ledger.models.transfers import LedgerEntry
from hits.ledger.queries import Book, Kind, Movement, balances_by_grant, entries_of, in_slices, movements
from hits.studies.models import Study

COLUMNS = (
    "part",
    "study",
    "study_id",
    "month",
    "time_zone",
    "grant_code",
    "item",
    "source",
    "target",
    "at_local",
    "batch",
    "batch_id",
    "worker",
    "rule",
    "bonus",
    "count",
    "amount",
    "currency",
)
# These kinds are summed, one row for each batch; each bonus has a row of its own.
SUMMED = (Kind.REWARD, Kind.REWARD_FEE, Kind.BONUS_FEE)
# Labels where the books show a reward that pays a bonus and no work.
BY_HIT = {
    Kind.REWARD: "Bonus paid by a HIT of its own",
    Kind.REWARD_FEE: "Fee on a bonus paid by a HIT of its own",
}
DEFERRED = ("assignment__answer", "batch__figures", "batch__terms", "bonus__figures")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row of the month, with its worker. `more` holds columns that not every row has."""

    part: str
    item: str
    amount: Decimal
    count: int = 1
    grant_code: str = ""
    more: Mapping[str, Cell]
    worker: Worker | None = None


def lines_of_close(*, study: Study, month: Month, with_ids: bool) -> Iterator[list[Line]]:
    """Yield the month's lines in slices, so that work for each worker can be done for many at once."""
    start, end = month.bounds(study.time_zone)
    opening = movements(entries_of([study], before=start))
    moved = movements(entries_of([study], since=start, before=end))
    yield _balance_lines("opening", opening)
    yield [
        Line(
            part="movement",
            item=one.words,
            grant_code=one.grant_code,
            amount=one.amount,
            count=one.count,
            more={"source": Book(one.source).label, "target": Book(one.target).label},
        )
        for one in moved
    ]
    yield _balance_lines("closing", [*opening, *moved])
    entries = entries_of([study], since=start, before=end)
    yield _summed_lines(entries)
    yield from _single_lines(entries, study=study, with_ids=with_ids)


def transfers_by_month(studies: QuerySet[Study]) -> Mapping[Month, int]:
    """How many transfers the studies' books have in each month, each study's in its own time zone."""
    found: Counter[Month] = Counter()
    for zone in set(studies.order_by().values_list("time_zone", flat=True)):
        entries = LedgerEntry.objects.filter(study__in=studies.filter(time_zone=zone)).order_by()
        months = entries.annotate(month=TruncMonth("at", tzinfo=ZoneInfo(zone))).values_list("month")
        for moment, count in months.annotate(n=Count("pk")):
            found[Month(moment.year, moment.month)] += count
    return found


def _balance_lines(part: str, moved: list[Movement]) -> list[Line]:
    return [
        Line(part=part, item=str(Book(book).label), grant_code=code, amount=amount, count=0, more={})
        for code, books in balances_by_grant(moved).items()
        for book, amount in books.items()
        if amount
    ]


def _summed_lines(entries: QuerySet[LedgerEntry]) -> list[Line]:
    groups = (
        entries.filter(kind__in=SUMMED)
        .values("kind", "grant_code", "batch", "batch__title", "batch__task", "batch__public_id")
        .annotate(sum=Sum("amount"), count=Count("pk"))
        .order_by("batch", "kind", "grant_code")
    )
    return [
        Line(
            part="payment",
            item=_words_of(Kind(group["kind"]), task=group["batch__task"]),
            grant_code=group["grant_code"],
            amount=round_to_cents(group["sum"]),
            count=group["count"],
            more={"batch": group["batch__title"], "batch_id": str(group["batch__public_id"])},
        )
        for group in groups
    ]


def _words_of(kind: Kind, *, task: str) -> str:
    words = str(kind.label)
    return words if families.is_offered(task) else BY_HIT.get(kind, words)


def _single_lines(entries: QuerySet[LedgerEntry], *, study: Study, with_ids: bool) -> Iterator[list[Line]]:
    zone = ZoneInfo(study.time_zone)
    rows = entries.filter(kind=Kind.SENT).select_related("batch", "bonus", "assignment__worker")
    sealed = () if with_ids else ("assignment__worker__external_id",)
    for held in in_slices(rows.defer(*DEFERRED, *sealed)):
        yield [_bonus_line(entry, at=entry.at.astimezone(zone)) for entry in held]


def _bonus_line(entry: LedgerEntry, *, at: datetime) -> Line:
    worker = entry.assignment.worker if entry.assignment else None
    return Line(
        part="payment",
        item=str(Kind.SENT.label),
        grant_code=entry.grant_code,
        amount=entry.amount,
        worker=worker,
        more={
            "at_local": at,
            "batch": entry.batch.title if entry.batch else "",
            "batch_id": str(entry.batch.public_id) if entry.batch else "",
            "worker": worker.pseudonym if worker else "",
            "rule": entry.bonus.rule if entry.bonus else "",
            "bonus": str(entry.bonus.public_id) if entry.bonus else "",
        },
    )
