"""A payment that the provider said yes to and never lists: sent anew by a person, with its one token.

The yes may have been somebody else's: a broken proxy's, or a cache's. The books say sent already and go on
saying so; what changes is that it becomes true. A day after the request the token protects no more, but then
no list is late any more either.
"""

from datetime import datetime, timedelta

import structlog
from cryptography.fernet import InvalidToken
from django.db import transaction

from hits.domain import refusals
from hits.errors import ProviderRefused, ProviderUnavailable, RuleBroken
from hits.gateway import Provider
from hits.models import Bonus, User
from hits.services import auditing, halting, settling
from hits.services.paying import LISTED_WITHIN
from hits.services.sending import TOKEN_MEMORY
from hits.services.settling import SENDING_IS_STALE, Found

LOOK_AFTER = timedelta(seconds=15)
PAID = "The provider took it. It is looked for on the list like any other."
MADE_BEFORE = "The provider says that it was paid before, and its list is behind. Nothing was paid twice."
UNCLEAR = "The provider gave no clear answer. Nothing is repeated; the list is read again by itself."
NO_LIST = "The list could not be read, so nothing was sent. Try again later."
Status = Bonus.Status
log = structlog.get_logger()


def send_anew(*, bonus: Bonus, by: User, now: datetime) -> str:
    """What came of it, in words. Raises RuleBroken, and then nothing was sent."""
    provider = settling.provider_of(bonus, by=by)
    if bonus.status != Status.SENT:
        raise RuleBroken("not_sent", "Only what counts as sent is sent anew. Look at it once more.")
    if not _is_missing(bonus, provider):
        return settling.look_now(bonus=bonus, by=by, now=now)
    _claim(bonus, now=now)
    said = _send(bonus, provider)
    auditing.note("bonus.sent_anew", f"Sent ${bonus.amount} anew: {said}", by=by, now=now, bonus=bonus)
    log.warning("bonus.sent_anew", bonus=str(bonus.public_id))
    return said


def _is_missing(bonus: Bonus, provider: Provider) -> bool:
    try:
        listed = settling.read_list(bonus.assignment.hit, provider)
    except (ProviderRefused, ProviderUnavailable) as error:
        raise RuleBroken("no_list", NO_LIST) from error
    return settling.find(bonus, listed) == Found.NOT_LISTED


def _claim(bonus: Bonus, *, now: datetime) -> None:
    """Of two presses one sends. A halt is as good as for any other payment."""
    _refuse_too_soon(now - (bonus.sending_at or now), now=now)
    with transaction.atomic():
        if not halting.may_start(bonus.assignment.account_id):
            raise RuleBroken("halted", "The payments of this account are stopped. Let them go on first.")
        as_seen = Bonus.objects.filter(
            pk=bonus.pk, status=Status.SENT, sending_at=bonus.sending_at, held_at=None
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
        words = f"Neither token nor list protects at this hour. Try again after {again:%H:%M} UTC."
        raise RuleBroken("too_soon", words)


def _send(bonus: Bonus, provider: Provider) -> str:
    try:
        provider.send_bonus(
            assignment_external_id=bonus.assignment.external_id,
            worker_external_id=bonus.assignment.worker.external_id,
            amount=bonus.amount,
            reason=bonus.reason_with_reference,
            token=bonus.token,
        )
    except InvalidToken as error:
        raise RuleBroken("sealed", "The worker's id cannot be unsealed: its key is gone.") from error
    except ProviderUnavailable:
        return UNCLEAR
    except ProviderRefused as refusal:
        meaning = refusals.explain(code=refusal.code, words=str(refusal))
        return MADE_BEFORE if meaning is refusals.TOKEN_USED else f"{meaning.happened} {meaning.advice}"
    return PAID
