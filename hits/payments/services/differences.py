"""What a match found: one row for each difference, found again while it lasts, and closed when it is gone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction

from hits.common.currencies import in_money
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.domain.difference_causes import CAUSES
from hits.payments.domain.listed_payments import Gap
from hits.payments.models.matches import Difference, Match
from hits.providers.models.accounts import Account
from hits.work.models.hits import HIT

SETTLE = "hits.run_match"
NO_LONGER_FOUND = "A later comparison no longer found it."
LONGEST_REASON = 1000
Cause = Difference.Cause
Key = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class FoundGap:
    """A gap with its subject. No provider's id is in its words or its subject."""

    gap: Gap
    subject: str
    words: str
    hit: HIT | None = None
    bonus: Bonus | None = None

    @property
    def key(self) -> Key:
        return self.gap.cause, self.subject


def record_differences(
    found: Sequence[FoundGap], *, match: Match, hits: Sequence[HIT], now: datetime
) -> None:
    """Record what was found on HITs compared whole, and close their open differences that were not found."""
    rows = list(Difference.objects.filter(account=match.account, hit__in=hits))
    still_open = [row for row in rows if row.resolved_at is None]
    _record(found, open_ones=still_open, kept=_accepted(rows), match=match, now=now)


def record_balance(*, ours: Decimal, theirs: Decimal, match: Match, now: datetime) -> None:
    """Record a difference of the balance, or close the open one if both sides agree."""
    rows = Difference.objects.filter(account=match.account, cause=Cause.BALANCE, resolved_at=None)
    gap = Gap(cause=Cause.BALANCE, ours=ours, theirs=theirs, effect=Decimal(0))
    side = "more" if theirs > ours else "less"
    said, expected, off = (
        in_money(amount, match.account.currency) for amount in (theirs, ours, abs(theirs - ours))
    )
    words = (
        f"The provider's balance is {said}; by the books it should be {expected}: {off} {side} than expected."
    )
    found = [FoundGap(gap=gap, subject="balance", words=words)] if ours != theirs else []
    _record(found, open_ones=rows, kept={}, match=match, now=now)


def resolve_difference(*, difference: Difference, reason: str, by: User, now: datetime) -> None:
    """Close a difference with what a person found out. It is opened again only if its figures change."""
    _require(by)
    reason = reason.strip()[:LONGEST_REASON]
    if not reason:
        raise RuleBroken("no_reason", "Say what you found out: later readers of the books need it.")
    if not CAUSES[difference.cause].by_reason:
        raise RuleBroken("other_way", CAUSES[difference.cause].action)
    with transaction.atomic():
        mine = Difference.objects.filter(pk=difference.pk, resolved_at=None)
        if not mine.update(resolved_at=now, resolved_by=by, resolution=reason):
            raise RuleBroken("resolved_already", "Somebody has closed it already, or it is gone by itself.")
        words = f"{CAUSES[difference.cause].title}: closed. {reason}"
        note("difference.resolved", words, by=by, now=now, **_about(difference))


def look_again(*, difference: Difference, by: User, now: datetime) -> None:
    """Make the payer ask the provider's list for this bonus at once; the next match compares it too."""
    _require(by)
    if difference.cause != Cause.NOT_LISTED or difference.resolved_at or difference.bonus is None:
        raise RuleBroken("nothing_to_look_for", "There is nothing to look for here any more.")
    with transaction.atomic():
        Bonus.objects.filter(pk=difference.bonus.pk, status=Bonus.Status.SENT).update(look_at=now, looks=0)
        note(
            "difference.look_again",
            f"Looked for again: {difference.words}",
            by=by,
            now=now,
            **_about(difference),
        )


def _record(
    found: Sequence[FoundGap],
    *,
    open_ones: Iterable[Difference],
    kept: dict[Key, Difference],
    match: Match,
    now: datetime,
) -> None:
    known = {(row.cause, row.subject): row for row in open_ones}
    new = [one for one in found if one.key not in known and not _is_accepted(one, kept)]
    if not known and not new:
        return
    with transaction.atomic():
        # Two matches never run at once; two steps of one might, after a crash: the row is made only once.
        Difference.objects.bulk_create([_row(one, match) for one in new], ignore_conflicts=True)
        for one in found:
            if one.key in known:
                Difference.objects.filter(pk=known[one.key].pk, resolved_at=None).update(
                    ours=one.gap.ours,
                    theirs=one.gap.theirs,
                    effect=one.gap.effect,
                    words=one.words,
                    last_match=match,
                )
        gone = [row.pk for key, row in known.items() if key not in {one.key for one in found}]
        Difference.objects.filter(pk__in=gone, resolved_at=None).update(
            resolved_at=now, resolution=NO_LONGER_FOUND
        )


def _accepted(rows: Iterable[Difference]) -> dict[Key, Difference]:
    """The newest row for each key that a person has closed."""
    closed = [row for row in rows if row.resolved_by_id]
    return {(row.cause, row.subject): row for row in sorted(closed, key=lambda row: row.pk)}


def _is_accepted(one: FoundGap, kept: dict[Key, Difference]) -> bool:
    row = kept.get(one.key)
    gap = one.gap
    return row is not None and (row.ours, row.theirs, row.effect) == (gap.ours, gap.theirs, gap.effect)


def _row(one: FoundGap, match: Match) -> Difference:
    return Difference(
        account=match.account,
        cause=one.gap.cause,
        subject=one.subject,
        bonus=one.bonus,
        hit=one.hit,
        ours=one.gap.ours,
        theirs=one.gap.theirs,
        effect=one.gap.effect,
        words=one.words,
        first_match=match,
        last_match=match,
    )


def _about(difference: Difference) -> dict[str, Account | Bonus | None]:
    return {"account": difference.account, "bonus": difference.bonus}


def _require(by: User) -> None:
    if not by.has_perm(SETTLE):
        raise RuleBroken("not_allowed", "You may not settle differences. Ask a member of the payments staff.")
