"""Bonus runs. One person prepares and freezes; another approves exactly what was frozen, or refuses it.

Lock order: the run, then its bonuses, then what hits.payments.services.bonus_states locks.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from hits.common.currencies import in_money
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.domain.manifests import digest_of, write_manifest
from hits.payments.models.runs import Run, RunRow
from hits.payments.queries.run_table import Row, live_row, new_marks, outliers_of, owner_limit, rows_of
from hits.payments.services.bonus_states import move_bonuses
from hits.payments.services.run_parts import (
    check_note,
    check_reason,
    check_title,
    chunks,
    count_run,
    currency_of,
    in_words,
    let_go,
    lock_bonuses,
    lock_free,
    lock_run,
    not_now,
    refuse_other_currency,
    refuse_stranger,
    refuse_unless,
)
from hits.work.access import visible

Kind = Run.Kind
Status = Run.Status
UNDECIDED: dict[str, Any] = {"prepared_by": None, "approved_by": None, "approved_at": None}


def prepare_run(
    *, bonuses: Iterable[Bonus], by: User, title: str, now: datetime, kind: str = Kind.PAY, note: str = ""
) -> Run:
    """Create a draft run. Bonuses held, decided on or in another run stay out.

    Raises RuleBroken if none is left.
    """
    refuse_unless(by, "hits.prepare_run")
    title = check_title(title)
    note = check_reason(note, longest=2000) if kind == Kind.WAIVE else check_note(note)
    try:
        with transaction.atomic():
            free = lock_free(bonuses, by=by)
            run = Run.objects.create(
                title=title,
                note=note,
                kind=kind,
                currency=currency_of(free),
                prepared_by=by,
                prepared_at=now,
            )
            RunRow.objects.bulk_create(RunRow(run=run, bonus=bonus) for bonus in free)
            count_run(run)
            audit_trail.note(
                "run.prepared",
                f"Prepared “{run}” of {run.count}, {run.total_in_words}.",
                by=by,
                now=now,
                run=run,
            )
    except IntegrityError as error:
        raise _sooner() from error
    return run


def add_to_run(*, run: Run, bonuses: Iterable[Bonus], by: User, now: datetime) -> int:
    """Add free bonuses to one's own draft, without those held, decided on or in a run; return how many."""
    try:
        with transaction.atomic():
            held = lock_run(run)
            refuse_stranger(held, by=by)
            if held.status != Status.DRAFT:
                raise not_now(held)
            free = lock_free(bonuses, by=by)
            refuse_other_currency(held, free)
            RunRow.objects.bulk_create(RunRow(run=held, bonus=bonus) for bonus in free)
            count_run(held)
            audit_trail.note("run.added", f"Added {len(free)} to “{held}”.", by=by, now=now, run=held)
    except IntegrityError as error:
        raise _sooner() from error
    run.refresh_from_db()
    return len(free)


def freeze_run(*, run: Run, by: User, now: datetime) -> None:
    """Freeze a draft: any later change of a row voids it. Raises RuleBroken."""
    with transaction.atomic():
        held = lock_run(run)
        refuse_stranger(held, by=by)
        if held.status != Status.DRAFT:
            raise not_now(held)
        rows = rows_of(held)
        _refuse_unready(held, rows)
        _freeze_rows(held, rows, outliers_of(rows, held))
        count_run(held)
        digest = digest_of(write_manifest(row.line_now for row in rows))
        move(held, Status.FROZEN, digest=digest, frozen_at=now)
        audit_trail.note(
            "run.frozen",
            f"Froze “{held}”: {held.count}, {held.total_in_words}, {digest}.",
            by=by,
            now=now,
            run=held,
        )
    run.refresh_from_db()


def unfreeze_run(*, run: Run, by: User, now: datetime) -> None:
    """Turn a frozen run back into a draft, by its preparer: it must be frozen again to be approved."""
    with transaction.atomic():
        held = lock_run(run)
        refuse_stranger(held, by=by)
        if held.status != Status.FROZEN:
            raise not_now(held)
        thaw(held)
        audit_trail.note("run.unfrozen", f"“{held}” is a draft again.", by=by, now=now, run=held)
    run.refresh_from_db()


def thaw(run: Run) -> None:
    """Make a frozen run a draft and clear its manifest. The caller holds the lock on the run."""
    move(run, Status.DRAFT, digest="", frozen_at=None)
    run.rows.update(line="", digest="", flags=[])


def dissolve_run(*, run: Run, by: User, now: datetime) -> None:
    """End a run and leave its bonuses owed. Another preparer may do it if the first one is inactive."""
    with transaction.atomic():
        held = lock_run(run)
        refuse_unless(by, "hits.prepare_run")
        if held.prepared_by.is_active:
            refuse_stranger(held, by=by)
        _refuse_unseen(held, by=by)
        if not move(held, Status.DISSOLVED):
            raise not_now(held)
        let_go(held)
        audit_trail.note("run.dissolved", f"Dissolved “{held}”.", by=by, now=now, run=held)
    run.refresh_from_db()


def approve_run(*, run: Run, digest: str, by: User, now: datetime) -> bool:
    """Approve exactly what was frozen. False, and a void run, if a row has changed since. Raises RuleBroken.

    `digest` is that of the manifest that this person has seen.
    """
    with transaction.atomic():
        held = lock_run(run)
        _refuse_decider(held, by=by)
        bonuses = lock_bonuses(Bonus.objects.filter(rows__run=held, rows__is_live=True))
        rows = rows_of(held)
        _refuse_owner(held, rows, by=by)
        if held.status != Status.FROZEN:
            raise RuleBroken("not_frozen", f"This run is {in_words(held)} by now: nothing was approved.")
        if digest != held.digest:
            raise RuleBroken("other_manifest", "You have seen another version of this run. Look at it again.")
        changed = sum(not (row.is_free and row.is_as_frozen) for row in rows)
        is_whole = digest_of(write_manifest(row.line for row in rows)) == held.digest
        if changed or not is_whole:
            void_run(held, f"{changed} of its rows changed after the freeze.", by=None, now=now)
        else:
            _keep_marks(held, rows)
            _approve(held, bonuses, by=by, now=now)
    run.refresh_from_db()
    return bool(run.status == Status.APPROVED)


def refuse_run(*, run: Run, reason: str, by: User, now: datetime) -> None:
    """Refuse a run as its second person; every bonus of it stays owed and is free for another run."""
    with transaction.atomic():
        held = lock_run(run)
        _refuse_decider(held, by=by)
        words = check_reason(reason, longest=1000)
        if not move(held, Status.REFUSED, decided_by=by, decided_at=now, reason=words):
            raise RuleBroken("not_frozen", f"This run is {in_words(held)} by now: nothing was refused.")
        let_go(held)
        audit_trail.note("run.refused", f"Refused “{held}”: {words}", by=by, now=now, run=held)
    run.refresh_from_db()


def void_run(run: Run, reason: str, *, by: User | None, now: datetime) -> None:
    """Void a frozen run that nobody may approve any more. The caller holds the lock on it."""
    move(run, Status.VOID, since=[Status.FROZEN], reason=reason[:1000])
    let_go(run)
    audit_trail.note("run.void", f"“{run}” is void: {reason}", by=by, now=now, run=run)


def void_if_changed(*, bonus: Bonus, now: datetime) -> bool:
    """True if the bonus may not be sent: it is then owed again, with all of its run that was not sent yet.

    The payer asks before it sends; a bonus that is still what two people decided on costs one query.
    """
    row = live_row(bonus)
    if row is None and bonus.before_runs:
        return False
    if row is not None and row.run_status == Status.APPROVED and row.is_as_frozen:
        return False
    with transaction.atomic():
        if row is None:
            _return([bonus], None, now=now)
            return True
        run = lock_run(Run(pk=row.run_id))
        waiting = Bonus.objects.filter(
            Q(pk=bonus.pk) | Q(rows__run=run, rows__is_live=True), status=Bonus.Status.APPROVED
        )
        bonuses = lock_bonuses(Bonus.objects.filter(pk__in=waiting.values("pk")))
        move(run, Status.VOID, since=[Status.APPROVED], reason="A row changed between approval and payment.")
        _return(bonuses, run, now=now)
    return True


def _approve(run: Run, bonuses: Sequence[Bonus], *, by: User, now: datetime) -> None:
    move(run, Status.APPROVED, decided_by=by, decided_at=now)
    to = Bonus.Status.APPROVED if run.kind == Kind.PAY else Bonus.Status.WAIVED
    decided: dict[str, Any] = {
        "prepared_by": run.prepared_by,
        "approved_by": by,
        "approved_at": now,
        "before_runs": False,
    }
    for chunk in chunks(bonuses):
        if len(move_bonuses(chunk, to, now=now, by=by, **decided)) != len(chunk):
            raise RuntimeError("A bonus that was locked as owed did not move.")
    audit_trail.note(
        "run.approved", f"Approved “{run}”: {run.total_in_words}, {run.digest}.", by=by, now=now, run=run
    )


def _return(bonuses: Sequence[Bonus], run: Run | None, *, now: datetime) -> None:
    """Make approved and unsent bonuses owed again, and free for another run."""
    returned: list[Bonus] = []
    for chunk in chunks(bonuses):
        returned += move_bonuses(
            chunk, Bonus.Status.OWED, now=now, since=[Bonus.Status.APPROVED], **UNDECIDED
        )
    for chunk in chunks(returned):
        keys = [bonus.pk for bonus in chunk]
        RunRow.objects.filter(bonus__in=keys, is_live=True).update(is_live=False)
    if returned:
        words = f"{len(returned)} unsent of “{run}” are owed again: a row changed after the approval."
        one = None if run else returned[0]
        audit_trail.note("run.void", words, by=None, now=now, run=run, bonus=one)


def _keep_marks(run: Run, rows: Sequence[Row]) -> None:
    """Keep what stood out at the approval beside what did at the freeze: it was approved all the same."""
    fresh = new_marks(rows, outliers_of(rows, run))
    marked = [(row, [*row.flags, *fresh[row.pk]]) for row in rows if row.pk in fresh]
    _write_rows([_frozen(run, row, flags) for row, flags in marked], ["flags"])


def _freeze_rows(run: Run, rows: Sequence[Row], outliers: dict[int, list[str]]) -> None:
    frozen = [_frozen(run, row, outliers.get(row.pk, [])) for row in rows]
    _write_rows(frozen, ["line", "digest", "flags"])


def _write_rows(rows: Iterable[RunRow], fields: Sequence[str]) -> None:
    """Change existing rows with an upsert by key, which is many times quicker than bulk_update."""
    RunRow.objects.bulk_create(rows, update_conflicts=True, unique_fields=["id"], update_fields=fields)


def _frozen(run: Run, row: Row, flags: list[str]) -> RunRow:
    line = row.line_now
    return RunRow(pk=row.pk, run=run, bonus_id=row.bonus_id, line=line, digest=digest_of(line), flags=flags)


def _refuse_unready(run: Run, rows: Sequence[Row]) -> None:
    if not rows:
        raise RuleBroken("empty", "There is nothing in this run. Add bonuses, or dissolve it.")
    if lost := sum(not row.is_free for row in rows):
        raise RuleBroken("not_owed", f"{lost} of its rows are held or decided on. Take them out first.")
    if other := sorted({row.now["currency"] for row in rows} - {run.currency}):
        words = f"This run is in {run.currency}, and some of its rows are in {', '.join(other)}."
        raise RuleBroken("two_currencies", f"{words} Take them out first: they need a run of their own.")


def _refuse_decider(run: Run, *, by: User) -> None:
    """Raises RuleBroken unless the user may approve, is not the preparer, and sees all bonuses of the run."""
    refuse_unless(by, "hits.approve_run")
    if by.pk == run.prepared_by_id:
        raise RuleBroken("same_person", "You prepared this run: another person has to decide on it.")
    _refuse_unseen(run, by=by)


def _refuse_unseen(run: Run, *, by: User) -> None:
    bonuses = Bonus.objects.filter(rows__run=run, rows__is_live=True)
    if bonuses.count() != visible(bonuses, by).count():
        raise RuleBroken("not_visible", "This run has bonuses of studies that you do not see.")


def _refuse_owner(run: Run, rows: Sequence[Row], *, by: User) -> None:
    limit = owner_limit(run, rows, by.pk)
    if limit is not None:
        raise RuleBroken(
            "batch_owner",
            f"This run is above {in_money(limit, run.currency)}, and you made or launched one of its "
            "batches. Somebody else has to decide.",
        )


def _sooner() -> RuleBroken:
    return RuleBroken("in_another_run", "Somebody has just put one of these into another run. Try again.")
