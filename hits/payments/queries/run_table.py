"""The rows of a bonus run with all that is known of each, in one query however many there are."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Q, QuerySet

from hits.common.currencies import in_money
from hits.identity.models.blocks import Block
from hits.ledger.models.bonuses import Bonus
from hits.payments.domain.manifests import write_line
from hits.payments.domain.outliers import Facts, find_outliers
from hits.payments.models.runs import Run, RunRow
from hits.providers.models.accounts import Account
from hits.work.models.assignments import Assignment

Status = Bonus.Status
A_DAY = timedelta(days=1)
# The fields of a manifest line: all that decides who gets how much for what. Paths start at the bonus.
LINE = {
    "bonus": "public_id",
    "token": "token",
    "account": "assignment__account__public_id",
    "currency": "assignment__account__currency",
    "study": "assignment__hit__batch__study__public_id",
    "grant": "assignment__hit__batch__study__grant_code",
    "batch": "assignment__hit__batch__public_id",
    "assignment": "assignment__public_id",
    "work": "assignment__status",
    "worker": "assignment__worker__pseudonym",
    "rule": "rule",
    "revision": "revision",
    "amount": "amount",
    "reason": "reason",
}
# Further fields that the pages show and the outliers are found by.
MORE = {
    "bonus_id": "pk",
    "status": "status",
    "held_at": "held_at",
    "owed_at": "owed_at",
    "sent_at": "sent_at",
    "problem": "problem",
    "assignment_id": "assignment",
    "worker_id": "assignment__worker",
    "kept_out": "assignment__kept_out",
    "account_id": "assignment__account",
    "account_name": "assignment__account__name",
    "environment": "assignment__account__environment",
    "study_id": "assignment__hit__batch__study",
    "study_name": "assignment__hit__batch__study__name",
    "large": "assignment__hit__batch__study__large_bonus",
    "many": "assignment__hit__batch__study__many_bonuses",
    "large_run": "assignment__hit__batch__study__large_run",
    "batch_title": "assignment__hit__batch__title",
    "created_by": "assignment__hit__batch__created_by",
    "launched_by": "assignment__hit__batch__launched_by",
}
OWN = ("pk", "line", "flags", "run", "run__status", "is_live")
PATHS = [*OWN, *(f"bonus__{path}" for path in (*LINE.values(), *MORE.values()))]
IN_FLIGHT = (Status.APPROVED, Status.SENDING, Status.UNKNOWN, Status.REFUSED, Status.COMPENSATING)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A row of a run as it was frozen (`line`, `flags`), and its bonus as it is now."""

    pk: int
    line: str
    flags: list[str]
    run_id: int
    run_status: str
    is_live: bool
    now: dict[str, Any]
    bonus_id: int
    status: str
    held_at: datetime | None
    owed_at: datetime
    sent_at: datetime | None
    problem: str
    assignment_id: int
    worker_id: int
    kept_out: bool
    account_id: int
    account_name: str
    environment: str
    study_id: int
    study_name: str
    large: Decimal
    many: int
    large_run: Decimal
    batch_title: str
    created_by: int | None
    launched_by: int | None

    @property
    def amount(self) -> Decimal:
        amount: Decimal = self.now["amount"]
        return amount

    @property
    def line_now(self) -> str:
        return write_line({**self.now, "amount": f"{self.amount:.2f}"})

    @property
    def is_as_frozen(self) -> bool:
        """Whether the bonus still has exactly its frozen line and is not held."""
        return self.held_at is None and self.line_now == self.line

    @property
    def is_free(self) -> bool:
        """Whether the bonus is owed and not held."""
        return self.status == Status.OWED and self.held_at is None

    @property
    def is_paid(self) -> bool:
        """Whether the provider has taken the payment, under this run's approval."""
        return self.is_live and self.status in (Status.SENT, Status.CONFIRMED)

    @property
    def is_real_money(self) -> bool:
        return self.environment == Account.Environment.PRODUCTION

    @property
    def state(self) -> str:
        return str(Status(self.status).label)


def rows_of(run: Run) -> list[Row]:
    """The rows of an open run, or every row that a decided or ended run was about."""
    rows = RunRow.objects.filter(run=run)
    is_open = run.status in (Run.Status.DRAFT, Run.Status.FROZEN)
    return read_rows(rows.filter(is_live=True) if is_open else rows)


def live_row(bonus: Bonus) -> Row | None:
    """The row of the one run that decides, or has decided, on this bonus."""
    return next(iter(read_rows(RunRow.objects.filter(bonus=bonus.pk, is_live=True))), None)


def read_rows(rows: QuerySet[RunRow]) -> list[Row]:
    return [_row(values) for values in rows.order_by("pk").values_list(*PATHS)]


def owner_limit(run: Run, rows: Sequence[Row], user_id: int | None) -> Decimal | None:
    """The limit above which this user, who made or launched a batch of the run, may not approve it; or None.

    Runs of its currency that they approved since a day before the freeze count too: a large run is not
    approved in pieces.
    """
    limit = min((row.large_run for row in rows), default=Decimal(0))
    if run.frozen_at is None or not any(user_id in (row.created_by, row.launched_by) for row in rows):
        return None
    lately = Run.objects.filter(
        decided_by=user_id,
        status=Run.Status.APPROVED,
        currency=run.currency,
        decided_at__gt=run.frozen_at - A_DAY,
    )
    total = sum(lately.values_list("total", flat=True), run.total)
    return limit if total > limit else None


def lines_of(run: Run) -> list[str]:
    """The manifest's lines as they were frozen, even after the run came to nothing."""
    return list(RunRow.objects.filter(run=run).exclude(line="").values_list("line", flat=True))


def outliers_of(rows: Sequence[Row], run: Run) -> dict[int, list[str]]:
    """Warnings by the row's key, only for rows with something unusual. Two queries."""
    in_run = RunRow.objects.filter(run=run, is_live=True)
    blocked = set(
        Block.objects.in_force()
        .filter(worker__in=in_run.values("bonus__assignment__worker"))
        .values_list("worker", flat=True)
    )
    in_flight = _in_flight(run, in_run)
    found = find_outliers([_facts(row, blocked=blocked, in_flight=in_flight) for row in rows])
    return {row.pk: words for row, words in zip(rows, found, strict=True) if words}


def new_marks(rows: Sequence[Row], outliers: dict[int, list[str]]) -> dict[int, list[str]]:
    """The warnings by the row's key that were not there yet when the run was frozen."""
    found = {row.pk: [words for words in outliers.get(row.pk, []) if words not in row.flags] for row in rows}
    return {pk: words for pk, words in found.items() if words}


def _in_flight(run: Run, in_run: QuerySet[RunRow]) -> dict[int, str]:
    """Warnings by assignment that name its other bonuses, decided on and not known to be paid."""
    elsewhere = Q(status__in=IN_FLIGHT) | Q(status=Status.OWED, rows__is_live=True)
    others = (
        Bonus.objects.filter(elsewhere, assignment__in=in_run.values("bonus__assignment"))
        .exclude(pk__in=in_run.values("bonus"))
        .order_by("pk")
        .values_list("assignment", "rule", "amount", "currency")
        .distinct()
    )
    words: dict[int, list[str]] = defaultdict(list)
    for assignment, rule, amount, currency in others:
        words[assignment].append(f"“{rule}”, {in_money(amount, currency)}")
    return {
        assignment: f"Another bonus of this work is on its way: {'; '.join(found[:3])}."
        for assignment, found in words.items()
    }


def _facts(row: Row, *, blocked: Iterable[int], in_flight: dict[int, str]) -> Facts:
    return Facts(
        worker=row.worker_id,
        rule=(row.study_id, row.now["rule"]),
        amount=row.amount,
        currency=row.now["currency"],
        large=row.large,
        many=row.many,
        is_rejected=row.now["work"] == Assignment.Status.REJECTED,
        is_kept_out=row.kept_out,
        is_blocked=row.worker_id in blocked,
        in_flight=in_flight.get(row.assignment_id, ""),
    )


def _row(values: Sequence[Any]) -> Row:
    pk, line, flags, run_id, run_status, is_live = values[: len(OWN)]
    rest = values[len(OWN) :]
    return Row(
        pk=pk,
        line=line,
        flags=flags,
        run_id=run_id,
        run_status=run_status,
        is_live=is_live,
        now=dict(zip(LINE, rest[: len(LINE)], strict=True)),
        **dict(zip(MORE, rest[len(LINE) :], strict=True)),
    )
