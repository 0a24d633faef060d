"""Changes of existing HITs that the provider must be told. Rows come first; in doubt it is asked first."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import DateTimeField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Sum, Value
from django.db.models.fields import DurationField
from django.db.models.functions import Coalesce

from hits import families
from hits.batches.queries.free_places import with_free_places
from hits.batches.services.batch_rows import CHUNK, lock_batch, tell
from hits.batches.services.sending_hits import TOKEN_MEMORY, TURN, Clock, ticking
from hits.core.errors import ProviderError, ProviderRefused, ProviderUnavailable
from hits.core.states import move
from hits.identity.models.users import User
from hits.providers.capabilities import ENDED_BY_US
from hits.providers.gateway.interface import Provider
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import earliest, earliest_or_now, soonest
from hits.studies.models import Batch
from hits.studies.services import mark_stale
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT, Change
from hits.work.queries.items import answers_of, answers_wanted, batches_wanting, places_for

# Longer than any call with its repetitions: two changes of one HIT must reach the provider in order.
CLAIM = timedelta(minutes=3)
# A batch that is held back asks again after so long, if the provider refused to expire a HIT.
AGAIN = timedelta(minutes=10)
Kind = Change.Kind
Status = Batch.Status
Work = Assignment.Status
# HITs that are reopened beyond those that are needed.
SPARE = 10
# Paused by a person: a pause that a refusal made has words, and leaves what is out as it is.
BY_HAND = Q(status=Status.PAUSED, problem="")
log = structlog.get_logger()


def send_changes(*, now: datetime, clock: Clock | None = None) -> int:
    """Write the changes that pauses and drains need, tell the provider of all, and complete batches."""
    clock = clock or ticking(now)
    hold_back(now=clock())
    give_back_time(now=clock())
    told = _tell_all(clock)
    complete_batches(now=clock())
    return told


def next_change(*, now: datetime) -> datetime | None:
    """Return when a claim on a change ends, or a HIT whose expiry was refused is asked about again."""
    still_held = _not_ending(HIT.objects.filter(batch__in=_held_back()), now=now)
    return soonest(
        earliest_or_now(_next_in_line(), "claimed_at", account="hit__batch__account", after=CLAIM, now=now),
        earliest(_refused_of_late(now).filter(hit__in=still_held.values("pk")), "done_at", after=AGAIN),
    )


def write_changes(
    kind: str,
    hits: Sequence[HIT],
    *,
    by: User | None,
    now: datetime,
    ends: Mapping[int, datetime] | None = None,
    places: int | None = None,
) -> int:
    """Write changes of locked HITs. One already on its way stays; the opposite one, unclaimed, is removed."""
    overtaken = {Kind.EXPIRE: Kind.EXTEND, Kind.EXTEND: Kind.EXPIRE}.get(Kind(kind))
    for start in range(0, len(hits), CHUNK):
        chunk = hits[start : start + CHUNK]
        on_their_way = Change.objects.filter(hit__in=chunk, status=Change.Status.INTENDED)
        on_their_way.filter(kind=overtaken, claimed_at=None).delete()
        Change.objects.bulk_create(
            (
                Change(
                    hit=hit,
                    kind=kind,
                    expires_at=ends[hit.pk] if ends else None,
                    places=places,
                    by=by,
                    made_at=now,
                )
                for hit in chunk
            ),
            ignore_conflicts=True,
        )
    return len(hits)


def hold_back(*, now: datetime) -> None:
    """Expire, in slices, what is out of paused, drained and idle batches, so that nobody starts in vain."""
    hits = _startable(HIT.objects.filter(batch=OuterRef("pk")), now=now)
    for batch in _held_back().filter(Exists(hits)).order_by("pk"):
        while _hold_slice(batch, now=now):
            log.info("batch.held_back", batch=str(batch.public_id))


def end_overdue(*, now: datetime) -> int:
    """Expire, in slices, HITs whose time to start is over where the provider does not end them by itself."""
    ended = 0
    while hits := list(_left_to_us().filter(expires_at__lte=now).order_by("pk")[:CHUNK]):
        with transaction.atomic():
            keys = [hit.pk for hit in hits]
            rows = HIT.objects.filter(pk__in=keys).order_by("pk")
            ended += write_changes(
                Kind.EXPIRE, list(rows.select_for_update(of=("self",), no_key=True)), by=None, now=now
            )
    return ended


def next_end(*, now: datetime) -> datetime | None:
    """When the next HIT's time to start is over that its provider does not end."""
    return earliest(_left_to_us(), "expires_at")


def _left_to_us() -> QuerySet[HIT]:
    """Open HITs that end when we say so, and that nothing said or on its way has ended yet."""
    ended = Q(status=Change.Status.INTENDED)
    ended |= Q(status=Change.Status.DONE, done_at__gte=OuterRef("expires_at"))
    ended |= Q(status=Change.Status.REFUSED)
    said = Change.objects.filter(ended, hit=OuterRef("pk"), kind=Kind.EXPIRE)
    ours = HIT.objects.filter(batch__account__kind__in=ENDED_BY_US, status=HIT.Status.OPEN)
    return ours.filter(~Exists(said), expires_at__isnull=False)


def _hold_slice(batch: Batch, *, now: datetime) -> bool:
    with transaction.atomic():
        startable = _startable(batch.hits.all(), now=now).order_by("pk")
        if batch.status == Status.OPEN:  # a HIT whose places are taken ends by itself
            startable = startable.filter(pk__in=with_free_places(batch).values("pk"))
        hits = list(startable.select_for_update(of=("self",), no_key=True)[:CHUNK])
        if not hits or lock_batch(batch.pk).status != batch.status:
            return False
        if batch.status != Status.DRAINING:
            _keep_time(hits, lifetime_s=batch.lifetime_s, now=now)
        write_changes(Kind.EXPIRE, hits, by=None, now=now)
    return True


def _held_back() -> QuerySet[Batch]:
    return Batch.objects.filter(BY_HAND | Q(status=Status.DRAINING) | _is_idle())


def _is_idle() -> Q:
    """Open, with no item that needs an answer: whoever accepted now would do so in vain."""
    running = Batch.objects.filter(status=Status.OPEN)
    asking = batches_wanting(running).values("pk")
    return Q(status=Status.OPEN) & ~Q(task__in=families.of_the_house()) & ~Q(pk__in=asking)


def _startable(hits: QuerySet[HIT], *, now: datetime) -> QuerySet[HIT]:
    return _not_ending(hits, now=now).filter(~Exists(_refused_of_late(now).filter(hit=OuterRef("pk"))))


def _not_ending(hits: QuerySet[HIT], *, now: datetime) -> QuerySet[HIT]:
    """Open HITs that have nothing on its way that expires them."""
    ending = Change.objects.filter(hit=OuterRef("pk"), kind=Kind.EXPIRE, status=Change.Status.INTENDED)
    return hits.filter(Q(expires_at=None) | Q(expires_at__gt=now), ~Exists(ending), status=HIT.Status.OPEN)


def _refused_of_late(now: datetime) -> QuerySet[Change]:
    return Change.objects.filter(kind=Kind.EXPIRE, status=Change.Status.REFUSED, done_at__gt=now - AGAIN)


def _keep_time(hits: Iterable[HIT], *, lifetime_s: int, now: datetime) -> None:
    """Keep the time that each HIT has left, unless an earlier pause has taken it already."""
    whole = Value(now + timedelta(seconds=lifetime_s), output_field=DateTimeField())
    end = Coalesce(F("expires_at"), whole)
    left = ExpressionWrapper(end - Value(now, output_field=DateTimeField()), output_field=DurationField())
    HIT.objects.filter(pk__in=[hit.pk for hit in hits], time_left=None).update(time_left=left)


def give_back_time(*, now: datetime) -> None:
    """Reopen HITs that an ended pause or a lack of items had expired, for the time that they had left.

    As many as the answers that are needed, and some to spare: a worker who has done one takes another.
    """
    runs = Q(status__in=(Status.LAUNCHING, Status.OPEN, Status.PAUSED_FUNDS))
    runs |= Q(status=Status.PAUSED) & ~Q(problem="")
    held = HIT.objects.filter(batch=OuterRef("pk"), time_left__isnull=False)
    for batch in batches_wanting(Batch.objects.filter(runs, Exists(held))).order_by("pk"):
        while _give_back_slice(batch, now=now):
            log.info("hit.time_given_back")


def _give_back_slice(batch: Batch, *, now: datetime) -> bool:
    lacking = answers_wanted(batch) - answers_of(batch, places=_places_to_take(batch, now=now))
    if lacking <= 0:
        return False
    count = SPARE + places_for(batch, answers=lacking)
    held = batch.hits.filter(time_left__isnull=False).order_by("pk")
    with transaction.atomic():
        hits = list(held.select_for_update(of=("self",), no_key=True)[: min(count, CHUNK)])
        if not hits or _is_held(lock_batch(batch.pk)):
            return False
        ends = {hit.pk: now + hit.time_left for hit in hits if hit.time_left}
        write_changes(Kind.EXTEND, hits, by=None, now=now, ends=ends)
        HIT.objects.filter(pk__in=ends).update(time_left=None)
    return True


def _places_to_take(batch: Batch, *, now: datetime) -> int:
    """Number of places that workers find, or will find once what is on its way has arrived."""
    on_their_way = Change.objects.filter(status=Change.Status.INTENDED, kind=Kind.EXTEND)
    startable = Q(expires_at=None) | Q(expires_at__gt=now)
    there = Q(status=HIT.Status.INTENDED) | Q(Exists(on_their_way.filter(hit=OuterRef("pk"))))
    there |= startable & Q(status=HIT.Status.OPEN, time_left=None)
    return with_free_places(batch).filter(there).aggregate(sum=Sum("free"))["sum"] or 0


def _is_held(batch: Batch) -> bool:
    return batch.status == Status.DRAINING or (batch.status == Status.PAUSED and not batch.problem)


def _tell_all(clock: Clock) -> int:
    """Give every account its turn. One that cannot be used keeps only its own changes waiting."""
    intended = Change.objects.filter(status=Change.Status.INTENDED)
    told = 0
    for account in Account.objects.filter(pk__in=intended.values("hit__batch__account")).order_by("pk"):
        try:
            told += _tell_account(account, clock=clock)
        except ProviderError as error:
            log.warning("change.waits", account=str(account.public_id), error=type(error).__name__)
    return told


def _tell_account(account: Account, *, clock: Clock) -> int:
    provider, until = provider_for(account), clock() + TURN
    told, last = 0, 0
    while clock() <= until and (change := _next(account, after=last, now=clock())):
        last = change.pk
        told += _tell(change, provider=provider, clock=clock)
    return told


def _next(account: Account, *, after: int, now: datetime) -> Change | None:
    """Next free change of the account, in order for each HIT: an earlier change holds up later ones."""
    free = _next_in_line().filter(_is_free(now), pk__gt=after, hit__batch__account=account)
    return free.select_related("hit").order_by("pk").first()


def _next_in_line() -> QuerySet[Change]:
    intended = Change.objects.filter(status=Change.Status.INTENDED)
    earlier = intended.filter(hit=OuterRef("hit"), pk__lt=OuterRef("pk"))
    return intended.filter(~Exists(earlier))


def _tell(change: Change, *, provider: Provider, clock: Clock) -> bool:
    if not _take(change, now=clock()):
        return False
    try:
        _apply(change, provider=provider, now=clock())
    except ProviderRefused as refusal:
        _refuse(change, refusal, now=clock())
        return False
    except ProviderUnavailable:
        mine = Change.objects.filter(pk=change.pk, claimed_at=change.claimed_at)
        mine.filter(status=Change.Status.INTENDED).update(claimed_at=None)
        raise
    _record(change, now=clock())
    return True


def _take(change: Change, *, now: datetime) -> bool:
    free = Change.objects.filter(_is_free(now), pk=change.pk, status=Change.Status.INTENDED)
    change.claimed_at = now
    return bool(free.update(claimed_at=now, asked_at=change.asked_at or now))


def _is_free(now: datetime) -> Q:
    return Q(claimed_at=None) | Q(claimed_at__lte=now - CLAIM)


def _apply(change: Change, *, provider: Provider, now: datetime) -> None:
    external_id = change.hit.external_id
    if change.kind == Kind.EXPIRE:
        provider.expire_hit(external_id)
    elif change.kind == Kind.EXTEND and change.expires_at:
        provider.extend_hit(external_id, expires_at=change.expires_at)
    else:
        _add_places(change, provider=provider, now=now)


def _add_places(change: Change, *, provider: Provider, now: datetime) -> None:
    """Ask for the places once: after an unclear outcome or a refusal, the HIT's own number tells."""
    places, hit = change.places or 0, change.hit

    def has_them() -> bool:
        return provider.get_hit(hit.external_id).max_assignments >= hit.max_assignments + places

    is_old = change.made_at < now - TOKEN_MEMORY  # another copy of this database may have asked
    if (change.asked_at or is_old) and has_them():
        return
    try:
        provider.add_places(hit.external_id, places=places, token=change.token)
    except ProviderRefused:
        if not has_them():
            raise


def _record(change: Change, *, now: datetime) -> None:
    """Record a change as made. The HIT is looked at soon: what was over may be open again, or the reverse."""
    with transaction.atomic():
        hit = HIT.objects.select_for_update(no_key=True).get(pk=change.hit_id)
        if not move(change, Change.Status.DONE, done_at=now, problem=""):
            return
        told = HIT.objects.filter(pk=hit.pk)
        if change.kind == Kind.ADD:
            told.update(look_at=now, max_assignments=F("max_assignments") + (change.places or 0))
        else:
            told.update(look_at=now, expires_at=now if change.kind == Kind.EXPIRE else change.expires_at)
        if change.kind != Kind.EXPIRE and hit.status == HIT.Status.CLOSED:
            move(hit, HIT.Status.OPEN, closed_at=None)
        mark_stale(hit.batch_id)


def _refuse(change: Change, refusal: ProviderRefused, *, now: datetime) -> None:
    """Record the refusal, whose words a person reads. The next count releases what was reserved for it."""
    with transaction.atomic():
        HIT.objects.select_for_update(no_key=True).get(pk=change.hit_id)
        move(change, Change.Status.REFUSED, done_at=now, problem=str(refusal))
        mark_stale(change.hit.batch_id)
    log.warning("change.refused", hit=str(change.hit.public_id), kind=change.kind, code=refusal.code)


def complete_batches(*, now: datetime) -> int:
    """Complete open and draining batches whose HITs are all over, locking each: HITs may be added now.

    Where there is no provider, HITs are over from the first moment, and the batch goes on.
    """
    candidates = Batch.objects.filter(
        status__in=(Status.OPEN, Status.DRAINING), account__in=Account.objects.connected()
    )
    return sum(_complete(pk, now=now) for pk in _finished(candidates).values_list("pk", flat=True))


def _complete(batch_id: int, *, now: datetime) -> bool:
    with transaction.atomic():
        # HITs before their batch, as everywhere; what holds nothing is over with the rest.
        HIT.objects.filter(batch=batch_id, time_left__isnull=False).update(time_left=None)
        batch = lock_batch(batch_id)
        if not _finished(Batch.objects.filter(pk=batch_id)).exists():
            transaction.set_rollback(True)
            return False
        end = Status.CANCELLED if batch.cancelled_at else Status.COMPLETE
        if not move(batch, end, since=(Status.OPEN, Status.DRAINING)):
            return False
        words = "Cancelled: all its work is over." if batch.cancelled_at else "Complete."
        tell(batch, end, words, by=None, now=now)
        mark_stale(batch_id)
    log.info("batch.ended", batch=str(batch.public_id), status=end)
    return True


def _finished(batches: QuerySet[Batch]) -> QuerySet[Batch]:
    """Batches of which no HIT is out, will go out, or is to be reopened.

    HITs of an idle batch may be asked for again until all its work is decided on: a rejection asks anew.
    """
    hits = HIT.objects.filter(batch=OuterRef("pk"))
    undecided = Assignment.objects.filter(
        hit__batch=OuterRef("pk"), status__in=(Work.OPENED, Work.SAVED, Work.SUBMITTED)
    )
    changes = Change.objects.filter(status=Change.Status.INTENDED, hit__batch=OuterRef("pk"))
    return batches.filter(
        ~Exists(hits.filter(status__in=(HIT.Status.INTENDED, HIT.Status.OPEN))),
        ~Exists(hits.filter(time_left__isnull=False)) | (_is_idle() & ~Exists(undecided)),
        ~Exists(changes),
    ).order_by("pk")
