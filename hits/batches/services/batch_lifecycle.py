"""Actions of a researcher on a batch that runs, each on one HIT, a selection, or the whole batch.

An action is one short transaction of rows: `hit_changes` tells the provider, within seconds. An action whose
effect is already there does nothing, so a second click is harmless. For one HIT or a selection, pausing and
draining are expire_hits, and resuming is extend_hits.

Rows are locked in the project's order: HITs, then their batch, then its study.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Count, Max, QuerySet

from hits import families
from hits.batches.queries.tally import TAKEN
from hits.batches.services.batch_rows import lock_batch, tell, write_intents
from hits.batches.services.budgets import reserve
from hits.batches.services.hit_changes import write_changes
from hits.batches.services.sending_hits import withdraw_unasked
from hits.common.currencies import in_money
from hits.core.domain.money import MANY, cost_of
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.studies.models import Batch
from hits.studies.services import mark_stale
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT, Change
from hits.work.queries.items import answers_wanted

Status = Batch.Status
RUNNING = (Status.LAUNCHING, Status.OPEN, Status.PAUSED_FUNDS, Status.COMPLETE)
ENDING = (Status.DRAINING, Status.CANCELLED)
log = structlog.get_logger()


def pause_batch(*, batch: Batch, by: User, now: datetime) -> None:
    """Send nothing more and let nobody new start. Work in flight is honored."""
    with transaction.atomic():
        locked = lock_batch(batch.pk)
        if locked.status == Status.PAUSED and not locked.problem:
            return
        _move(locked, Status.PAUSED, "paused", since=(Status.LAUNCHING, Status.OPEN), problem="")
        tell(locked, "paused", "Paused: nobody new starts, and nothing more is sent.", by=by, now=now)
    _finish(batch, "batch.paused_by_hand")


def resume_batch(*, batch: Batch, by: User, now: datetime) -> None:
    """Send the rest. HITs that the pause expired get back the time that they had left when it began."""
    with transaction.atomic():
        locked = lock_batch(batch.pk)
        if locked.status in (Status.LAUNCHING, Status.OPEN):
            return
        _move(locked, Status.LAUNCHING, "resumed", since=(Status.PAUSED, Status.PAUSED_FUNDS), problem="")
        tell(locked, "resumed", "Resumed.", by=by, now=now)
    _finish(batch, "batch.resumed")


def release_pilot(*, batch: Batch, by: User, now: datetime) -> None:
    """Release the HITs held back for the pilot: the rest goes out, at once or when a pause ends."""
    with transaction.atomic():
        locked = lock_batch(batch.pk)
        if locked.pilot_released_at:
            return
        if not locked.pilot_hits or not locked.is_launched:
            raise RuleBroken("no_pilot", "This batch holds nothing back: there is no pilot to release.")
        if locked.status not in (*RUNNING, Status.PAUSED):
            raise _wrong_state(locked, "released")
        Batch.objects.filter(pk=locked.pk).update(pilot_released_at=now)
        move(locked, Status.LAUNCHING, since=(Status.OPEN, Status.COMPLETE))
        tell(locked, "pilot_released", "The pilot was released: the rest goes out.", by=by, now=now)
    _finish(batch, "batch.pilot_released")


def drain_batch(*, batch: Batch, by: User, now: datetime) -> None:
    """Let nobody start any more. Work in flight is honored; the batch is complete when it is done."""
    with transaction.atomic():
        _drain(batch, "drained", "Drained: nobody starts any more.", by=by, now=now)
    _finish(batch, "batch.drained")


def cancel_batch(*, batch: Batch, by: User, now: datetime) -> None:
    """Cancel a draft at once; drain a launched batch first, and still pay its work."""
    with transaction.atomic():
        if not move(batch, Status.CANCELLED, since=(Status.DRAFT,), cancelled_at=now):
            _drain(batch, "cancelled", "Cancelled: nobody starts any more.", by=by, now=now)
            Batch.objects.filter(pk=batch.pk, cancelled_at=None).update(cancelled_at=now)
        else:
            tell(batch, "cancelled", "The draft was cancelled.", by=by, now=now)
    _finish(batch, "batch.cancelled")


def add_hits(*, batch: Batch, count: int, by: User, now: datetime, after: int | None = None) -> None:
    """Add HITs on the batch's terms. With `after`, the last number the person saw, a repeat adds none."""
    if count < 1:
        raise RuleBroken("nothing_added", "Say how many HITs to add: at least one.")
    with transaction.atomic():
        locked = lock_batch(batch.pk)
        _refuse_own(locked)
        if locked.status not in (*RUNNING, Status.PAUSED):
            raise _wrong_state(locked, "given more HITs")
        if not answers_wanted(locked):
            raise RuleBroken(
                "nothing_wanted", "This batch has no items that still need answers. Add items to it first."
            )
        last = locked.hits.aggregate(last=Max("number"))["last"] or 0
        if after is not None and after != last:
            return
        cost = cost_of(locked.sizes * count, prices=locked.prices)
        most = in_money(cost.total, locked.currency)
        words = f"Added {count * len(locked.sizes)} HITs for at most {most}."
        reserve(batch=locked, amount=cost.total, words=words, by=by, now=now)
        write_intents(locked, numbers=range(last + 1, last + count + 1))
        move(locked, Status.LAUNCHING, since=(Status.OPEN, Status.COMPLETE))
        tell(locked, "hits_added", words, by=by, now=now)
    _finish(batch, "batch.hits_added")


def expire_hits(*, hits: QuerySet[HIT], by: User, now: datetime) -> int:
    """Let nobody start these HITs any more, and never send the unsent ones. Returns how many it concerned."""
    with transaction.atomic():
        chosen = _choose(hits)
        opening = _busy(hits, Change.Kind.EXTEND)
        ending = [hit for hit in chosen.hits if hit.pk in opening or _is_startable(hit, now=now)]
        written = write_changes(Change.Kind.EXPIRE, ending, by=by, now=now)
        HIT.objects.filter(pk__in=_ids(hits), time_left__isnull=False).update(time_left=None)
        withdrawn = withdraw_unasked(HIT.objects.filter(pk__in=_ids(hits)))
        if written or withdrawn:
            for batch in chosen.batches.values():
                words = f"Expired {written + withdrawn} HITs: nobody starts them any more."
                tell(batch, "expired", words, by=by, now=now)
                mark_stale(batch.pk)
    return written + withdrawn


def extend_hits(*, hits: QuerySet[HIT], seconds: int, by: User, now: datetime) -> int:
    """Lengthen HITs; reopen those that are over and have free places, for which money is reserved first."""
    if seconds < 1:
        raise RuleBroken("only_longer", "Time can only be added. To end HITs now, expire them.")
    with transaction.atomic():
        chosen = _choose(hits, verb="extended", on_their_way=Change.Kind.EXTEND)
        for batch, rows in chosen.by_batch():
            again = [hit for hit in rows if hit.status == HIT.Status.CLOSED and not hit.time_left]
            amount = sum((chosen.room(hit) * _place(batch, hit) for hit in again), Decimal(0))
            words = f"Extended {len(rows)} HITs by {timedelta(seconds=seconds)}."
            reserve(batch=batch, amount=amount, words=words, by=by, now=now)
            ends = {hit.pk: _longer(hit, seconds=seconds, now=now) for hit in rows}
            write_changes(Change.Kind.EXTEND, rows, by=by, now=now, ends=ends)
            move(batch, Status.OPEN, since=(Status.COMPLETE,))
            tell(batch, "extended", words, by=by, now=now)
        HIT.objects.filter(pk__in=_ids(hits), time_left__isnull=False).update(time_left=None)
    return chosen.count


def add_places(*, hits: QuerySet[HIT], places: int, by: User, now: datetime) -> int:
    """Give each HIT more places: all of them, or none. Raises RuleBroken if one cannot have them."""
    if places < 1:
        raise RuleBroken("nothing_added", "Say how many places to add: at least one.")
    with transaction.atomic():
        chosen = _choose(hits, verb="given more places", on_their_way=Change.Kind.ADD)
        for batch, rows in chosen.by_batch():
            _check_places(rows, places=places, now=now)
            amount = sum((places * _place(batch, hit) for hit in rows), Decimal(0))
            most = in_money(amount, batch.currency)
            words = f"Added {places} places to each of {len(rows)} HITs for at most {most}."
            reserve(batch=batch, amount=amount, words=words, by=by, now=now)
            write_changes(Change.Kind.ADD, rows, by=by, now=now, places=places)
            move(batch, Status.OPEN, since=(Status.COMPLETE,))
            tell(batch, "places_added", words, by=by, now=now)
    return chosen.count


@dataclass(frozen=True, kw_only=True)
class _Chosen:
    """Locked HITs and their batches, with the number of places taken on the closed ones."""

    hits: list[HIT]
    batches: dict[int, Batch]
    taken: dict[int, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return len(self.hits)

    def room(self, hit: HIT) -> int:
        return max(0, hit.max_assignments - self.taken.get(hit.pk, 0))

    def by_batch(self) -> Iterator[tuple[Batch, list[HIT]]]:
        for pk, batch in self.batches.items():
            if rows := [hit for hit in self.hits if hit.batch_id == pk]:
                yield batch, rows


def _choose(hits: QuerySet[HIT], *, verb: str = "", on_their_way: str = "") -> _Chosen:
    """Lock the HITs and their batches. With a verb, keep the sent HITs that have no such change on its way.

    Raises RuleBroken if a verb is given and one of the batches does not run.
    """
    rows = HIT.objects.filter(pk__in=_ids(hits)).order_by("pk")
    locked = list(rows.select_for_update(of=("self",), no_key=True))
    ids = sorted({hit.batch_id for hit in locked})
    batches = {pk: lock_batch(pk) for pk in ids}
    if not verb:
        return _Chosen(hits=locked, batches=batches)
    for batch in batches.values():
        _refuse_own(batch)
        if batch.status not in RUNNING and not (batch.status == Status.PAUSED and batch.problem):
            raise _wrong_state(batch, verb)
    busy = _busy(hits, on_their_way)
    closed = rows.filter(status=HIT.Status.CLOSED).order_by().values("pk")
    work = Assignment.objects.filter(hit__in=closed, status__in=TAKEN)
    taken = dict(work.values_list("hit").annotate(n=Count("pk")))
    chosen = _Chosen(hits=locked, batches=batches, taken=taken)
    wanted = [hit for hit in locked if hit.pk not in busy and _is_sent(hit)]
    if on_their_way == Change.Kind.EXTEND:
        wanted = [hit for hit in wanted if chosen.room(hit)]
    return _Chosen(hits=wanted, batches=batches, taken=taken)


def _refuse_own(batch: Batch) -> None:
    """Refuse a HIT that pays a bonus: reopened, it could pay what was paid in another way since."""
    _refuse_unconnected(batch)
    if not families.is_offered(batch.task):
        raise RuleBroken(
            "not_by_hand",
            "This HIT pays one bonus, once: it gets no more time and no more places. "
            "When it is over and nobody took it, the bonus waits among the refused ones again.",
        )


def _refuse_unconnected(batch: Batch) -> None:
    if not batch.account.can.is_connected:
        raise RuleBroken(
            "no_provider",
            "This batch has no provider, so it cannot be changed here. The people who run the game open "
            "and close it.",
        )


def _check_places(hits: Iterable[HIT], *, places: int, now: datetime) -> None:
    for hit in hits:
        if hit.max_assignments < MANY <= hit.max_assignments + places:
            raise RuleBroken(
                "ten_places",
                f"A HIT made with fewer than {MANY} places cannot grow to {MANY} or more: one of these has "
                f"{hit.max_assignments}. Add fewer places, or more HITs.",
            )
        if hit.expires_at and hit.expires_at <= now:
            raise RuleBroken(
                "expired", "The time to start one of these HITs is over. Extend it first, then add places."
            )


def _drain(batch: Batch, kind: str, words: str, *, by: User, now: datetime) -> None:
    """Drain the batch, locking HITs before it. The sweep withdraws HITs that are added meanwhile."""
    HIT.objects.filter(batch=batch.pk, time_left__isnull=False).update(time_left=None)
    withdrawn = withdraw_unasked(HIT.objects.filter(batch=batch.pk))
    locked = lock_batch(batch.pk)
    if locked.status in ENDING:
        return
    _move(locked, Status.DRAINING, kind, problem="")
    tell(locked, kind, f"{words} Withdrawn before they were sent: {withdrawn} HITs.", by=by, now=now)
    mark_stale(locked.pk)


def _move(batch: Batch, to: str, done: str, *, since: Collection[str] = (), problem: str) -> None:
    _refuse_unconnected(batch)
    if not move(batch, to, since=since, problem=problem):
        raise _wrong_state(batch, done)


def _wrong_state(batch: Batch, done: str) -> RuleBroken:
    state = batch.get_status_display().partition(":")[0].lower()
    words = f"“{batch.title}” is {state}: it cannot be {done} now."
    if batch.status in (Status.PAUSED, Status.PAUSED_FUNDS):
        words += " Resume it first."
    if batch.status == Status.DRAFT:
        words += " Launch it first."
    return RuleBroken("wrong_state", words)


def _finish(batch: Batch, event: str) -> None:
    batch.refresh_from_db()
    log.info(event, batch=str(batch.public_id))


def _longer(hit: HIT, *, seconds: int, now: datetime) -> datetime:
    """New end of a HIT, counted from its present end, or from now if that is over."""
    end = max(now, hit.expires_at or now) + (hit.time_left or timedelta(0))
    return end + timedelta(seconds=seconds)


def _place(batch: Batch, hit: HIT) -> Decimal:
    return batch.prices.place(assignments_per_hit=hit.max_assignments)


def _busy(hits: QuerySet[HIT], kind: str) -> set[int]:
    changes = Change.objects.filter(status=Change.Status.INTENDED, kind=kind, hit__in=_ids(hits))
    return set(changes.values_list("hit", flat=True))


def _is_startable(hit: HIT, *, now: datetime) -> bool:
    return hit.status == HIT.Status.OPEN and (hit.expires_at is None or hit.expires_at > now)


def _is_sent(hit: HIT) -> bool:
    return hit.status in (HIT.Status.OPEN, HIT.Status.CLOSED)


def _ids(hits: QuerySet[HIT]) -> QuerySet[HIT, Any]:
    return hits.order_by().values("pk")
