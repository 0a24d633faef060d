"""Files for the finance office: what they hold, who may have them, and the record of who took them.

Workers appear under their pseudonyms. Their ids at the provider are added only for users who may see them
and say why; each disclosure is on record before the id is written.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from cryptography.fernet import InvalidToken
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet

from hits.common.spreadsheets import Cell
from hits.core import audit_trail
from hits.core.chunks import in_chunks
from hits.core.domain.months import Month
from hits.core.domain.typed_text import is_one_line
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.ledger.queries import entries_of, in_slices
from hits.payments.models.runs import Run, RunRow
from hits.payments.queries import month_closes
from hits.people.models import Disclosure
from hits.studies.models import Study
from hits.work.access import may_see, visible

LONGEST_REASON = 500
WORKER_ID = "worker_id"
SLICE = 500
RUN_COLUMNS = (
    "part",
    "run",
    "run_id",
    "kind",
    "status",
    "digest",
    "prepared_by",
    "prepared_at_utc",
    "frozen_at_utc",
    "decided_by",
    "decided_at_utc",
    "study",
    "grant_code",
    "batch",
    "worker",
    "rule",
    "revision",
    "bonus",
    "bonus_status",
    "sent_at_utc",
    "confirmed_at_utc",
    "flags",
    "line",
    "count",
    "amount",
    "currency",
)
LEDGER_COLUMNS = (
    "at_utc",
    "study",
    "grant_code",
    "kind",
    "source",
    "target",
    "amount",
    "currency",
    "batch",
    "worker",
    "rule",
    "words",
    "by",
)
AUDIT_COLUMNS = ("at_utc", "kind", "words", "by", "study", "account", "run", "bonus")


@dataclass(frozen=True, kw_only=True)
class FinanceFile:
    """A file to download. Its rows are read while they are sent, so that memory stays flat."""

    name: str
    header: Sequence[str]
    rows: Iterator[Sequence[Cell]]


def close_file(
    *, studies: Iterable[Study], month: Month, by: User, now: datetime, reason: str | None = None
) -> FinanceFile:
    """A month of these studies, each in its own time zone; with a reason, the provider's ids are included."""
    _require(by, "hits.view_ledgerentry")
    chosen = list(visible(Study.objects.filter(pk__in=[study.pk for study in studies]), by).order_by("name"))
    if not chosen:
        raise PermissionDenied
    begun = [study for study in chosen if month.bounds(study.time_zone)[0] <= now]
    if not begun:
        raise RuleBroken("not_begun", f"{month} has not begun yet. Choose a month that has.")
    if not any(entries_of([study], before=month.bounds(study.time_zone)[1]).exists() for study in begun):
        raise RuleBroken(
            "empty",
            f"The books hold nothing in {month} or before it, so the file would be empty. "
            "Choose a later month.",
        )
    reason = _read_reason(by, reason)
    for study in begun:
        words = f"Downloaded the month-end file of {month} of “{study}”{_with_ids(reason)}."
        audit_trail.note("file.close", words, by=by, now=now, study=study)
    is_over = all(month.bounds(study.time_zone)[1] <= now for study in begun)
    return FinanceFile(
        name=f"close-{month}{'' if is_over else '-so-far'}",
        header=_header(month_closes.COLUMNS, reason),
        rows=_close_rows(begun, month=month, by=by, now=now, reason=reason),
    )


def run_file(*, run: Run, by: User, now: datetime, reason: str | None = None) -> FinanceFile:
    """The run, its rows as they were frozen, and its totals. The lines make up the digest."""
    _require(by, "hits.view_run")
    rows = rows_of_run(run)
    if visible(Bonus.objects.filter(rows__in=rows), by).count() != rows.count():
        raise PermissionDenied
    reason = _read_reason(by, reason)
    words = f"Took the file of “{run}”{_with_ids(reason)}."
    audit_trail.note("file.run", words, by=by, now=now, run=run)
    return FinanceFile(
        name=f"run-{str(run.public_id)[:8]}",
        header=_header(RUN_COLUMNS, reason),
        rows=_run_rows(run, rows, by=by, now=now, reason=reason),
    )


def ledger_file(*, study: Study, entries: QuerySet[LedgerEntry], by: User, now: datetime) -> FinanceFile:
    """These rows of a study's books, the oldest first."""
    _require(by, "hits.view_ledgerentry")
    if not may_see(study, by):
        raise PermissionDenied
    audit_trail.note("file.ledger", f"Took rows of the books of “{study}”.", by=by, now=now, study=study)
    rows = entries.filter(study=study).select_related("batch", "bonus", "assignment__worker", "by")
    deferred = (*month_closes.DEFERRED, "assignment__worker__external_id")
    return FinanceFile(
        name=f"ledger-{str(study.public_id)[:8]}",
        header=LEDGER_COLUMNS,
        rows=(_ledger_row(entry, study) for held in in_slices(rows.defer(*deferred)) for entry in held),
    )


def audit_file(*, events: QuerySet[AuditEvent], by: User, now: datetime) -> FinanceFile:
    """These events, the newest first. The caller has left out what this user may not see."""
    _require(by, "hits.view_auditevent")
    audit_trail.note("file.audit", "Took rows of the audit log.", by=by, now=now)
    rows = events.select_related("by", "study", "account", "run", "bonus").order_by("-pk")
    return FinanceFile(name="audit", header=AUDIT_COLUMNS, rows=_audit_rows(rows))


def rows_of_run(run: Run) -> QuerySet[RunRow]:
    """The rows that the run decides on, or that a run which came to nothing was about."""
    rows = RunRow.objects.filter(run=run)
    if run.status in (Run.Status.DRAFT, Run.Status.FROZEN, Run.Status.APPROVED):
        return rows.filter(is_live=True)
    return rows.exclude(line="")


def _close_rows(
    studies: Iterable[Study], *, month: Month, by: User, now: datetime, reason: str
) -> Iterator[Sequence[Cell]]:
    seen: set[int] = set()
    for study in studies:
        facts: dict[str, Cell] = {
            "study": study.name,
            "study_id": str(study.public_id),
            "month": str(month),
            "time_zone": study.time_zone,
            "currency": study.currency,
        }
        for lines in month_closes.lines_of_close(study=study, month=month, with_ids=bool(reason)):
            _record([line.worker for line in lines if line.worker], seen, by=by, now=now, reason=reason)
            for line in lines:
                cells = {
                    **facts,
                    **line.more,
                    "part": line.part,
                    "item": line.item,
                    "grant_code": line.grant_code,
                    "count": line.count or None,
                    "amount": line.amount,
                }
                yield _row(month_closes.COLUMNS, cells, worker=line.worker, reason=reason)


def _run_rows(
    run: Run, rows: QuerySet[RunRow], *, by: User, now: datetime, reason: str
) -> Iterator[Sequence[Cell]]:
    facts = _facts_of(run)
    sums: dict[tuple[str, str, str], tuple[int, Decimal]] = {}
    seen: set[int] = set()
    for held in _slices(rows):
        workers = [row.bonus.assignment.worker for row in held]
        _record(workers, seen, by=by, now=now, reason=reason)
        for row in held:
            cells = _cells_of(row)
            key = (str(cells["study"]), str(cells["grant_code"]), row.bonus.rule)
            count, amount = sums.get(key, (0, Decimal(0)))
            sums[key] = (count + 1, amount + row.bonus.amount)
            worker = row.bonus.assignment.worker
            yield _row(RUN_COLUMNS, {**facts, **cells, "part": "row"}, worker=worker, reason=reason)
    for (study, code, rule), (count, amount) in sorted(sums.items()):
        total: dict[str, Cell] = {
            "study": study,
            "grant_code": code,
            "rule": rule,
            "count": count,
            "amount": amount,
        }
        yield _row(RUN_COLUMNS, {**facts, **total, "part": "subtotal"}, worker=None, reason=reason)
    whole: dict[str, Cell] = {
        "count": sum(count for count, _ in sums.values()),
        "amount": _sum(sums.values()),
    }
    yield _row(RUN_COLUMNS, {**facts, **whole, "part": "total"}, worker=None, reason=reason)


def _sum(parts: Iterable[tuple[int, Decimal]]) -> Decimal:
    return sum((amount for _, amount in parts), Decimal(0))


def _facts_of(run: Run) -> dict[str, Cell]:
    return {
        "run": run.title,
        "run_id": str(run.public_id),
        "currency": run.currency,
        "kind": str(run.get_kind_display()),
        "status": str(run.get_status_display()),
        "digest": run.digest,
        "prepared_by": run.prepared_by.get_username(),
        "prepared_at_utc": _utc(run.prepared_at),
        "frozen_at_utc": _utc(run.frozen_at),
        "decided_by": run.decided_by.get_username() if run.decided_by else "",
        "decided_at_utc": _utc(run.decided_at),
    }


def _cells_of(row: RunRow) -> dict[str, Cell]:
    bonus, batch = row.bonus, row.bonus.assignment.hit.batch
    return {
        "study": batch.study.name,
        "grant_code": batch.study.grant_code,
        "batch": batch.title,
        "worker": bonus.assignment.worker.pseudonym,
        "rule": bonus.rule,
        "revision": bonus.revision,
        "bonus": str(bonus.public_id),
        "bonus_status": str(bonus.get_status_display()),
        "sent_at_utc": _utc(bonus.sent_at),
        "confirmed_at_utc": _utc(bonus.confirmed_at),
        "flags": ", ".join(str(flag) for flag in row.flags),
        "line": row.line,
        "count": 1,
        "amount": bonus.amount,
    }


def _ledger_row(entry: LedgerEntry, study: Study) -> Sequence[Cell]:
    return (
        _utc(entry.at),
        study.name,
        entry.grant_code,
        str(entry.get_kind_display()),
        str(entry.get_source_display()),
        str(entry.get_target_display()),
        entry.amount,
        study.currency,
        entry.batch.title if entry.batch else "",
        entry.assignment.worker.pseudonym if entry.assignment else "",
        entry.bonus.rule if entry.bonus else "",
        entry.words,
        entry.by.get_username() if entry.by else "",
    )


def _audit_rows(events: QuerySet[AuditEvent]) -> Iterator[Sequence[Cell]]:
    held = list(events[:SLICE])
    while held:
        for event in held:
            yield (
                _utc(event.at),
                event.kind,
                event.words,
                event.by.get_username() if event.by else "",
                event.study.name if event.study else "",
                event.account.name if event.account else "",
                event.run.title if event.run else "",
                str(event.bonus.public_id) if event.bonus else "",
            )
        held = list(events.filter(pk__lt=held[-1].pk)[:SLICE])


def _slices(rows: QuerySet[RunRow]) -> Iterator[list[RunRow]]:
    related = rows.select_related("bonus__assignment__worker", "bonus__assignment__hit__batch__study")
    slim = related.defer("bonus__assignment__answer", "bonus__assignment__hit__batch__figures")
    return in_chunks(slim, size=SLICE)


def _row(
    columns: Sequence[str], cells: Mapping[str, Cell], *, worker: Worker | None, reason: str
) -> Sequence[Cell]:
    row = [cells.get(name) for name in columns]
    return [*row, _id_of(worker)] if reason else row


def _id_of(worker: Worker | None) -> str:
    """The worker's id at the provider. An id whose key is lost must not stop the file."""
    try:
        return str(worker.external_id) if worker else ""
    except InvalidToken:
        return "cannot be unsealed"


def _record(workers: Iterable[Worker], seen: set[int], *, by: User, now: datetime, reason: str) -> None:
    """Record the disclosure of each worker once for a file, before the file has the id."""
    if not reason:
        return
    new = {worker.pk: worker for worker in workers if worker.pk not in seen}
    seen.update(new)
    words = f"In a file: {reason}"[:LONGEST_REASON]
    Disclosure.objects.bulk_create(
        Disclosure(worker=worker, user=by, reason=words, at=now) for worker in new.values()
    )


def _read_reason(by: User, reason: str | None) -> str:
    """The reason, checked; "" if no ids are asked for. Raises RuleBroken if it is not one fitting line."""
    if reason is None:
        return ""
    _require(by, "hits.see_worker_id")
    reason = reason.strip()
    if not is_one_line(reason, longest=LONGEST_REASON):
        raise RuleBroken(
            "reason_wanted",
            f"Say why the file needs the provider's ids, in 1 to {LONGEST_REASON} characters on one line.",
        )
    return reason


def _require(by: User, permission: str) -> None:
    if not by.has_perm(permission):
        raise PermissionDenied


def _with_ids(reason: str) -> str:
    return f" with workers' ids at the provider: {reason}" if reason else ""


def _header(columns: Sequence[str], reason: str) -> Sequence[str]:
    return (*columns, WORKER_ID) if reason else columns


def _utc(at: datetime | None) -> datetime | None:
    return None if at is None else at.astimezone(UTC)
