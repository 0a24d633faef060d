"""Blocks of workers: soft ones are ours alone, hard ones are the provider's too.

A block concerns the whole account. One sender at a time tells the provider, so that a block on its way never
overtakes the lifting of it.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

import structlog
from cryptography.fernet import InvalidToken
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from hits.batches.services.sending_hits import Clock, ticking
from hits.common.rates import spend
from hits.core.domain.typed_text import is_one_line
from hits.core.errors import ProviderError, ProviderRefused, ProviderUnavailable, RuleBroken
from hits.core.states import move
from hits.identity.models.blocks import Block
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.providers.gateway.interface import Provider
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import earliest_or_now

Kind = Block.Kind
Status = Block.Status
LONGEST_REASON = 500
# A request is over, one way or the other, well before this. Also how long an unclear one rests.
CLAIM = timedelta(minutes=3)
# Blocks of one account in one sweep: the others have their turn.
MOST_AT_ONCE = 20
# How often, at most, an account is asked for its list; it may lack a block that was made just now.
READ_S = 900
LISTED_AFTER = timedelta(minutes=15)
LIFTED_THERE = (
    "The provider lists this block no longer: somebody has lifted it there. Our pages still refuse this "
    "worker. Lift it here too, or lift it and block the worker anew."
)
ON_ITS_WAY = (Status.INTENDED, Status.LIFTING)
log = structlog.get_logger()


def block_worker(*, worker: Worker, kind: str, reason: str, by: User, now: datetime) -> Block:
    """Block a worker on our pages at once; a sweep tells the provider of a hard block. Raises RuleBroken."""
    if kind not in Kind.values:
        raise RuleBroken("no_such_kind", f"A block is one of {', '.join(Kind.values)}.")
    if kind == Kind.HARD and not worker.account.can.blocks:
        raise RuleBroken("no_provider", "This worker has no provider: a soft block is enough.")
    if worker.erased_at:
        raise RuleBroken("erased", "Nobody knows who this worker was: their study was purged.")
    reason = _read_reason(reason)
    status = Status.ACTIVE if kind == Kind.SOFT else Status.INTENDED
    try:
        with transaction.atomic():
            block = Block.objects.create(
                worker=worker, kind=kind, status=status, reason=reason, by=by, made_at=now
            )
    except IntegrityError:
        raise _blocked_already() from None
    log.info("worker.blocked", worker=str(worker.public_id), kind=kind, by=str(by.public_id))
    return block


def lift_block(*, block: Block, by: User, now: datetime, because: str = "") -> None:
    """Lift a block; our pages open at once. Idempotent for one that is lifted or on its way to be."""
    to = Status.LIFTED if block.kind == Kind.SOFT else Status.LIFTING
    kept = {"lifted_by": by, "lifted_at": now, "lifted_because": _read_reason(because) if because else ""}
    if move(block, to, since=(Status.INTENDED, Status.ACTIVE), problem="", **kept):
        log.info("worker.block_lifted", worker=str(block.worker.public_id), by=str(by.public_id))


def ask_again(*, block: Block, by: User, now: datetime) -> None:
    """Ask the provider again for a block, or the lifting of one, that it refused."""
    to = Status.LIFTING if block.lifted_at else Status.INTENDED
    try:
        with transaction.atomic():
            asked = move(block, to, since=(Status.REFUSED,), problem="")
    except IntegrityError:
        raise _blocked_already() from None
    if asked:
        log.info("worker.block_asked_again", worker=str(block.worker.public_id), by=str(by.public_id))


def send_blocks(*, now: datetime, clock: Clock | None = None) -> int:
    """Tell the providers of blocks and liftings. Both requests are idempotent."""
    clock = clock or ticking(now)
    waiting = Block.objects.filter(status__in=ON_ITS_WAY).values("worker__account")
    return sum(
        _send_blocks_of(account, clock=clock)
        for account in Account.objects.filter(pk__in=waiting).order_by("pk")
    )


def read_blocks(*, now: datetime) -> int:
    """Note which hard blocks the provider lists no longer: somebody has lifted them there.

    Our pages go on refusing the worker until a person decides. Each account is asked at most every READ_S.
    """
    told = Block.objects.filter(kind=Kind.HARD, status=Status.ACTIVE, made_at__lte=now - LISTED_AFTER)
    accounts = Account.objects.filter(pk__in=told.values("worker__account")).order_by("pk")
    return sum(
        _read_blocks_of(account, told)
        for account in accounts
        if spend("blocks-read", str(account.pk), most=1, window_s=READ_S)
    )


def _read_blocks_of(account: Account, told: QuerySet[Block]) -> int:
    blocks = list(told.filter(worker__account=account).select_related("worker"))
    try:
        listed = set(provider_for(account).list_blocked())
    except ProviderError as error:
        log.warning("worker.blocks_unread", account=str(account.public_id), error=type(error).__name__)
        return 0
    there = {block.pk for block in blocks if _external_id_of(block) in (*listed, None)}
    gone = told.filter(pk__in=[block.pk for block in blocks if block.pk not in there], problem="")
    told.filter(pk__in=there, problem=LIFTED_THERE).update(problem="")
    return gone.update(problem=LIFTED_THERE)


def _external_id_of(block: Block) -> str | None:
    try:
        return str(block.worker.external_id)
    except InvalidToken:
        return None


def next_block(*, now: datetime) -> datetime | None:
    """Return when the next request can be sent: one of unclear outcome once its claim is over."""
    on_their_way = Block.objects.filter(status__in=ON_ITS_WAY)
    return earliest_or_now(on_their_way, "claimed_at", account="worker__account", after=CLAIM, now=now)


def _send_blocks_of(account: Account, *, clock: Clock) -> int:
    sent = 0
    try:
        provider = provider_for(account)
        for block in _claim(account, clock=clock):
            sent += _send(block, provider)
    except ProviderError as error:
        # Its claims end after a while, and then the requests are made again.
        log.warning("worker.blocks_waiting", account=str(account.public_id), error=type(error).__name__)
    return sent


def _claim(account: Account, *, clock: Clock) -> Iterator[Block]:
    """Claim each block just before it is sent, and read it again to see what a person changed meanwhile."""
    on_their_way = Block.objects.filter(status__in=ON_ITS_WAY)
    due = on_their_way.filter(_is_free(clock()), worker__account=account).order_by("pk")
    for pk in list(due.values_list("pk", flat=True)[:MOST_AT_ONCE]):
        # The current time: a claim dated from the sweep's start would be over too soon.
        now = clock()
        if on_their_way.filter(_is_free(now), pk=pk).update(claimed_at=now):
            yield Block.objects.select_related("worker").get(pk=pk)


def _is_free(now: datetime) -> Q:
    return Q(claimed_at=None) | Q(claimed_at__lte=now - CLAIM)


def _send(block: Block, provider: Provider) -> bool:
    lifts = block.status == Status.LIFTING
    try:
        external_id = block.worker.external_id
    except InvalidToken:
        _end(
            block, Status.REFUSED, problem=f"The id of {block.worker} cannot be decrypted. Nothing was sent."
        )
        log.warning("worker.id_sealed", worker=str(block.worker.public_id))
        return False
    try:
        if lifts:
            provider.unblock_worker(external_id)
        else:
            provider.block_worker(external_id, reason=block.reason)
    except ProviderUnavailable:
        raise
    except ProviderRefused as refusal:
        said = str(refusal).replace(external_id, block.worker.pseudonym)
        _end(block, Status.REFUSED, problem=said)
        log.warning("worker.block_refused", worker=str(block.worker.public_id), code=refusal.code)
        return False
    return _end(block, Status.LIFTED if lifts else Status.ACTIVE)


def _end(block: Block, to: Status, *, problem: str = "") -> bool:
    """Record the outcome. A block lifted meanwhile stays so, and is free at once for its next request."""
    ended = move(block, to, since=(block.status,), claimed_at=None, problem=problem)
    if not ended:
        _in_flight(block).update(claimed_at=None)
    return ended


def _in_flight(block: Block) -> QuerySet[Block]:
    return Block.objects.filter(pk=block.pk, status__in=ON_ITS_WAY)


def _read_reason(reason: str) -> str:
    reason = reason.strip()
    if not is_one_line(reason, longest=LONGEST_REASON):
        raise RuleBroken("reason_wanted", f"Give a reason of 1 to {LONGEST_REASON} characters, on one line.")
    return reason


def _blocked_already() -> RuleBroken:
    return RuleBroken(
        "blocked_already", "This worker is blocked in this way already, or the lifting of it is on its way."
    )
