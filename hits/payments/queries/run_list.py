"""Bonus runs as their pages show them: which ones, their totals, what is unsent, and what changed since."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypedDict

from django.db.models import Case, Count, Exists, IntegerField, OuterRef, Q, QuerySet, Sum, Value, When
from django_stubs_ext import WithAnnotations

from hits.core.domain.money import round_to_cents
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run, RunRow
from hits.payments.queries.run_table import Row, new_marks
from hits.work.access import SEES_ALL, visible

Status = Run.Status
TOP_WORKERS = 10
STUDY = "assignment__hit__batch__study"


def visible_runs(user: Any) -> QuerySet[Run]:
    """Runs without any row of a study hidden from this user; an empty run only for its preparer."""
    runs = Run.objects.select_related("prepared_by", "decided_by")
    if user.has_perm(SEES_ALL):
        return runs
    rows = RunRow.objects.filter(run=OuterRef("pk"))
    return runs.filter(~Exists(hidden_rows(user)), Q(prepared_by=user.pk) | Exists(rows))


def hidden_rows(user: Any) -> QuerySet[RunRow]:
    """Rows of the outer run whose bonus this user does not see.

    Each row asks for its own bonus: looking for one of a hidden study would go through all bonuses.
    """
    seen = visible(Bonus.objects.filter(pk=OuterRef("bonus")), user)
    return RunRow.objects.filter(~Exists(seen), run=OuterRef("pk"))


class Payment(TypedDict):
    is_all_paid: bool


def with_payment(runs: QuerySet[Run]) -> "QuerySet[WithAnnotations[Run, Payment]]":
    """Return the runs with whether the provider has taken every payment of each."""
    rows = RunRow.objects.filter(run=OuterRef("pk"))
    paid = (Bonus.Status.SENT, Bonus.Status.CONFIRMED)
    return runs.annotate(is_all_paid=~Exists(rows.exclude(is_live=True, bonus__status__in=paid)))


def waiting_first(runs: QuerySet[Run], user: Any) -> QuerySet[Run]:
    """Order runs: what this user can decide on, their own drafts, other open runs, the rest; newest first."""
    decides = When(Q(status=Status.FROZEN) & ~Q(prepared_by=user.pk), then=Value(0))
    is_open = When(Q(status__in=(Status.DRAFT, Status.FROZEN)), then=Value(2))
    mine = When(status=Status.DRAFT, prepared_by=user.pk, then=Value(1))
    if not user.has_perm("hits.approve_run"):
        return runs.alias(turn=Case(mine, is_open, default=3, output_field=_int())).order_by("turn", "-pk")
    return runs.alias(turn=Case(decides, mine, is_open, default=3, output_field=_int())).order_by(
        "turn", "-pk"
    )


def runs_to_decide(user: Any) -> QuerySet[Run]:
    """Runs that another person has frozen and that this user sees whole and may approve."""
    runs = visible_runs(user).filter(status=Status.FROZEN).exclude(prepared_by=user.pk)
    return runs if user.has_perm("hits.approve_run") else runs.none()


def drafts_of(user: Any) -> QuerySet[Run]:
    return Run.objects.filter(status=Status.DRAFT, prepared_by=user.pk).order_by("-pk")


@dataclass(kw_only=True)
class Part:
    """The bonuses of a run that share a study, worker, rule or account, summed."""

    words: str
    more: str = ""
    is_real_money: bool = False
    count: int = 0
    total: Decimal = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class Totals:
    count: int
    total: Decimal
    studies: list[Part] = field(default_factory=list)
    workers: list[Part] = field(default_factory=list)
    rules: list[Part] = field(default_factory=list)
    accounts: list[Part] = field(default_factory=list)
    worker_count: int = 0

    @property
    def is_real_money(self) -> bool:
        return any(part.is_real_money for part in self.accounts)

    @property
    def other_workers(self) -> int:
        return self.worker_count - len(self.workers)


def totals_of(rows: Sequence[Row]) -> Totals:
    """Sum a run's rows as decimals, by study, worker, rule and account."""
    workers = _parts(rows, lambda row: (row.now["worker"], row.account_name))
    return Totals(
        count=len(rows),
        total=sum((row.amount for row in rows), Decimal(0)),
        studies=_parts(rows, lambda row: (row.study_name, row.now["grant"])),
        workers=workers[:TOP_WORKERS],
        rules=_parts(rows, lambda row: (row.now["rule"], row.study_name)),
        accounts=_parts(rows, lambda row: (row.account_name, row.now["currency"])),
        worker_count=len(workers),
    )


def _parts(rows: Iterable[Row], key: Callable[[Row], tuple[str, str]]) -> list[Part]:
    """Rows grouped by the key, the most money first."""
    parts: dict[tuple[str, str], Part] = {}
    for row in rows:
        words = key(row)
        part = parts.setdefault(words, Part(words=words[0], more=words[1]))
        part.count += 1
        part.total += row.amount
        part.is_real_money |= row.is_real_money
    return sorted(parts.values(), key=lambda part: (-part.total, part.words))


LEFT = "left"
# What is so of the bonuses of an approved run that are in a state.
MEANING = {
    Bonus.Status.OWED: "Owed again, and free for another run.",
    Bonus.Status.APPROVED: "Not sent yet. It is sent within seconds, or once stopped payments go on.",
    Bonus.Status.SENDING: "On its way to the provider.",
    Bonus.Status.UNKNOWN: "The provider gave no clear answer. Its list of payments settles it.",
    Bonus.Status.SENT: "Paid. The provider’s list has not shown it yet.",
    Bonus.Status.CONFIRMED: "Paid, and confirmed by the provider’s list.",
    Bonus.Status.REFUSED: "Not paid: the provider refused it. Somebody has to decide what happens.",
    Bonus.Status.COMPENSATING: "Not paid yet: the worker has to take the HIT.",
    Bonus.Status.WAIVED: "Given up, and not paid.",
    LEFT: "Not paid by this run: owed again, or decided on in another run.",
}


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How many bonuses of an approved run are in one state, what that means, and what they come to."""

    words: str
    meaning: str
    count: int
    total: Decimal


def progress_of(rows: Sequence[Row]) -> list[Progress]:
    found = {state: [row for row in rows if _state_in_run(row) == state] for state in MEANING}
    return [
        Progress(
            words="No longer in this run" if state == LEFT else str(Bonus.Status(state).label),
            meaning=meaning,
            count=len(found[state]),
            total=sum((row.amount for row in found[state]), Decimal(0)),
        )
        for state, meaning in MEANING.items()
        if found[state]
    ]


def _state_in_run(row: Row) -> str:
    return row.status if row.is_live or row.status == Bonus.Status.OWED else LEFT


@dataclass(frozen=True, kw_only=True)
class Paid:
    """How many bonuses of a run are paid, what they come to, when the last went out, and what is left."""

    count: int
    total: Decimal
    last_at: datetime | None
    left: int
    left_total: Decimal


def paid_of(rows: Sequence[Row]) -> Paid:
    paid = [row for row in rows if row.is_paid]
    total = sum((row.amount for row in paid), Decimal(0))
    return Paid(
        count=len(paid),
        total=total,
        last_at=max((row.sent_at for row in paid if row.sent_at), default=None),
        left=len(rows) - len(paid),
        left_total=sum((row.amount for row in rows), -total),
    )


@dataclass(frozen=True, kw_only=True)
class RunChanges:
    """What has changed since a run was frozen."""

    changed: list[Row]
    flagged: list[tuple[Row, list[str]]]
    new_count: int
    new_total: Decimal

    @property
    def is_nothing(self) -> bool:
        return not (self.changed or self.flagged or self.new_count)


def since_freeze(run: Run, rows: Sequence[Row], outliers: dict[int, list[str]]) -> RunChanges:
    """What changed since the freeze; one query counts bonuses owed since in its studies and in no run."""
    fresh = new_marks(rows, outliers)
    later = owed_free().filter(
        currency=run.currency, owed_at__gt=run.frozen_at, **{f"{STUDY}__in": {row.study_id for row in rows}}
    )
    count, total = sum_of(later)
    return RunChanges(
        changed=[row for row in rows if not (row.is_free and row.is_as_frozen)],
        flagged=[(row, fresh[row.pk]) for row in rows if row.pk in fresh],
        new_count=count,
        new_total=total,
    )


@dataclass(frozen=True, kw_only=True)
class OwedFilter:
    """A filter over the owed bonuses; None or "" leaves nothing out."""

    study: int | None = None
    batch: int | None = None
    rule: str = ""
    worker: str = ""
    least: Decimal | None = None
    most: Decimal | None = None
    days: int | None = None
    currency: str = ""


def owed_free() -> QuerySet[Bonus]:
    """Bonuses that can go into a run: owed, not held, and in no other run."""
    live = RunRow.objects.filter(bonus=OuterRef("pk"), is_live=True)
    return Bonus.objects.filter(~Exists(live), status=Bonus.Status.OWED, held_at=None)


def owed_held(user: Any) -> QuerySet[Bonus]:
    """Owed bonuses that this user sees and that go into no run until somebody releases them."""
    return visible(Bonus.objects.filter(status=Bonus.Status.OWED, held_at__isnull=False), user)


def owed_for(user: Any, chosen: OwedFilter, *, now: datetime) -> QuerySet[Bonus]:
    """Free owed bonuses that this user sees and that match the filter, the oldest first."""
    asked = {
        STUDY: chosen.study,
        "assignment__hit__batch": chosen.batch,
        "rule": chosen.rule or None,
        "currency": chosen.currency or None,
        "assignment__worker__pseudonym": chosen.worker or None,
        "amount__gte": chosen.least,
        "amount__lte": chosen.most,
        "owed_at__lte": None if chosen.days is None else now - timedelta(days=chosen.days),
    }
    wanted = {name: value for name, value in asked.items() if value is not None}
    return visible(owed_free(), user).filter(**wanted).order_by("owed_at", "pk")


BATCH = "assignment__hit__batch"


def owed_groups(user: Any) -> list[dict[str, Any]]:
    """Free owed bonuses that this user sees, counted and summed by study, batch, rule and currency."""
    names = (STUDY, f"{STUDY}__name", BATCH, f"{BATCH}__title", "rule", "currency")
    groups = visible(owed_free(), user).order_by().values(*names)
    return list(groups.annotate(count=Count("pk"), total=Sum("amount")))


def sum_of_groups(groups: Iterable[dict[str, Any]]) -> tuple[int, Decimal]:
    """Count and sum groups of one currency."""
    groups = list(groups)
    total = sum((round_to_cents(Decimal(group["total"])) for group in groups), Decimal(0))
    return sum(group["count"] for group in groups), round_to_cents(total)


def sum_of(bonuses: QuerySet[Bonus]) -> tuple[int, Decimal]:
    """Count and sum bonuses of one currency."""
    sums = bonuses.order_by().aggregate(count=Count("pk"), total=Sum("amount"))
    return sums["count"], round_to_cents(Decimal(sums["total"] or 0))


def _int() -> IntegerField[int, int]:
    return IntegerField()
