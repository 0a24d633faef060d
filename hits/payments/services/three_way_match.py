"""The three-way match, in small steps that any process may take.

First the lists of payments are compared, HIT by HIT, then the balance. A step that dies is taken again; no
transaction is open while the provider is asked.
"""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from hits.core.audit_trail import note
from hits.core.errors import ProviderRefused, ProviderUnavailable, RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.ledger.domain import Expected
from hits.ledger.services import rewards
from hits.payments.models.matches import Deposit, Match
from hits.payments.queries import match_rows as queries
from hits.payments.queries.match_rows import HeldMoney, SpentMoney
from hits.payments.services.deposits import open_books
from hits.payments.services.differences import record_balance, record_differences
from hits.payments.services.match_payments import compare_hits
from hits.providers.gateway.interface import Provider
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account
from hits.providers.services.balances import read_balance
from hits.providers.services.usable_accounts import earliest, soonest
from hits.studies.models import Batch
from hits.work.models.hits import HIT

RUN = "hits.run_match"
# Each match also compares this many HITs without news, the longest unmatched first.
ROTATION = 500
PAGE = 25
# TURN_S: the calls of one step, in seconds of the account's pace. STEP: when a step that died is repeated.
TURN_S = 5
STEP = timedelta(minutes=5)
# A provider that does not answer is asked again after RETRY, until GIVE_UP has passed.
RETRY = timedelta(seconds=60)
GIVE_UP = timedelta(hours=1)
# A balance that does not fit is counted again after this: work may have been on its way.
RECOUNT = timedelta(seconds=60)
FEWEST_COUNTS, MOST_COUNTS = 3, 10
# Matches start daily from this hour on, UTC.
HOUR = 3
# The provider is asked about at most this many HITs that expired and are not closed here yet.
MOST_EXPIRED = 100
BUSY = (
    "Work was on its way during every count, so the balance was not compared. Compare again when it is "
    "quieter; payments were compared all the same."
)
Status = Match.Status
ZERO = Decimal(0)
log = structlog.get_logger()


def start_match(*, account: Account, full: bool, by: User | None, now: datetime) -> Match:
    """Create the match's row; the background does the rest. A second click returns the running match."""
    if by and not (by.has_perm(RUN) and queries.accounts_for(by).filter(pk=account.pk).exists()):
        raise RuleBroken(
            "not_allowed", "You may not compare this account. Ask a member of the payments staff."
        )
    try:
        with transaction.atomic():
            match = Match.objects.create(
                account=account, is_full=full, by=by, started_at=now, look_at=now, moved_at=now
            )
            scope = "every HIT" if full else "what may have changed"
            note("match.started", f"Compared {account}: {scope}.", by=by, now=now, account=account)
    except IntegrityError:
        return Match.objects.get(account=account, status=Status.RUNNING)
    return match


def match_account(
    *, account: Account, provider: Provider, full: bool, by: User | None, now: datetime
) -> Match:
    """Run a whole match at once, for operators and tests: waiting is skipped, not slept through."""
    match = start_match(account=account, full=full, by=by, now=now)
    while match.status == Status.RUNNING:
        now = max(now, match.look_at or now)
        take_step(match=match, provider=provider, now=now)
        match.refresh_from_db()
    return match


def match_accounts(*, now: datetime) -> int:
    """Start what is due today, take a step of every match that is due, and return how many steps."""
    start_due(now=now)
    running = Match.objects.filter(status=Status.RUNNING, look_at__lte=now).select_related("account")
    return sum(step(match=match, now=now) for match in running.order_by("look_at"))


def start_due(*, now: datetime) -> list[Match]:
    """Start a daily match for each account that has ever launched, even after a night of downtime."""
    due = _due_today(now).order_by("pk")
    return [match for account in due if (match := _start_daily(account, now=now))]


def next_match(*, now: datetime) -> datetime | None:
    """When the next step, the next morning's match, or another try after a failed one is due."""
    if _due_today(now).exists():
        return now
    return soonest(
        earliest(Match.objects.filter(status=Status.RUNNING), "look_at"),
        earliest(_failed_of_late(now), "ended_at", after=GIVE_UP),
        _morning(now) + timedelta(days=1) if _used_accounts().exists() else None,
    )


def step(*, match: Match, now: datetime) -> bool:
    """Take a step; an account that cannot be used fails its own match and no other."""
    try:
        provider = provider_for(match.account)
    except ProviderRefused as refusal:
        _end(match, Status.FAILED, now=now, problem=str(refusal))
        return False
    return take_step(match=match, provider=provider, now=now)


def take_step(*, match: Match, provider: Provider, now: datetime) -> bool:
    """Take one step. Compare and swap on the moment it was due: of two processes one takes the step."""
    mine = Match.objects.filter(pk=match.pk, status=Status.RUNNING, look_at=match.look_at)
    if not mine.update(look_at=now + STEP):
        return False
    try:
        if _compare_turn(match, provider, now=now):
            _count_balance(match, provider, now=now)
    except ProviderUnavailable as error:
        _wait(match, error, now=now)
    except ProviderRefused as refusal:
        _end(match, Status.FAILED, now=now, problem=str(refusal))
    return True


def give_up(*, match: Match, problem: str, now: datetime) -> None:
    """End the match as failed. The differences that it has found stay."""
    _end(match, Status.FAILED, now=now, problem=problem)


def hurry(*, match: Match, now: datetime) -> None:
    """Make a count that waits for quiet due now: the caller has looked at everything meanwhile."""
    Match.objects.filter(pk=match.pk, status=Status.RUNNING, tries__gt=0).update(look_at=now)


def _used_accounts() -> QuerySet[Account]:
    used = Batch.objects.filter(account=OuterRef("pk"), launched_at__isnull=False)
    return Account.objects.connected().filter(Exists(used))


def _due_today(now: datetime) -> QuerySet[Account]:
    return _used_accounts().filter(~Exists(_done_today(OuterRef("pk"), now=now)))


def _done_today(account: Any, *, now: datetime) -> QuerySet[Match]:
    """Matches after which none is due: begun since the morning, still running, or failed just now."""
    counts = Q(status__in=(Status.RUNNING, Status.DONE), started_at__gte=_morning(now))
    failed = Q(pk__in=_failed_of_late(now).values("pk"))
    running = Q(status=Status.RUNNING)
    return Match.objects.filter(counts | failed | running, account=account)


def _failed_of_late(now: datetime) -> QuerySet[Match]:
    return Match.objects.filter(status=Status.FAILED, ended_at__gt=now - GIVE_UP)


def _morning(now: datetime) -> datetime:
    """The last morning, by UTC."""
    morning = now.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    return morning - timedelta(days=morning > now)


def _start_daily(account: Account, *, now: datetime) -> Match | None:
    """Start the account's daily match once: the lock shows a second heartbeat the first one's match."""
    with transaction.atomic():
        Account.objects.select_for_update(no_key=True).get(pk=account.pk)
        if _done_today(account, now=now).exists():
            return None
        return start_match(account=account, full=False, by=None, now=now)


def _compare_turn(match: Match, provider: Provider, *, now: datetime) -> bool:
    """Compare a few pages of HITs. True once none is left."""
    last = queries.last_done(match.account)
    if not match.hits_to_look_at:
        _save(match, hits_to_look_at=_count_hits(match, last))
    until = time.monotonic() + TURN_S
    for _ in range(max(1, TURN_S * match.account.send_rate // PAGE)):
        hits = _next_hits(match, last)
        if not hits:
            return True
        _compare_page(match, hits, provider, now=now)
        if time.monotonic() > until:
            break
    _save(match, look_at=now)
    return False


def _compare_page(match: Match, hits: Sequence[HIT], provider: Provider, *, now: datetime) -> None:
    result = compare_hits(hits, account=match.account, provider=provider, now=now)
    record_differences(result.found, match=match, hits=result.read, now=now)
    HIT.objects.filter(pk__in=[hit.pk for hit in hits]).update(matched_at=max(now, match.started_at))
    _save(
        match,
        moved_at=now,
        hits_looked_at=match.hits_looked_at + len(hits),
        hits_to_look_at=max(match.hits_to_look_at, match.hits_looked_at + len(hits)),
        ours=(match.ours or ZERO) + result.ours,
        theirs=(match.theirs or ZERO) + result.theirs,
    )


def _count_hits(match: Match, last: Match | None) -> int:
    longest = queries.hits_longest_ago(match).order_by()
    if match.is_full:
        return longest.count()
    news = queries.hits_with_news(match, last=last)
    others = longest.exclude(pk__in=news.values("pk"))[:ROTATION]
    return news.count() + others.count()


def _next_hits(match: Match, last: Match | None) -> list[HIT]:
    """Next HITs: first those that may have changed, then the longest unmatched, as many as were counted."""
    related = ("batch__account", "batch__study")
    if not match.is_full:
        news = queries.hits_with_news(match, last=last).select_related(*related).order_by("pk")
        if hits := list(news[:PAGE]):
            return hits
    left = match.hits_to_look_at - match.hits_looked_at
    return list(queries.hits_longest_ago(match).select_related(*related)[: max(0, min(PAGE, left))])


def _count_balance(match: Match, provider: Provider, *, now: datetime) -> None:
    """Read the balance between two counts of our own figures: where those differ, it is read again later."""
    rewards.book_rewards(now=now)
    account = match.account
    last = None if match.is_full else queries.last_done(account)
    before = _ours(account, last=last, now=now)
    expired = _held_by_expired(before[1], provider)
    balance = read_balance(account=account, provider=provider, now=now)
    after = _ours(account, last=last, now=now)
    spent, held = after
    moving = before != after or expired is None or queries.is_moving(account, now=now)
    expected = Expected(
        deposits=queries.deposited(account),
        held=held.amount + (expired or ZERO),
        rewards=spent.rewards,
        bonuses=spent.bonuses,
        explained=queries.explained(account),
    )
    if not moving and _is_first(account) and balance != expected.balance:
        open_books(account=account, amount=balance - expected.balance, now=now)
        expected = Expected(**{**vars(expected), "deposits": queries.deposited(account)})
    _judge(match, expected, balance=balance, spent=spent, moving=moving, now=now)


def _judge(
    match: Match, expected: Expected, *, balance: Decimal, spent: SpentMoney, moving: bool, now: datetime
) -> None:
    """Record a difference of the balance only if it stays the same while nothing moves."""
    off = balance - expected.balance
    stays = match.figures.get("off") == f"{off:.2f}"
    tries = match.tries + 1
    figures = {
        **expected.parts,
        "off": f"{off:.2f}",
        "carried": spent.carried,
    }
    found: dict[str, Any] = {
        "balance": balance,
        "expected_balance": expected.balance,
        "figures": figures,
        "tries": tries,
        "carried_until": spent.carried_until,
    }
    believed = not off or (stays and not moving and tries >= FEWEST_COUNTS)
    if not believed and tries < MOST_COUNTS:
        # A full scan asks for every HIT: one that ended at the provider without our knowing explains much.
        Account.objects.filter(pk=match.account_id).update(surveyed_at=None)
        _save(match, **found, moved_at=now, look_at=now + RECOUNT)
        return
    if believed:
        record_balance(ours=expected.balance, theirs=balance, match=match, now=now)
    _end(match, Status.DONE, now=now, problem="" if believed else BUSY, **found)


def _ours(account: Account, *, last: Match | None, now: datetime) -> tuple[SpentMoney, HeldMoney]:
    return queries.spent(account, last=last, now=now), queries.held(account, now=now)


def _held_by_expired(held: HeldMoney, provider: Provider) -> Decimal | None:
    """Money held for expired HITs that are open here, as the provider reports; None if too many to ask.

    Submitted work is counted from our own rows.
    """
    if len(held.expired) > MOST_EXPIRED:
        return None
    amount = ZERO
    for external_id, place in held.expired:
        hit = provider.get_hit(external_id)
        amount += (hit.available + hit.pending) * place
    return amount


def _is_first(account: Account) -> bool:
    if Deposit.objects.filter(account=account, by=None).exists():
        return False
    counted = Match.objects.filter(account=account, status=Status.DONE, expected_balance__isnull=False)
    return not counted.filter(problem="").exists()


def _wait(match: Match, error: ProviderUnavailable, *, now: datetime) -> None:
    """Wait and try again, or fail after GIVE_UP. What was compared stays compared."""
    log.warning("match.waits", account=str(match.account.public_id), error=str(error))
    if match.moved_at and now - match.moved_at > GIVE_UP:
        words = f"The provider has not answered for an hour. {error}"
        _end(match, Status.FAILED, now=now, problem=words)
    else:
        Match.objects.filter(pk=match.pk, status=Status.RUNNING).update(look_at=now + RETRY)


def _save(match: Match, **changes: Any) -> None:
    Match.objects.filter(pk=match.pk, status=Status.RUNNING).update(**changes)
    for name, value in changes.items():
        setattr(match, name, value)


def _end(match: Match, status: str, *, now: datetime, **changes: Any) -> None:
    if move(match, status, ended_at=now, look_at=None, **changes):
        log.info("match.ended", account=str(match.account.public_id), status=str(status))
