"""Creation of HITs from intents, by several senders at once; any may die between any two statements."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from threading import Event
from typing import Any

import structlog
from django.conf import settings
from django.db import connections, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.urls import reverse

from hits.batches.services.batch_rows import lock_batch, tell
from hits.common.kept_queries import KeptQuery, given_id
from hits.core.errors import ProviderError, ProviderRefused, ProviderUnavailable
from hits.core.states import move, move_each
from hits.providers.gateway.interface import HITSpec, Provider, ProviderHIT
from hits.providers.gateway.registry import provider_for
from hits.providers.services.usable_accounts import earliest_or_now, soonest
from hits.studies.models import Batch
from hits.studies.services import mark_stale
from hits.work.models.hits import HIT

# Two senders of one intent make one HIT, by its token; the claim only avoids the second request.
CLAIM = timedelta(seconds=20)
# A sender claims as many intents as it can send in this time, and records them together: one commit for all.
# It is also the longest that a HIT stays unrecorded: workers may see it before we know its id.
LOT_S = 0.5
MOST_IN_A_LOT = 16
# A little less than the day for which providers remember a token.
TOKEN_MEMORY = timedelta(hours=23)
# How long one batch is sent before the next one has its turn.
TURN = timedelta(seconds=30)
# After so many batches without an answer in one run the account is at fault, and its others would wait too.
MOST_SILENT = 2
Status = Batch.Status
Clock = Callable[[], datetime]
STILL_LAUNCHING = KeptQuery(
    lambda: Batch.objects.filter(pk=given_id("batch"), status=Status.LAUNCHING).values_list("pk", flat=True)
)
log = structlog.get_logger()


def ticking(now: datetime) -> Clock:
    """Return a clock that goes on from `now`: a long sweep must not claim rows by the time it began."""
    began = time.monotonic()
    return lambda: now + timedelta(seconds=int(time.monotonic() - began))


def send_launching_batches(*, now: datetime, clock: Clock | None = None) -> int:
    """Send what may be sent of every launching batch, and open the batches of which all is sent."""
    clock = clock or ticking(now)
    sent = 0
    silent: Counter[int] = Counter()  # how many batches of an account got no answer
    launching = Batch.objects.filter(status=Status.LAUNCHING).select_related("account", "study")
    for batch in launching.order_by("pk"):
        if silent[batch.account_id] >= MOST_SILENT:
            continue
        try:
            provider = provider_for(batch.account)
        except ProviderRefused as refusal:
            _stop(batch, refusal, now=clock())
            continue
        gone_out = send_intents(batch=batch, provider=provider, clock=clock)
        if not gone_out and _free(batch, now=clock()).exists():
            silent[batch.account_id] += 1
        sent += gone_out
        _open(batch, now=clock())
    _settle_draining(clock, silent=silent)
    return sent


def next_launch(*, now: datetime) -> datetime | None:
    """Return when an intent can be sent: now if none holds it; a killed sender's, when its claim ends."""
    intents = HIT.objects.filter(status=HIT.Status.INTENDED)
    launching = _released(intents.filter(batch__status=Status.LAUNCHING))
    draining = intents.filter(batch__status=Status.DRAINING)
    return soonest(
        *(
            earliest_or_now(rows, "claimed_at", account="batch__account", after=CLAIM, now=now)
            for rows in (launching, draining)
        )
    )


def send_intents(*, batch: Batch, provider: Provider, clock: Clock) -> int:
    """Send from the first unsent intent on. An unclear outcome leaves the intent: its token asks again."""
    senders = _free(batch, now=clock())[: settings.SENDERS].count()
    stop = Event()
    if senders <= 1:
        return _send_turn(batch, provider=provider, stop=stop, clock=clock)
    with ThreadPoolExecutor(senders) as pool:
        turns = [
            pool.submit(_send_in_thread, batch, provider=provider, stop=stop, clock=clock)
            for _ in range(senders)
        ]
        return sum(turn.result() for turn in turns)


def spec_of(hit: HIT, *, batch: Batch) -> HITSpec:
    return HITSpec(
        title=batch.title,
        description=batch.told_description,
        keywords=batch.keywords,
        reward=batch.reward,
        question_url=settings.PUBLIC_URL + reverse("frame:question", args=[hit.public_id]),
        max_assignments=hit.max_assignments,
        duration_s=batch.duration_s,
        lifetime_s=batch.lifetime_s,
        auto_approval_s=batch.auto_approval_s,
        annotation=_annotation(hit),
        requirements=batch.all_requirements,
        estimated_s=batch.estimated_s,
        secret=hit.token,
    )


def withdraw_unasked(hits: QuerySet[HIT]) -> int:
    """Withdraw intents that no sender has asked the provider for, nor is asking for at this moment."""
    return hits.filter(status=HIT.Status.INTENDED, asked_at=None).update(status=HIT.Status.WITHDRAWN)


def _send_in_thread(batch: Batch, *, provider: Provider, stop: Event, clock: Clock) -> int:
    try:
        return _send_turn(batch, provider=provider, stop=stop, clock=clock)
    finally:
        connections.close_all()


@dataclass
class _Held:
    """HITs at the provider, by annotation, read once in a turn, and only if an intent is old."""

    provider: Provider

    @cached_property
    def hits(self) -> dict[str, ProviderHIT]:
        return {hit.annotation: replace(hit, question="") for hit in self.provider.list_hits()}


def _send_turn(batch: Batch, *, provider: Provider, stop: Event, clock: Clock) -> int:
    """Send one lot after the other, until none may be sent, a call fails, or the turn is over."""
    sent, until, held = 0, clock() + TURN, _Held(provider)

    def is_over() -> bool:
        return stop.is_set() or clock() > until

    while not is_over() and (lot := _claim(batch, clock=clock)):
        made = []
        for hit, created in _make(
            lot, batch=batch, provider=provider, held=held, clock=clock, is_over=is_over
        ):
            if created is None:
                stop.set()
            else:
                made.append((hit, created))
        _record(made, batch=batch, now=clock())
        _give_back(lot)
        sent += len(made)
    return sent


def _make(
    lot: list[HIT],
    *,
    batch: Batch,
    provider: Provider,
    held: _Held,
    clock: Clock,
    is_over: Callable[[], bool],
) -> Iterator[tuple[HIT, ProviderHIT | None]]:
    """Make the HITs of the lot, each with what the provider answered. What is not asked for stays in the lot.

    Whether the batch was paused is looked up before each further HIT: at most one goes out after a pause.
    """
    ends = time.monotonic() + LOT_S
    while lot:
        hit = lot.pop(0)
        yield hit, _send(hit, batch=batch, provider=provider, held=held, clock=clock)
        if is_over() or time.monotonic() > ends or not lot or not _is_launching(batch):
            return


def _send(hit: HIT, *, batch: Batch, provider: Provider, held: _Held, clock: Clock) -> ProviderHIT | None:
    """Return the HIT that was made, or None if it was refused or the outcome is unclear."""
    try:
        return _create(hit, batch=batch, provider=provider, held=held, now=clock())
    except ProviderRefused as refusal:
        _unclaim(hit, asked_at=hit.asked_at)
        _stop(batch, refusal, now=clock())
    except ProviderUnavailable:
        _unclaim(hit)
        log.warning("hit.send_unclear", hit=str(hit.public_id))
    return None


def _create(hit: HIT, *, batch: Batch, provider: Provider, held: _Held, now: datetime) -> ProviderHIT:
    """Create the HIT. The token protects for a day only, so an old intent is looked up at the provider first.

    An old intent that nobody has asked for is looked up too: another copy of this database may have asked.
    """
    first = soonest(hit.made_at, hit.asked_at) or batch.launched_at
    if first and now - first > TOKEN_MEMORY and (made := held.hits.get(_annotation(hit))):
        return made
    return provider.create_hit(spec_of(hit, batch=batch), token=hit.token)


def _find(hit: HIT, *, provider: Provider) -> ProviderHIT | None:
    wanted = _annotation(hit)
    return next((found for found in provider.list_hits() if found.annotation == wanted), None)


def _annotation(hit: HIT) -> str:
    return f"crowd:{hit.public_id}"


def _record(made: Sequence[tuple[HIT, ProviderHIT]], *, batch: Batch, now: datetime) -> None:
    """Record HITs that were made, all or none: those that were not are asked for again, by their tokens."""
    if not made:
        return
    hit_type_id = next((created.hit_type_id for _, created in made if created.hit_type_id), "")
    with transaction.atomic():
        move_each(
            HIT,
            HIT.Status.OPEN,
            {
                hit.pk: {
                    "external_id": created.external_id,
                    "sent_at": now,
                    "expires_at": created.expires_at or now + timedelta(seconds=batch.lifetime_s),
                    "look_at": now + timedelta(seconds=settings.SURVEY_S),
                }
                for hit, created in made
            },
        )
        if hit_type_id and not batch.hit_type_id:
            Batch.objects.filter(pk=batch.pk, hit_type_id="").update(hit_type_id=hit_type_id)
        mark_stale(batch.pk)
    batch.hit_type_id = batch.hit_type_id or hit_type_id


def _unsent(batch: Batch) -> QuerySet[HIT]:
    return _released(HIT.objects.filter(batch=batch, status=HIT.Status.INTENDED))


def _released(intents: QuerySet[HIT]) -> QuerySet[HIT]:
    """Intents that the pilot does not hold back."""
    every = Q(batch__pilot_hits=0) | Q(batch__pilot_released_at__isnull=False)
    return intents.filter(every | Q(number__lte=F("batch__pilot_hits")))


def _free(batch: Batch, *, now: datetime) -> QuerySet[HIT]:
    """Intents that no sender has claimed, in order; none once the batch is paused."""
    free = _unsent(batch).filter(_is_free(now), batch__status=Status.LAUNCHING)
    return free.order_by("pk")


def _claim(batch: Batch, *, clock: Clock) -> list[HIT]:
    """Claim a lot, committed before the calls: an intent that was asked for is never withdrawn.

    The rows are locked, so they are marked as they are: a sender that has asked since may have made the HIT,
    and that moment must not be forgotten. Each keeps in `asked_at` what it said before.
    """
    now = clock()
    most = max(1, min(MOST_IN_A_LOT, int(batch.account.send_rate * LOT_S / settings.SENDERS)))
    with transaction.atomic():
        rows = _free(batch, now=now).select_for_update(of=("self",), no_key=True, skip_locked=True)
        lot = list(rows[:most])
        claimed = HIT.objects.filter(pk__in=[hit.pk for hit in lot])
        claimed.update(claimed_at=now, asked_at=Coalesce("asked_at", Value(now)))
    for hit in lot:
        hit.claimed_at = now
    return lot


def _is_launching(batch: Batch) -> bool:
    return bool(STILL_LAUNCHING.rows(batch=batch.pk))


def _give_back(lot: Sequence[HIT]) -> None:
    """Release claimed intents that were not asked for after all."""
    for asked_at, hits in groupby(lot, key=attrgetter("asked_at")):
        _unclaim(*hits, asked_at=asked_at)


def _take(hit: HIT, *, now: datetime) -> bool:
    # Only the row's own columns: an update that had to wait would not read a joined one again. And only as
    # it was read: a sender that has asked since may have made the HIT, and that moment must not be forgotten.
    free = HIT.objects.filter(_is_free(now), pk=hit.pk, status=HIT.Status.INTENDED, asked_at=hit.asked_at)
    hit.claimed_at = now
    return bool(free.update(claimed_at=now, asked_at=hit.asked_at or now))


def _is_free(now: datetime) -> Q:
    return Q(claimed_at=None) | Q(claimed_at__lte=now - CLAIM)


def _unclaim(*hits: HIT, **changes: Any) -> None:
    """Release a claim, unless it lasted so long that another sender has taken over."""
    mine = HIT.objects.filter(
        pk__in=[hit.pk for hit in hits], status=HIT.Status.INTENDED, claimed_at=hits[0].claimed_at
    )
    mine.update(claimed_at=None, **changes)


def _stop(batch: Batch, refusal: ProviderRefused, *, now: datetime) -> None:
    """Pause the batch: HITs that are out stay out, and the rest waits for a person."""
    pause = Status.PAUSED_FUNDS if refusal.out_of_funds else Status.PAUSED
    with transaction.atomic():
        if not move(batch, pause, since=(Status.LAUNCHING,), problem=str(refusal)):
            return
        tell(batch, pause, f"Sending stopped. The provider says: {refusal}", by=None, now=now)
    log.warning("batch.paused", batch=str(batch.public_id), code=refusal.code)


def _open(batch: Batch, *, now: datetime) -> None:
    """Open the batch once all that may go out is out. It is locked, since HITs may be added meanwhile."""
    if _unsent(batch).exists():
        return
    with transaction.atomic():
        locked = lock_batch(batch.pk)
        if not _unsent(locked).exists() and move(locked, Status.OPEN, since=(Status.LAUNCHING,)):
            tell(locked, "sent", "Everything that may go out is out.", by=None, now=now)
            mark_stale(locked.pk)


def _settle_draining(clock: Clock, *, silent: Counter[int]) -> None:
    """Settle intents of batches that end: those the provider may know are asked for again, by their token."""
    intents = HIT.objects.filter(batch=OuterRef("pk"), status=HIT.Status.INTENDED)
    draining = Batch.objects.filter(Exists(intents), status=Status.DRAINING)
    for batch in draining.select_related("account", "study").order_by("pk"):
        if withdraw_unasked(batch.hits.all()):
            mark_stale(batch.pk)
        if silent[batch.account_id] >= MOST_SILENT:
            continue
        try:
            provider = provider_for(batch.account)
            for hit in _asked(batch, clock=clock):
                _settle_asked(hit, batch=batch, provider=provider, clock=clock)
        except ProviderError as error:
            log.warning("batch.drain_waits", batch=str(batch.public_id), error=type(error).__name__)
            silent[batch.account_id] += 1


def _asked(batch: Batch, *, clock: Clock) -> Iterator[HIT]:
    last = 0
    intents = batch.hits.filter(status=HIT.Status.INTENDED).order_by("pk")
    while hit := intents.filter(_is_free(clock()), pk__gt=last).first():
        last = hit.pk
        if _take(hit, now=clock()):
            yield hit


def _settle_asked(hit: HIT, *, batch: Batch, provider: Provider, clock: Clock) -> None:
    """Record the HIT as open, for the next sweep to expire, or as withdrawn if it was never made."""
    try:
        made = _find_or_create(hit, batch=batch, provider=provider, now=clock())
    except ProviderError:
        _unclaim(hit)
        raise
    if made:
        _record([(hit, made)], batch=batch, now=clock())
    elif move(hit, HIT.Status.WITHDRAWN):
        mark_stale(batch.pk)


def _find_or_create(hit: HIT, *, batch: Batch, provider: Provider, now: datetime) -> ProviderHIT | None:
    """Return the provider's HIT, or None. A refusal may be about something else, so it is looked up then."""
    if hit.asked_at and now - hit.asked_at > TOKEN_MEMORY:
        return _find(hit, provider=provider)
    try:
        return provider.create_hit(spec_of(hit, batch=batch), token=hit.token)
    except ProviderRefused:
        return _find(hit, provider=provider)
