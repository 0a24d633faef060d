"""What became of payments. The provider's own list decides: one list serves all bonuses of a HIT.

Found means: our token in the reason, this worker, this amount, once. A payment with our token that differs
is neither paid nor unpaid: it is never sent again, and waits for a person. Listed twice is an alarm.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet

from hits.common.sweep_parts import in_parts
from hits.core import audit_trail
from hits.core.domain.typed_text import is_one_line
from hits.core.errors import ProviderError, ProviderRefused, ProviderUnavailable, RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import kill_switch
from hits.payments.services.bonus_states import move_bonus, move_bonuses
from hits.payments.services.payment_lists import Listed, ListFinding, find, read_list, read_together
from hits.providers.gateway.interface import Provider
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import earliest_or_now, usable
from hits.work.models.hits import HIT

Status = Bonus.Status
# Longer than all attempts of one request together, however slowly they fail: the request is over by then.
SENDING_IS_STALE = timedelta(minutes=5)
# A list that does not show a payment, or is refused, is read again after ever longer waits.
LOOKS_AFTER = (
    timedelta(seconds=5),
    timedelta(seconds=15),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
)
# A payment that cannot be repeated is looked for automatically for this long before a person is asked.
LOOKED_FOR = sum(LOOKS_AFTER, timedelta(0))
MOST_LOOKS = 1000
NO_ANSWER = timedelta(seconds=15)
# The most bonuses of each account in one sweep, and the most seconds, so that every account gets its turn.
SLICE = 500
TURN_S = 60
OTHERWISE = (
    "The provider lists a payment with this bonus's reference, but to another worker or of another amount."
)
TWICE = (
    "The provider lists more than one payment with this bonus's reference: it was paid more than once, by us "
    "or by another copy of this database."
)
MADE_BEFORE = (
    "The provider says that this very request was made before, and yet its list does not show the payment."
)
HIT_IS_GONE = (
    "The provider does not know the HIT any more, so its list of payments cannot be read: nobody can look "
    "there whether this bonus was paid."
)
UNSETTLED = (
    "It was asked for once, and the provider does not show it among the payments for the work. It may have "
    "been paid all the same, and this provider would pay a repeated request again."
)
# With these problems a person decides, and the bonus counts as paid if they say so.
UNLISTABLE = (HIT_IS_GONE, MADE_BEFORE, UNSETTLED)
UNCLEAR = (Status.UNKNOWN, Status.SENT)
LONGEST_REASON = 500
SETTLE = "hits.settle_bonus"
log = structlog.get_logger()


def settle_due(statuses: Collection[str], *, now: datetime) -> int:
    """Look at the HITs of bonuses that are due, and return how many bonuses were settled."""
    waiting = due(Bonus.objects.filter(status__in=statuses), now=now)
    return in_parts(
        usable(waiting.values("assignment__account")), lambda one: _settle_turn(*one, waiting, now=now)
    )


def _settle_turn(account: Account, provider: Provider, waiting: QuerySet[Bonus], *, now: datetime) -> int:
    settled, where, ends = 0, read_together(account), time.monotonic() + TURN_S
    rows = waiting.filter(assignment__account=account).order_by("look_at", "pk")[:SLICE]
    for key in dict.fromkeys(rows.values_list(where, flat=True)):
        done = _settle_quietly({where: key}, provider, now=now)
        if done is None:
            break  # the account's other payments would wait for the same answer
        settled += done
        if time.monotonic() > ends:
            break
    return settled


def next_due(bonuses: QuerySet[Bonus], *, now: datetime) -> datetime | None:
    """When the first of these is due; bonuses of an account that cannot be used wait for a person."""
    return earliest_or_now(bonuses, "look_at", account="assignment__account", now=now)


def settle_hit(*, hit: HIT, provider: Provider, now: datetime) -> int | None:
    """Settle the bonuses of one HIT and return how many; None if the provider does not answer."""
    return _settle_quietly({"assignment__hit": hit}, provider, now=now)


def _settle_quietly(where: Mapping[str, Any], provider: Provider, *, now: datetime) -> int | None:
    try:
        return _settle_by_list(where, provider, now=now)
    except ProviderUnavailable:
        return None
    except ProviderRefused:
        return 0


def alarm(bonus: Bonus, *, now: datetime) -> None:
    """Halt the account until a person has looked: whatever paid one bonus twice would pay others twice."""
    log.error("bonus.paid_twice", bonus=str(bonus.public_id))
    Bonus.objects.filter(pk=bonus.pk).update(problem=TWICE)
    reason = f"{bonus.in_words} to worker {bonus.assignment.worker.pseudonym}: {TWICE}"
    kill_switch.halt_by_the_house(account=bonus.assignment.account, reason=reason, now=now)


def look_now(*, bonus: Bonus, by: User, now: datetime) -> str:
    """Look at the provider's list for a waiting person, and return the result in words. Raises RuleBroken."""
    provider = provider_of(bonus, by=by)
    words = look(bonus, provider, now=now)
    audit_trail.note("bonus.looked_at", words, by=by, now=now, bonus=bonus)
    return words


def count_as_paid(*, bonus: Bonus, reason: str, by: User, now: datetime) -> None:
    """Count a bonus as paid if no list can tell any more: the one end that never pays twice.

    Raises RuleBroken. If it was not paid, the provider's balance shows it; two people then decide on another.
    """
    provider = provider_of(bonus, by=by)
    reason = reason_of(reason)
    words = look(bonus, provider, now=now)
    # The result must come from this look: that of an earlier one may be out of date.
    if words not in UNLISTABLE or bonus.problem != words or not is_over(bonus, now=now):
        raise RuleBroken("not_gone", f"It was not counted as paid. {words}")
    with transaction.atomic():
        seen = {"sending_at": bonus.sending_at, "problem": words}
        if bonus.status == Status.UNKNOWN:
            move_bonus(bonus, Status.SENT, now=now, by=by, since=[Status.UNKNOWN], where=seen, sent_at=now)
        paid = {"confirmed_at": now, "look_at": None, "problem": ""}
        if not move_bonus(bonus, Status.CONFIRMED, now=now, by=by, since=[Status.SENT], where=seen, **paid):
            raise RuleBroken("not_unclear", "Somebody has acted on this bonus already.")
        said = f"Counted {bonus.in_words} as paid, for no list of the provider's can tell: {reason}"
        audit_trail.note("bonus.counted_as_paid", said, by=by, now=now, bonus=bonus)


def reason_of(typed: str) -> str:
    """What a person found out, as it is kept. Raises RuleBroken."""
    if not is_one_line(reason := typed.strip(), longest=LONGEST_REASON):
        words = f"Say what you found out, in 1 to {LONGEST_REASON} characters on one line."
        raise RuleBroken("no_reason", words)
    return reason


def due(bonuses: QuerySet[Bonus], *, now: datetime) -> QuerySet[Bonus]:
    return bonuses.filter(Q(look_at=None) | Q(look_at__lte=now))


def provider_of(bonus: Bonus, *, by: User, statuses: Collection[str] = UNCLEAR) -> Provider:
    """The provider to ask about an unclear bonus. Raises RuleBroken if user or status does not fit."""
    if not by.has_perm(SETTLE):
        raise RuleBroken("not_allowed", "Your role does not include this. Ask the manager of the accounts.")
    if bonus.status not in statuses:
        raise RuleBroken("not_unclear", f"This bonus is {bonus.get_status_display().lower()} by now.")
    try:
        return provider_for(bonus.assignment.account, quick=True)
    except ProviderError as error:
        raise RuleBroken("no_provider", f"The account cannot be used: {error}") from error


def look(bonus: Bonus, provider: Provider, *, now: datetime) -> str:
    """Look at the list, read the bonus again, and return the result in words."""
    before, said = bonus.status, ""
    try:
        _settle_by_list(_read_with(bonus), provider, now=now)
    except ProviderUnavailable:
        said = "The provider did not answer. Nothing was changed; it will be asked again automatically."
    except ProviderRefused as refusal:
        said = (
            HIT_IS_GONE if refusal.hit_is_gone else f"The provider does not show its list ({refusal.code})."
        )
    bonus.refresh_from_db(fields=["status", "look_at", "looks", "problem", "sending_at"])
    return said or _words_of(bonus, before=before)


def _read_with(bonus: Bonus) -> dict[str, Any]:
    work = bonus.assignment
    where = read_together(work.account)
    return {where: work.pk if where == "assignment" else work.hit_id}


def _settle_by_list(where: Mapping[str, Any], provider: Provider, *, now: datetime) -> int:
    """Settle the unclear bonuses whose payments are read together.

    Their rows are read before the list, which then knows all of them. Raises ProviderError.
    """
    bonuses = list(
        Bonus.objects.filter(status__in=UNCLEAR, **where)
        .select_related("assignment__worker", "assignment__account", "assignment__hit")
        .order_by("pk")
    )
    if not bonuses:
        return 0
    work = bonuses[0].assignment
    try:
        listed = read_list(work, provider)
    except ProviderUnavailable:
        Bonus.objects.filter(pk__in=[bonus.pk for bonus in bonuses]).update(look_at=now + NO_ANSWER)
        raise
    except ProviderRefused as refusal:
        log.warning("bonuses.list_refused", hit=str(work.hit.public_id), code=refusal.code)
        if refusal.hit_is_gone:
            _note(bonuses, HIT_IS_GONE)
        _look_later(bonuses, now=now)
        raise
    return _settle(bonuses, listed, now=now)


def _note(bonuses: Iterable[Bonus], problem: str) -> None:
    """Note why no list tells. A graver problem stays: a payment listed otherwise must not be counted."""
    keys, lesser = [bonus.pk for bonus in bonuses], ("", HIT_IS_GONE, UNSETTLED)
    Bonus.objects.filter(pk__in=keys, status__in=UNCLEAR, problem__in=lesser).update(problem=problem)


def _settle(bonuses: Iterable[Bonus], listed: Listed, *, now: datetime) -> int:
    found = defaultdict(list)
    for bonus in bonuses:
        found[find(bonus, listed)].append(bonus)
    paid = [*found[ListFinding.PAID], *found[ListFinding.TWICE]]
    confirmed = move_bonuses(
        [bonus for bonus in paid if bonus.status == Status.SENT],
        Status.CONFIRMED,
        now=now,
        since=[Status.SENT],
        confirmed_at=now,
        problem="",
    )
    sent = move_bonuses(
        [bonus for bonus in paid if bonus.status == Status.UNKNOWN],
        Status.SENT,
        now=now,
        since=[Status.UNKNOWN],
        sent_at=now,
        look_at=now,
        looks=0,
        problem="",
    )
    for bonus in found[ListFinding.TWICE]:
        alarm(bonus, now=now)
    for bonus in found[ListFinding.OTHERWISE]:
        log.error("bonus.paid_otherwise", bonus=str(bonus.public_id))
        Bonus.objects.filter(pk=bonus.pk, status=bonus.status).update(problem=OTHERWISE)
    _look_later([*found[ListFinding.OTHERWISE], *found[ListFinding.SEALED]], now=now)
    return len(confirmed) + len(sent) + _settle_unlisted(found[ListFinding.NOT_LISTED], now=now)


def _settle_unlisted(bonuses: Iterable[Bonus], *, now: datetime) -> int:
    """Approve unlisted bonuses again, same token, once their request can no longer be on its way.

    Where a repeated request would be paid again, a person is asked instead.
    """
    back, later, unsettled = 0, [], []
    for bonus in bonuses:
        pays_once = bonus.assignment.account.can.pays_once
        if not pays_once and is_over(bonus, now=now, after=LOOKED_FOR):
            unsettled.append(bonus)
        if bonus.status != Status.UNKNOWN or bonus.problem == MADE_BEFORE or not pays_once:
            later.append(bonus)  # never sent again by itself: nothing but the list says that it was not paid
        elif is_over(bonus, now=now):
            back += move_bonus(
                bonus,
                Status.APPROVED,
                now=now,
                since=[Status.UNKNOWN],
                where={"sending_at": bonus.sending_at},
                look_at=None,
                looks=0,
                problem="",
            )
        else:
            at = (bonus.sending_at or now) + SENDING_IS_STALE
            Bonus.objects.filter(pk=bonus.pk, status=Status.UNKNOWN).update(look_at=at)
    _look_later(later, now=now)
    _note(unsettled, UNSETTLED)
    return back


def is_over(bonus: Bonus, *, now: datetime, after: timedelta = SENDING_IS_STALE) -> bool:
    return bonus.sending_at is None or bonus.sending_at <= now - after


def _look_later(bonuses: Iterable[Bonus], *, now: datetime) -> None:
    by_looks = defaultdict(list)
    for bonus in bonuses:
        by_looks[bonus.looks].append(bonus.pk)
    for looks, keys in by_looks.items():
        pause = LOOKS_AFTER[min(looks, len(LOOKS_AFTER) - 1)]
        Bonus.objects.filter(pk__in=keys, status__in=(Status.UNKNOWN, Status.SENT), looks=looks).update(
            look_at=now + pause, looks=min(looks + 1, MOST_LOOKS)
        )


def _words_of(bonus: Bonus, *, before: str) -> str:
    """The result of a read list in words. A SENT bonus is on the list only if this look made it SENT."""
    if bonus.status == Status.SENT and before == Status.SENT:
        return bonus.problem or "It is not on the provider's list yet. It is not sent again."
    if bonus.status in (Status.SENT, Status.CONFIRMED):
        return "It is on the provider's list: this bonus was paid, once."
    if bonus.status == Status.UNKNOWN and bonus.problem:
        return bonus.problem
    if bonus.status == Status.UNKNOWN:
        return "It is not on the provider's list yet, and the request may still be on its way."
    return "It is not on the provider's list: it was not paid, and is sent again under the same approval."
