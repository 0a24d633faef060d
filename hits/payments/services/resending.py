"""A payment that the provider accepted and never lists: a person sends it again, with the same token.

The acceptance may have come from a broken proxy or a cache. The books say sent already and go on saying so;
sending makes it true. A day after the request the token protects no more, but then no list is late either.
"""

from datetime import datetime, timedelta

import structlog
from cryptography.fernet import InvalidToken
from django.db import transaction
from django.db.models import QuerySet

from hits.batches.services.sending_hits import TOKEN_MEMORY
from hits.core import audit_trail
from hits.core.errors import ProviderRefused, ProviderUnavailable, RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.domain import bonus_refusals
from hits.payments.models.matches import Difference
from hits.payments.services import after_restore, kill_switch, payment_lists, payment_outcomes
from hits.payments.services.paying import LISTED_WITHIN, request_payment
from hits.payments.services.payment_lists import ListFinding
from hits.payments.services.payment_outcomes import SENDING_IS_STALE
from hits.providers.gateway.interface import Provider
from hits.providers.models.accounts import Account
from hits.providers.models.epochs import Epoch

# Few at once: a person waits for the page, and each bonus takes two calls.
MOST_AT_ONCE = 50
LOOK_AFTER = timedelta(seconds=15)
PAID = "The provider accepted it. It is looked for on the list like any other."
MADE_BEFORE = "The provider says that it was paid before, and its list is behind. Nothing was paid twice."
UNCLEAR = "The provider gave no clear answer. Nothing is repeated; the list will be read again automatically."
PAYS_AGAIN = (
    "This provider would pay a repeated request again. Look at the payment among the unclear ones, and say "
    "there whether it was paid."
)
NO_LIST = "The list could not be read, so nothing was sent. Try again later."
Status = Bonus.Status
log = structlog.get_logger()


def send_anew(*, bonus: Bonus, by: User, now: datetime) -> str:
    """Send again, and return the result in words. Raises RuleBroken, and then nothing was sent."""
    statuses = (
        (*payment_outcomes.UNCLEAR, Status.CONFIRMED) if _may_be_lost(bonus) else payment_outcomes.UNCLEAR
    )
    provider = payment_outcomes.provider_of(bonus, by=by, statuses=statuses)
    if not bonus.assignment.account.can.pays_once:
        raise RuleBroken("pays_again", PAYS_AGAIN)
    if bonus.status == Status.UNKNOWN:
        raise RuleBroken("not_sent", "Only what counts as sent can be sent again. Look at it once more.")
    if not _is_missing(bonus, provider):
        return payment_outcomes.look_now(bonus=bonus, by=by, now=now)
    _claim(bonus, now=now)
    said = _send(bonus, provider)
    audit_trail.note("bonus.sent_anew", f"Sent {bonus.in_words} anew: {said}", by=by, now=now, bonus=bonus)
    log.warning("bonus.sent_anew", bonus=str(bonus.public_id))
    return said


def lost_payments(account: Account) -> QuerySet[Bonus]:
    """Bonuses that a provider restored from a copy does not list any more, as far as it was compared."""
    missing = Difference.objects.filter(
        account=account, cause=Difference.Cause.NOT_LISTED, resolved_at=None, bonus__isnull=False
    )
    return Bonus.objects.filter(
        pk__in=missing.values("bonus"), sending_at__lt=after_restore.put_back_at(account.pk)
    )


def send_lost_anew(*, account: Account, by: User, now: datetime) -> list[str]:
    """Send the next few lost payments again, and return the result of each in words."""
    lost = lost_payments(account).select_related("assignment__hit", "assignment__worker")
    return [_send_lost(bonus, by=by, now=now) for bonus in lost.order_by("pk")[:MOST_AT_ONCE]]


def _send_lost(bonus: Bonus, *, by: User, now: datetime) -> str:
    try:
        return send_anew(bonus=bonus, by=by, now=now)
    except RuleBroken as broken:
        return str(broken)


def _may_be_lost(bonus: Bonus) -> bool:
    """Whether the provider was restored from a copy after it had confirmed the payment."""
    last = Epoch.objects.filter(account=bonus.assignment.account_id).order_by("-began_at").first()
    if last is None or last.side == Epoch.Side.OURS or bonus.confirmed_at is None:
        return False
    return last.began_at > bonus.confirmed_at


def _is_missing(bonus: Bonus, provider: Provider) -> bool:
    try:
        listed = payment_lists.read_list(bonus.assignment, provider)
    except (ProviderRefused, ProviderUnavailable) as error:
        raise RuleBroken("no_list", NO_LIST) from error
    return payment_lists.find(bonus, listed) == ListFinding.NOT_LISTED


def _claim(bonus: Bonus, *, now: datetime) -> None:
    """Claim the bonus: of two clicks only one sends, and a halt stops it like any other payment."""
    _refuse_too_soon(now - (bonus.sending_at or now), now=now)
    with transaction.atomic():
        if not kill_switch.may_start(bonus.assignment.account_id):
            raise RuleBroken("halted", "The payments of this account are stopped. Let them go on first.")
        as_seen = Bonus.objects.filter(
            pk=bonus.pk, status=bonus.status, sending_at=bonus.sending_at, held_at=None
        )
        if not as_seen.update(sending_at=now, look_at=now + LOOK_AFTER, looks=0, problem=""):
            raise RuleBroken("not_sent", "Somebody has acted on this bonus already, or it is held.")


def _refuse_too_soon(age: timedelta, *, now: datetime) -> None:
    if age < SENDING_IS_STALE:
        again = now + SENDING_IS_STALE - age
        words = f"The request may still be on its way. Try again after {again:%H:%M} UTC."
        raise RuleBroken("too_soon", words)
    if TOKEN_MEMORY <= age < LISTED_WITHIN:
        again = now + LISTED_WITHIN - age
        words = f"Neither token nor list rules out a second payment yet. Try again after {again:%H:%M} UTC."
        raise RuleBroken("too_soon", words)


def _send(bonus: Bonus, provider: Provider) -> str:
    try:
        request_payment(bonus, provider, bonus.assignment.worker.external_id)
    except InvalidToken as error:
        raise RuleBroken("sealed", "The worker's id cannot be unsealed: its key is gone.") from error
    except ProviderUnavailable:
        return UNCLEAR
    except ProviderRefused as refusal:
        meaning = bonus_refusals.explain(code=refusal.code, words=str(refusal))
        return MADE_BEFORE if meaning is bonus_refusals.TOKEN_USED else f"{meaning.happened} {meaning.advice}"
    return PAID
