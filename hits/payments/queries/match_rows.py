"""What a match compares, and what its pages show. No query grows with what was matched before."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum

from hits.core.domain.money import round_to_cents
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.matches import Deposit, Difference, Match
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.access import SEES_ALL, studies_of
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from hits.work.models.hits import HIT, Change

NOTHING = Decimal(0)
Kind = LedgerEntry.Kind
REWARDS = (Kind.REWARD, Kind.REWARD_FEE)
BONUSES = (Kind.SENT, Kind.BONUS_FEE)
# The provider's list may show a payment only after this long.
GRACE = timedelta(minutes=10)
# A person must look at an outcome that has been unknown for longer than this.
TOO_LONG = timedelta(hours=1)
# Entries get their numbers before other transactions see them. Entries older than this are all visible.
SETTLED = timedelta(days=1)
DECIDED = (Assignment.Status.APPROVED, Assignment.Status.REJECTED)


@dataclass(frozen=True, kw_only=True)
class SpentMoney:
    """What the books have spent on an account; nothing can be added any more up to entry `carried_until`."""

    rewards: Decimal
    bonuses: Decimal
    carried: dict[str, str]
    carried_until: int


@dataclass(frozen=True, kw_only=True)
class HeldMoney:
    """What the provider must hold for our work, and the expired HITs of which only it knows the rest."""

    amount: Decimal
    expired: tuple[tuple[str, Decimal], ...]


def last_done(account: Account) -> Match | None:
    done = Match.objects.filter(account=account, status=Match.Status.DONE)
    return done.order_by("-pk").first()


def hits_with_news(match: Match, *, last: Match | None) -> QuerySet[HIT]:
    """HITs that may differ now and did not at the last match."""
    sent = HIT.objects.filter(batch__account=match.account).exclude(external_id="")
    booked = LedgerEntry.objects.filter(kind__in=(Kind.SENT, Kind.CONFIRMED), batch__account=match.account)
    booked = booked.filter(pk__gt=last.carried_until if last else 0).filter(
        Q(assignment__hit__matched_at=None) | Q(at__gt=F("assignment__hit__matched_at") - GRACE)
    )
    unclear = Bonus.objects.filter(
        assignment__account=match.account,
        status__in=(Bonus.Status.SENDING, Bonus.Status.UNKNOWN, Bonus.Status.SENT),
    )
    differing = Difference.objects.filter(account=match.account, resolved_at=None, hit__isnull=False)
    return sent.filter(
        Q(pk__in=booked.values("assignment__hit"))
        | Q(pk__in=unclear.values("assignment__hit"))
        | Q(pk__in=differing.values("hit"))
    ).filter(_unmatched_since(match.started_at))


def hits_longest_ago(match: Match) -> QuerySet[HIT]:
    sent = HIT.objects.filter(batch__account=match.account).exclude(external_id="")
    return sent.filter(_unmatched_since(match.started_at)).order_by(
        F("matched_at").asc(nulls_first=True), "pk"
    )


def spent(account: Account, *, last: Match | None, now: datetime) -> SpentMoney:
    """Add what was booked since to what the last match carried over, so that history is not summed again."""
    since = last.carried_until if last else 0
    before = (
        {name: Decimal(value) for name, value in (last.figures.get("carried") or {}).items()} if last else {}
    )
    rows = LedgerEntry.objects.filter(batch__account=account, kind__in=(*REWARDS, *BONUSES), pk__gt=since)
    newest = LedgerEntry.objects.filter(at__lte=now - SETTLED).order_by("-pk").values_list("pk", flat=True)
    until = max(since, newest.first() or 0)
    carried = _by_kind(rows.filter(pk__lte=until), before)
    total = _by_kind(rows.filter(pk__gt=until), carried)
    return SpentMoney(
        rewards=sum((total.get(kind, NOTHING) for kind in REWARDS), NOTHING),
        bonuses=sum((total.get(kind, NOTHING) for kind in BONUSES), NOTHING),
        carried={kind: f"{amount:.2f}" for kind, amount in carried.items()},
        carried_until=until,
    )


def held(account: Account, *, now: datetime) -> HeldMoney:
    """Sum what the provider holds, in four queries; only it knows about expired HITs that are open here."""
    running = HIT.objects.filter(batch__account=account, status=HIT.Status.OPEN)
    is_over = Q(expires_at__lte=now)
    places = running.exclude(is_over).order_by().values_list("batch", "max_assignments")
    decided = (
        Assignment.objects.filter(hit__in=running.exclude(is_over), status__in=DECIDED)
        .order_by()
        .values_list("hit__batch", "hit__max_assignments")
    )
    waiting = Assignment.objects.filter(account=account, status=Assignment.Status.SUBMITTED)
    waiting = waiting.filter(Q(hit__status=HIT.Status.CLOSED) | Q(hit__expires_at__lte=now))
    counted: dict[tuple[int, int], int] = {}
    for batch, size, n in places.annotate(n=Count("pk")):
        counted[batch, size] = counted.get((batch, size), 0) + n * size
    for batch, size, n in decided.annotate(n=Count("pk")):
        counted[batch, size] = counted.get((batch, size), 0) - n
    undecided = waiting.order_by().values_list("hit__batch", "hit__max_assignments")
    for batch, size, n in undecided.annotate(n=Count("pk")):
        counted[batch, size] = counted.get((batch, size), 0) + n
    over = list(running.filter(is_over).values_list("external_id", "batch", "max_assignments"))
    batches = _batches({batch for batch, _ in counted} | {batch for _, batch, _ in over})
    return HeldMoney(
        amount=sum((n * _place(batches[batch], size) for (batch, size), n in counted.items()), NOTHING),
        expired=tuple((external_id, _place(batches[batch], size)) for external_id, batch, size in over),
    )


def explained(account: Account) -> Decimal:
    """The part of the balance that differences explain: open ones, and those that a person has accepted."""
    latest: dict[tuple[str, str], Decimal] = {}
    rows = Difference.objects.filter(account=account).exclude(cause=Difference.Cause.BALANCE)
    kept = rows.filter(Q(resolved_at=None) | Q(resolved_by__isnull=False))
    for cause, subject, effect in kept.order_by("pk").values_list("cause", "subject", "effect"):
        latest[cause, subject] = effect
    return sum(latest.values(), NOTHING)


def deposited(account: Account) -> Decimal:
    return sum(Deposit.objects.filter(account=account).values_list("amount", flat=True), NOTHING)


def is_moving(account: Account, *, now: datetime) -> bool:
    """Whether anything is on its way to the provider: the balance may be read before or after it."""
    bonuses = Bonus.objects.filter(assignment__account=account)
    fresh = Q(sending_at=None) | Q(sending_at__gt=now - TOO_LONG)
    return (
        bonuses.filter(fresh, status__in=(Bonus.Status.SENDING, Bonus.Status.UNKNOWN)).exists()
        or bonuses.filter(status=Bonus.Status.SENT, sent_at__gt=now - GRACE).exists()
        or HIT.objects.filter(
            batch__account=account, status=HIT.Status.INTENDED, asked_at__isnull=False
        ).exists()
        or Change.objects.filter(
            hit__batch__account=account, status=Change.Status.INTENDED, asked_at__isnull=False
        ).exists()
        or Decision.objects.filter(
            assignment__account=account, kind=Decision.Kind.REJECT, status=Decision.Status.INTENDED
        ).exists()
    )


def accounts_for(user: Any) -> QuerySet[Account]:
    """Connected accounts that carry a batch of a study this user sees; all of them for who sees all."""
    if user.has_perm(SEES_ALL):
        return Account.objects.connected()
    seen = Batch.objects.filter(account=OuterRef("pk"), study__in=studies_of(user))
    return Account.objects.connected().filter(Exists(seen))


def differences_for(user: Any) -> QuerySet[Difference]:
    """Differences on the accounts that this user sees, without those of studies hidden from them."""
    rows = Difference.objects.filter(account__in=accounts_for(user))
    if user.has_perm(SEES_ALL):
        return rows
    return rows.filter(Q(hit=None) | Q(hit__batch__study__in=studies_of(user)))


def accounts_with_matches(user: Any) -> QuerySet[Account]:
    """The user's accounts, annotated with the newest match of each and the newest that is done."""
    of_account = Match.objects.filter(account=OuterRef("pk")).order_by("-pk")
    done = of_account.filter(status=Match.Status.DONE)
    return (
        accounts_for(user)
        .annotate(
            newest_match=Subquery(of_account.values("pk")[:1]), done_match=Subquery(done.values("pk")[:1])
        )
        .order_by("name")
    )


def open_counts(accounts: Iterable[int], user: Any) -> dict[int, int]:
    rows = differences_for(user).filter(resolved_at=None, account__in=list(accounts))
    return dict(rows.order_by().values_list("account").annotate(n=Count("pk")))


def booked_since(matches: Iterable[Match]) -> dict[int, int]:
    """How many transfers of an account were booked after its match, by account. Two queries."""
    ended = [match for match in matches if match.ended_at]
    if not ended:
        return {}
    newer, deposited = Q(), Q()
    for match in ended:
        newer |= Q(batch__account=match.account_id, pk__gt=match.carried_until, at__gt=match.ended_at)
        deposited |= Q(account=match.account_id, at__gt=match.ended_at)
    rows = LedgerEntry.objects.filter(newer, kind__in=(Kind.RESERVED, Kind.RELEASED, *REWARDS, *BONUSES))
    counts = Counter(dict(rows.order_by().values_list("batch__account").annotate(n=Count("pk"))))
    deposits = Deposit.objects.filter(deposited, by__isnull=False).order_by()
    counts.update(dict(deposits.values_list("account").annotate(n=Count("pk"))))
    return counts


def _unmatched_since(moment: datetime) -> Q:
    return Q(matched_at=None) | Q(matched_at__lt=moment)


def _by_kind(rows: QuerySet[LedgerEntry], before: dict[str, Decimal]) -> dict[str, Decimal]:
    found = dict(rows.order_by().values_list("kind").annotate(sum=Sum("amount")))
    return {
        kind: before.get(kind, NOTHING) + round_to_cents(found.get(kind, NOTHING))
        for kind in sorted({*before, *found})
    }


def _batches(keys: Iterable[int]) -> dict[int, Batch]:
    return Batch.objects.select_related("account", "study").in_bulk(list(keys))


def _place(batch: Batch, size: int) -> Decimal:
    return batch.reward + batch.prices.fee(assignments_per_hit=size)
