"""Actions on single rows of a run: take out, split off, hold, release."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run, RunRow
from hits.payments.services.bonus_runs import thaw, void_run
from hits.payments.services.run_parts import (
    check_reason,
    check_title,
    count_run,
    lock_bonuses,
    lock_run,
    not_now,
    refuse_stranger,
    refuse_unless,
)
from hits.work.access import visible

Status = Run.Status


def take_out(*, run: Run, bonuses: Iterable[Bonus], by: User, now: datetime) -> int:
    """Take bonuses out of one's own draft, still owed, and return how many."""
    with transaction.atomic():
        held = lock_run(run)
        refuse_stranger(held, by=by)
        if held.status != Status.DRAFT:
            raise not_now(held)
        rows = _rows_in(held, bonuses)
        count, _ = rows.delete()
        count_run(held)
        audit_trail.note("run.taken_out", f"Took {count} out of “{held}”.", by=by, now=now, run=held)
    run.refresh_from_db()
    return count


def split_run(*, run: Run, bonuses: Iterable[Bonus], title: str, by: User, now: datetime) -> Run:
    """Move the chosen rows to a new draft. A frozen run is a draft again then, and both must be frozen."""
    title = check_title(title)
    with transaction.atomic():
        held = lock_run(run)
        refuse_stranger(held, by=by)
        if held.status not in (Status.DRAFT, Status.FROZEN):
            raise not_now(held)
        rows = _rows_in(held, bonuses)
        keys = list(rows.values_list("pk", flat=True))
        if len(keys) == held.count:
            raise RuleBroken("all_of_it", "That is all of the run. Leave at least one row in it.")
        if held.status == Status.FROZEN:
            thaw(held)
        new = Run.objects.create(
            title=title,
            note=held.note,
            kind=held.kind,
            currency=held.currency,
            prepared_by=by,
            prepared_at=now,
            split_from=held,
        )
        RunRow.objects.filter(pk__in=keys).update(run=new)
        count_run(held)
        count_run(new)
        for part, words in ((held, f"Split {new.count} off to “{new}”."), (new, f"Split off “{held}”.")):
            audit_trail.note("run.split", words, by=by, now=now, run=part)
    run.refresh_from_db()
    return new


def hold_bonuses(*, bonuses: Iterable[Bonus], reason: str, by: User, now: datetime) -> int:
    """Keep owed bonuses out of every run until they are released; they leave drafts and void frozen runs."""
    words = check_reason(reason)
    keys = [bonus.pk for bonus in bonuses]
    with transaction.atomic():
        refuse_unless(by, "hits.hold_bonus")
        runs = _lock_runs(keys)
        rows = Bonus.objects.filter(pk__in=keys, status=Bonus.Status.OWED, held_at=None)
        held = lock_bonuses(visible(rows, by))
        if not held:
            raise RuleBroken("nothing_owed", "Nothing of this can be held: it is decided on, or held.")
        chosen = [bonus.pk for bonus in held]
        _leave_runs(runs, chosen, by=by, now=now)
        Bonus.objects.filter(pk__in=chosen).update(held_at=now, held_by=by, held_reason=words)
        for bonus in held:
            audit_trail.note("bonus.held", f"Held {bonus.in_words}: {words}", by=by, now=now, bonus=bonus)
    return len(held)


def release_bonuses(*, bonuses: Iterable[Bonus], by: User, now: datetime) -> int:
    """Release held bonuses, which may then go into a run again."""
    keys = [bonus.pk for bonus in bonuses]
    with transaction.atomic():
        refuse_unless(by, "hits.hold_bonus")
        held = lock_bonuses(visible(Bonus.objects.filter(pk__in=keys, held_at__isnull=False), by))
        if not held:
            raise RuleBroken("not_held", "Nothing of this is held.")
        chosen = [bonus.pk for bonus in held]
        Bonus.objects.filter(pk__in=chosen).update(held_at=None, held_by=None, held_reason="")
        for bonus in held:
            audit_trail.note("bonus.released", f"Released {bonus.in_words}.", by=by, now=now, bonus=bonus)
    return len(held)


def _lock_runs(keys: list[int]) -> list[Run]:
    """Lock the open runs that the bonuses are in, before the bonuses themselves."""
    rows = RunRow.objects.filter(bonus__in=keys, is_live=True)
    runs = Run.objects.filter(pk__in=rows.values("run")).order_by("pk")
    return list(runs.select_for_update(of=("self",)))


def _leave_runs(runs: list[Run], keys: list[int], *, by: User, now: datetime) -> None:
    for run in runs:
        if run.status == Status.FROZEN:
            void_run(run, "One of its bonuses was held.", by=by, now=now)
        elif run.status == Status.DRAFT:
            run.rows.filter(bonus__in=keys).delete()
            count_run(run)
    if RunRow.objects.filter(bonus__in=keys, is_live=True).exists():
        raise RuleBroken("in_another_run", "Somebody has just put one of these into a run. Try again.")


def _rows_in(run: Run, bonuses: Iterable[Bonus]) -> QuerySet[RunRow]:
    """The live rows of these bonuses in the run. Raises RuleBroken if there are none."""
    rows = run.rows.filter(bonus__in=[bonus.pk for bonus in bonuses], is_live=True)
    if not rows.exists():
        raise RuleBroken("not_in_run", "Choose at least one row of this run.")
    return rows
