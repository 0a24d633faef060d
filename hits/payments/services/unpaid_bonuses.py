"""A payment that cannot be repeated, of which nobody but a person can say that it was not made.

Its provider would pay a repeated request again. Where hours of looks were in vain, a person reads the
provider's own pages. If the payment is not there, it is sent again: by the payer, under the same approval, if
its outcome is unknown; at once, if the books count it as sent, for they go on saying so.
"""

from datetime import datetime

import structlog
from cryptography.fernet import InvalidToken
from django.db import transaction

from hits.common.currencies import in_money
from hits.core import audit_trail
from hits.core.errors import NothingDone, ProviderError, ProviderRefused, ProviderUnavailable, RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.domain import bonus_refusals
from hits.payments.services import kill_switch, payment_lists, payment_outcomes
from hits.payments.services.bonus_states import move_bonus
from hits.payments.services.paying import is_on_its_way, request_payment
from hits.payments.services.payment_lists import ListFinding
from hits.payments.services.payment_outcomes import UNSETTLED
from hits.providers.gateway.interface import Provider

AGAIN = "It is sent again in a moment, after another look."
SENT = "It was sent again. It is looked for like any other."
UNCLEAR = "It was sent again, and the provider gave no clear answer. It is looked for like any other."
NOTHING_DONE = "The provider did nothing: it is busy. Try again later."
Status = Bonus.Status
log = structlog.get_logger()


def say_unpaid(*, bonus: Bonus, reason: str, by: User, now: datetime) -> str:
    """Send again what a person has found not to be paid, and return the result in words.

    The provider is asked once more, and what it shows decides. Raises RuleBroken, and then nothing was sent.
    """
    provider = payment_outcomes.provider_of(bonus, by=by)
    reason = payment_outcomes.reason_of(reason)
    words = payment_outcomes.look(bonus, provider, now=now)
    if words != UNSETTLED or bonus.problem != UNSETTLED or not payment_outcomes.is_over(bonus, now=now):
        raise RuleBroken("not_unsettled", f"It was not sent again. {words}")
    _refuse_unexplained(bonus, provider)
    amount = in_money(bonus.amount, bonus.currency)
    said = f"Found that {amount} were not paid, and sends them again: {reason}"
    if bonus.status == Status.SENT:
        return _repeat(bonus, provider, said, by=by, now=now)
    with transaction.atomic():
        seen = {"sending_at": bonus.sending_at, "problem": UNSETTLED}
        since = [Status.UNKNOWN]
        if not move_bonus(
            bonus, Status.APPROVED, now=now, by=by, since=since, where=seen, look_at=None, looks=0, problem=""
        ):
            raise _acted_already()
        audit_trail.note("bonus.said_unpaid", said, by=by, now=now, bonus=bonus)
    return AGAIN


def twins_counted_as_paid(bonus: Bonus) -> int:
    """Number of other bonuses of the same amount for the same work that the books count as paid there."""
    paid = (Status.SENT, Status.CONFIRMED)
    twins = Bonus.objects.filter(assignment=bonus.assignment, amount=bonus.amount, compensation=None)
    return twins.filter(status__in=paid).exclude(pk=bonus.pk).count()


def _refuse_unexplained(bonus: Bonus, provider: Provider) -> None:
    """Refuse if the work has a payment of another amount, which may be this one. Raises RuleBroken."""
    try:
        listed = payment_lists.read_list(bonus.assignment, provider)
    except ProviderError as error:
        raise RuleBroken("no_list", "The payments could not be read, so nothing was sent.") from error
    if strange := listed.get(""):
        amounts = ", ".join(in_money(payment.amount, bonus.currency) for payment in strange)
        words = f"The work has payments that no bonus explains: {amounts}. Find out first what they are."
        raise RuleBroken("unexplained", words)
    if payment_lists.find(bonus, listed) != ListFinding.NOT_LISTED:
        raise RuleBroken("is_listed", "It was not sent again: the provider shows the payment now.")


def _repeat(bonus: Bonus, provider: Provider, said: str, *, by: User, now: datetime) -> str:
    """Make the request of a SENT bonus once more. It stays SENT, as the books have said since the first."""
    try:
        worker_external_id = bonus.assignment.worker.external_id
        prepared = provider.prepare_bonus(
            assignment_external_id=bonus.assignment.external_id, amount=bonus.amount
        )
    except InvalidToken as error:
        raise RuleBroken("sealed", "The worker's id cannot be unsealed: its key is gone.") from error
    except ProviderError as error:
        raise RuleBroken("not_set_up", "The provider did not take the payment. Nothing was sent.") from error
    _claim(bonus, said, by=by, now=now)
    log.warning("bonus.sent_anew", bonus=str(bonus.public_id))
    try:
        request_payment(bonus, provider, worker_external_id, prepared=prepared)
    except NothingDone:
        _give_back(bonus, now=now)
        return NOTHING_DONE
    except ProviderUnavailable:
        return UNCLEAR
    except ProviderRefused as refusal:
        if refusal.is_only_answer:
            _give_back(bonus, now=now)
        meaning = bonus_refusals.explain(code=refusal.code, words=str(refusal))
        return f"{meaning.happened} {meaning.advice}"
    return SENT


def _claim(bonus: Bonus, said: str, *, by: User, now: datetime) -> None:
    """Claim the bonus: of two clicks one sends, and neither while another request is under way."""
    account = bonus.assignment.account
    with transaction.atomic():
        if not kill_switch.may_start(account.pk):
            raise RuleBroken("halted", "The payments of this account are stopped. Let them go on first.")
        if is_on_its_way(account, now=now):
            raise RuleBroken("too_soon", "Another payment of this account is on its way. Try again later.")
        seen = Bonus.objects.filter(
            pk=bonus.pk, status=Status.SENT, sending_at=bonus.sending_at, problem=UNSETTLED, held_at=None
        )
        if not seen.update(sending_at=now, look_at=now, looks=0, problem=""):
            raise _acted_already()
        audit_trail.note("bonus.said_unpaid", said, by=by, now=now, bonus=bonus)


def _give_back(bonus: Bonus, *, now: datetime) -> None:
    """Undo the claim of a request that certainly paid nothing: the same person may decide again."""
    claimed = Bonus.objects.filter(pk=bonus.pk, status=Status.SENT, sending_at=now)
    claimed.update(sending_at=bonus.sending_at, problem=UNSETTLED)


def _acted_already() -> RuleBroken:
    return RuleBroken("not_unclear", "Somebody has acted on this bonus already, or it is held.")
