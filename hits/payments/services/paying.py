"""Approved bonuses are sent once each, whichever process dies on the way.

A crash or a timeout in the middle of sending leaves SENDING or UNKNOWN. Neither is ever repeated blindly: the
provider's list of payments decides, once the request can no longer be on its way. Whatever was sent before is
looked for on the list before it is sent again, always with its one token.

Some providers pay again when they are asked again. There, every payment is looked for before it is asked
for, even the first time, and set up before it is claimed; an account makes one request at a time; and a bonus
whose outcome is unclear is never sent again by itself.
"""

import time
from datetime import datetime, timedelta
from decimal import Decimal

import structlog
from cryptography.fernet import InvalidToken
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from hits.batches.services.sending_hits import TOKEN_MEMORY, Clock, ticking
from hits.common.currencies import in_money
from hits.common.sweep_parts import in_parts
from hits.core.errors import NothingDone, ProviderError, ProviderRefused, ProviderUnavailable
from hits.ledger.models.bonuses import Bonus
from hits.payments.domain import bonus_refusals
from hits.payments.services import after_restore, bonus_runs, kill_switch, payment_lists, payment_outcomes
from hits.payments.services.bonus_states import move_bonus, move_bonuses
from hits.payments.services.payment_lists import ListFinding
from hits.payments.services.payment_outcomes import NO_ANSWER, SENDING_IS_STALE
from hits.providers.gateway.interface import Provider
from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import earliest, soonest, usable

Status = Bonus.Status
# The most bonuses of each account in one sweep, and the most seconds, so that every account gets its turn.
SLICE = 200
TURN_S = 60
# A bonus that cannot be sent for a reason of its own waits this long and delays no other bonus.
ASIDE = timedelta(minutes=5)
# This long after a request, no list is late any more.
LISTED_WITHIN = timedelta(days=1)
READ = ("assignment__worker", "assignment__account", "assignment__hit")
log = structlog.get_logger()


def pay_bonuses(*, now: datetime) -> int:
    """Settle what is unclear first, then send what is approved."""
    clock = ticking(now)
    stale = _sending().filter(sending_at__lte=now - SENDING_IS_STALE)
    move_bonuses(stale, Status.UNKNOWN, now=now, since=[Status.SENDING], look_at=now, looks=0)
    payment_outcomes.settle_due([Status.UNKNOWN], now=now)
    waiting = payment_outcomes.due(_approved(), now=now)
    return in_parts(
        usable(waiting.values("assignment__account")), lambda one: _pay_turn(*one, waiting, clock=clock)
    )


def next_payment(*, now: datetime) -> datetime | None:
    """When a bonus can be sent, an unclear one is looked for, or one being sent becomes unclear."""
    account = OuterRef("assignment__account")
    halted = Exists(kill_switch.halts_of(account)) | Exists(kill_switch.stand_still(account))
    return soonest(
        payment_outcomes.next_due(_approved().filter(~halted), now=now),
        payment_outcomes.next_due(Bonus.objects.filter(status=Status.UNKNOWN), now=now),
        earliest(_sending(), "sending_at", after=SENDING_IS_STALE),
    )


def confirm_bonuses(*, now: datetime) -> int:
    """Settle SENT bonuses from the provider's list: SENT is our word, CONFIRMED the provider's."""
    return payment_outcomes.settle_due([Status.SENT], now=now)


def next_confirmation(*, now: datetime) -> datetime | None:
    """When the provider's list is worth the next look."""
    return payment_outcomes.next_due(Bonus.objects.filter(status=Status.SENT), now=now)


def _sending() -> QuerySet[Bonus]:
    return Bonus.objects.filter(status=Status.SENDING)


def _approved() -> QuerySet[Bonus]:
    return Bonus.objects.filter(status=Status.APPROVED, held_at=None)


def pay_bonus(*, bonus: Bonus, provider: Provider, now: datetime) -> bool:
    """Send one bonus. SENDING is committed before the request leaves: who loses that race sends nothing.

    Raises ProviderUnavailable if the provider did nothing, for certain: the bonus waits for a better moment.
    """
    try:
        worker_external_id = bonus.assignment.worker.external_id
        found = _look_again(bonus, provider, now=now)
    except InvalidToken:  # this one waits for its key; the others do not wait for it
        log.warning("bonus.worker_id_sealed", bonus=str(bonus.public_id))
        return _set_aside(bonus, until=now + ASIDE)
    except ProviderRefused as refusal:
        return _wait_for_list(bonus, refusal, now=now)
    if found == ListFinding.NOT_LISTED and not _can_pay_once(bonus):
        return _set_up_and_send(bonus, provider, worker_external_id, clock=ticking(now))
    is_first = bonus.sending_at is None
    if not _claim(bonus, now=now):
        return False
    if found != ListFinding.NOT_LISTED:
        return _settle_send(bonus, found, now=now)
    return _send(bonus, provider, worker_external_id, is_first=is_first, now=now)


def request_payment(bonus: Bonus, provider: Provider, worker_external_id: str, *, prepared: str = "") -> None:
    """Ask the provider to pay the bonus, in the words of every way of sending one. Raises ProviderError."""
    provider.send_bonus(
        assignment_external_id=bonus.assignment.external_id,
        worker_external_id=worker_external_id,
        amount=bonus.amount,
        reason=bonus.reason_with_reference,
        token=bonus.token,
        prepared=prepared,
    )


def is_on_its_way(account: Account, *, now: datetime) -> bool:
    """Whether a request to pay may be under way from this account. It counts as over once it is stale."""
    recent = Bonus.objects.filter(assignment__account=account, sending_at__gt=now - SENDING_IS_STALE)
    is_repeated = Q(status=Status.SENT, sending_at__gt=F("sent_at"))
    return recent.filter(Q(status__in=(Status.SENDING, Status.UNKNOWN)) | is_repeated).exists()


def _can_pay_once(bonus: Bonus) -> bool:
    return bonus.assignment.account.can.pays_once


def _set_up_and_send(bonus: Bonus, provider: Provider, worker_external_id: str, *, clock: Clock) -> bool:
    """Set the payment up, which pays nothing, then claim and send it. Raises ProviderUnavailable."""
    is_first = bonus.sending_at is None
    try:
        prepared = provider.prepare_bonus(
            assignment_external_id=bonus.assignment.external_id, amount=bonus.amount
        )
    except ProviderRefused as refusal:
        return _refuse_unprepared(bonus, refusal, now=clock())
    except ProviderUnavailable:
        _set_aside(bonus, until=clock() + NO_ANSWER)
        raise
    now = clock()
    return _claim(bonus, now=now) and _send(
        bonus, provider, worker_external_id, prepared=prepared, is_first=is_first, now=now
    )


def _send(
    bonus: Bonus,
    provider: Provider,
    worker_external_id: str,
    *,
    prepared: str = "",
    is_first: bool,
    now: datetime,
) -> bool:
    try:
        request_payment(bonus, provider, worker_external_id, prepared=prepared)
    except NothingDone:
        log.warning("bonus.nothing_done", bonus=str(bonus.public_id))
        move_bonus(bonus, Status.APPROVED, now=now, since=[Status.SENDING], look_at=now + NO_ANSWER)
        raise
    except ProviderUnavailable:
        log.warning("bonus.outcome_unknown", bonus=str(bonus.public_id))
        return _unclear(bonus, now=now)
    except ProviderRefused as refusal:
        return _refused(bonus, refusal, provider=provider, is_first=is_first, now=now)
    return _settle_send(bonus, ListFinding.PAID, now=now)


def _pay_turn(account: Account, provider: Provider, waiting: QuerySet[Bonus], *, clock: Clock) -> int:
    if kill_switch.is_halted(account.pk):
        return 0
    if not account.can.pays_once and is_on_its_way(account, now=clock()):
        return 0
    paid, ends = 0, time.monotonic() + TURN_S
    bonuses = waiting.filter(assignment__account=account).order_by("look_at", "pk")
    for bonus in bonuses.select_related(*READ)[:SLICE]:
        try:
            is_paid = pay_bonus(bonus=bonus, provider=provider, now=clock())
        except ProviderUnavailable:
            break
        paid += is_paid
        if bonus.status == Status.UNKNOWN or time.monotonic() > ends:
            break  # after an unclear outcome, the account's other bonuses would wait for the same answer
        if not is_paid and kill_switch.is_halted(account.pk):
            break
    return paid


def _claim(bonus: Bonus, *, now: datetime) -> bool:
    """Check the halt, the approval and the row, and move the bonus to SENDING, in one transaction.

    `sending_at` must be what it was before the look at the list: then nothing was sent in between. Claims of
    one account follow each other, so where a request may be under way, no second one is claimed.
    """
    account = bonus.assignment.account
    with transaction.atomic():
        if not kill_switch.may_start(account.pk) or bonus_runs.void_if_changed(bonus=bonus, now=now):
            return False
        if not account.can.pays_once and is_on_its_way(account, now=now):
            return False
        return move_bonus(
            bonus,
            Status.SENDING,
            now=now,
            where={"sending_at": bonus.sending_at, "held_at": None},
            sending_at=now,
            look_at=None,
            problem="",
            refusal_code="",
        )


def _look_again(bonus: Bonus, provider: Provider, *, now: datetime) -> ListFinding:
    """Look for the bonus on the provider's list; a first request soon after its approval needs no look.

    Later, another copy of this database may have sent it, and its token protects no more. Where no token
    protects at all, even the first request is looked for. Raises ProviderError.
    """
    if bonus.sending_at is None and _can_pay_once(bonus) and _is_news(bonus, now=now):
        return ListFinding.NOT_LISTED
    return payment_lists.find(bonus, payment_lists.read_list(bonus.assignment, provider))


def _is_news(bonus: Bonus, *, now: datetime) -> bool:
    """Whether no other copy of this database can have paid it: just approved, for work that only we know."""
    if bonus.approved_at is None or bonus.approved_at <= now - TOKEN_MEMORY:
        return False
    work = bonus.assignment
    put_back_at = after_restore.put_back_at(work.account_id)
    return put_back_at is None or (work.submitted_at or put_back_at) > put_back_at


def _settle_send(bonus: Bonus, found: ListFinding, *, now: datetime) -> bool:
    if found in (ListFinding.PAID, ListFinding.TWICE):
        moved = move_bonus(
            bonus, Status.SENT, now=now, since=[Status.SENDING], sent_at=now, look_at=now, looks=0
        )
        if found == ListFinding.TWICE:
            payment_outcomes.alarm(bonus, now=now)
        return moved
    return _unclear(bonus, now=now, problem=payment_outcomes.OTHERWISE)


def _unclear(bonus: Bonus, *, now: datetime, problem: str = "") -> bool:
    move_bonus(bonus, Status.UNKNOWN, now=now, look_at=now, looks=0, problem=problem)
    return False


def _refused(
    bonus: Bonus, refusal: ProviderRefused, *, provider: Provider, is_first: bool, now: datetime
) -> bool:
    """Settle a refusal. A used token is refused too, so even a refusal is believed only after a look."""
    meaning = bonus_refusals.explain(code=refusal.code, words=str(refusal))
    stops_account = meaning.stops_account
    if stops_account:
        _stop(bonus.assignment.account, refusal, now=now)
    try:
        found = payment_lists.find(bonus, payment_lists.read_list(bonus.assignment, provider))
    except ProviderRefused as unread:
        # The only request ever made was answered once: there is nothing that a list could show.
        if not (
            is_first and refusal.is_only_answer and unread.hit_is_gone and meaning is bonus_refusals.WORK_GONE
        ):
            return _unclear(bonus, now=now)
        found = ListFinding.NOT_LISTED
    except ProviderError:
        return _unclear(bonus, now=now)
    if found != ListFinding.NOT_LISTED:
        return _settle_send(bonus, found, now=now)
    is_used = meaning is bonus_refusals.TOKEN_USED
    if is_used or not (refusal.is_only_answer or _can_pay_once(bonus)):  # its list may be behind
        return _unclear(bonus, now=now, problem=payment_outcomes.MADE_BEFORE if is_used else "")
    if stops_account:  # it waits with the others
        move_bonus(bonus, Status.APPROVED, now=now, since=[Status.SENDING])
        return False
    return _write_refusal(bonus, refusal, now=now)


def _wait_for_list(bonus: Bonus, refusal: ProviderRefused, *, now: datetime) -> bool:
    log.warning("bonus.list_refused", bonus=str(bonus.public_id), code=refusal.code)
    if refusal.hit_is_gone and (bonus.sending_at is None or bonus.sending_at < now - LISTED_WITHIN):
        return _refuse_gone(bonus, refusal, now=now)
    return _set_aside(bonus, until=now + ASIDE)


def _refuse_gone(bonus: Bonus, refusal: ProviderRefused, *, now: datetime) -> bool:
    """Refuse a bonus whose HIT is gone and that was never sent or looked for in vain: no list can show it."""
    return _claim(bonus, now=now) and _write_refusal(bonus, refusal, now=now)


def _refuse_unprepared(bonus: Bonus, refusal: ProviderRefused, *, now: datetime) -> bool:
    """Refuse a bonus that could not even be set up, in one transaction: no request of it was ever unclear."""
    if bonus_refusals.explain(code=refusal.code, words=str(refusal)).stops_account:
        _stop(bonus.assignment.account, refusal, now=now)
        return False
    with transaction.atomic():
        return _claim(bonus, now=now) and _write_refusal(bonus, refusal, now=now)


def _write_refusal(bonus: Bonus, refusal: ProviderRefused, *, now: datetime) -> bool:
    work = bonus.assignment
    words = str(refusal).replace(work.worker.external_id, work.worker.pseudonym)
    words = words.replace(work.external_id, str(work.public_id))
    move_bonus(bonus, Status.REFUSED, now=now, problem=words, refusal_code=refusal.code)
    log.warning("bonus.refused", bonus=str(bonus.public_id), code=refusal.code)
    return False


def _stop(account: Account, refusal: ProviderRefused, *, now: datetime) -> None:
    """Halt the account, instead of collecting hundreds of refusals one after the other."""
    if refusal.out_of_funds:
        reason = (
            f"{account} is out of funds: {in_money(_needed(account), account.currency)} are approved and "
            "wait, with fees. Deposit that at the provider, then let payments go on."
        )
    else:
        reason = (
            f"The provider refuses {account} itself ({refusal.code}). "
            "Have the account's key corrected, then let payments go on."
        )
    kill_switch.halt_by_the_house(account=account, reason=reason, now=now)


def _needed(account: Account) -> Decimal:
    waiting = Bonus.objects.filter(
        status__in=(Status.APPROVED, Status.SENDING), assignment__account=account
    ).select_related("assignment__hit__batch__account")
    needed = Decimal(0)
    for bonus in waiting.iterator(chunk_size=500):
        needed += bonus.amount + bonus.assignment.hit.batch.prices.fees.on_bonus(bonus.amount)
    return needed


def _set_aside(bonus: Bonus, *, until: datetime) -> bool:
    Bonus.objects.filter(pk=bonus.pk, status=Status.APPROVED).update(look_at=until)
    return False
