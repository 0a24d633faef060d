"""Bonuses: owed by rule, approved by a person, sent once, confirmed from the provider's own list.

A crash or a timeout in the middle of sending leaves SENDING or UNKNOWN. Neither is ever repeated blindly:
the provider's list of payments decides, by the reference in the reason, the worker and the amount.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils import translation

from hits import families
from hits.errors import ProviderError, ProviderRefused, ProviderUnavailable
from hits.gateway import Provider, ProviderBonus, provider_for
from hits.models import Assignment, Bonus, User
from hits.states import move

Status = Bonus.Status
# A payment request is over, one way or the other, well before this.
SENDING_IS_STALE = timedelta(minutes=3)
log = structlog.get_logger()


def owe_bonuses(*, now: datetime) -> int:
    """Reads the bonus table once for every approved assignment."""
    due = Assignment.objects.filter(status=Assignment.Status.APPROVED, owed_at=None)
    return sum(
        owe_assignment(assignment=assignment, now=now)
        for assignment in due.select_related("hit__batch__study").order_by("pk")
    )


def owe_assignment(*, assignment: Assignment, now: datetime) -> int:
    with transaction.atomic():
        if not Assignment.objects.filter(pk=assignment.pk, owed_at=None).update(owed_at=now):
            return 0
        with translation.override(assignment.hit.batch.study.language):
            owed = families.get(assignment.hit.batch.task).owes(assignment=assignment)
        Bonus.objects.bulk_create(
            Bonus(
                assignment=assignment,
                rule=bonus.rule,
                amount=bonus.amount,
                reason=bonus.reason,
                owed_at=now,
            )
            for bonus in owed
        )
    return len(owed)


def approve_bonuses(*, bonuses: Iterable[Bonus], by: User, now: datetime) -> int:
    """A person's decision. Only what is approved is ever sent."""
    approved = [move(bonus, Status.APPROVED, approved_at=now, approved_by=by) for bonus in bonuses]
    log.info("bonus.approved", count=sum(approved), by=str(by.public_id))
    return sum(approved)


def pay_bonuses(*, now: datetime) -> int:
    """Settles what is unclear first, then sends what is approved."""
    for bonus in _in_flight(Status.SENDING).filter(sending_at__lt=now - SENDING_IS_STALE):
        move(bonus, Status.UNKNOWN)
    for bonus, provider in _with_providers(Status.UNKNOWN):
        settle_bonus(bonus=bonus, provider=provider, now=now)
    return sum(
        pay_bonus(bonus=bonus, provider=provider, now=now)
        for bonus, provider in _with_providers(Status.APPROVED)
    )


def pay_bonus(*, bonus: Bonus, provider: Provider, now: datetime) -> bool:
    """SENDING is committed before the request leaves: whoever loses that race sends nothing."""
    if not move(bonus, Status.SENDING, sending_at=now):
        return False
    try:
        provider.send_bonus(
            assignment_external_id=bonus.assignment.external_id,
            worker_external_id=bonus.assignment.worker.external_id,
            amount=bonus.amount,
            reason=bonus.reason_with_reference,
            token=bonus.token,
        )
    except ProviderUnavailable:
        move(bonus, Status.UNKNOWN)
        log.warning("bonus.outcome_unknown", bonus=str(bonus.public_id))
        return False
    except ProviderRefused as refusal:
        return _refused(bonus, refusal, provider=provider, now=now)
    return move(bonus, Status.SENT, sent_at=now)


def settle_bonus(*, bonus: Bonus, provider: Provider, now: datetime) -> bool:
    """True if the provider has paid it. If it has not, the bonus is approved still, with the same token."""
    try:
        paid = _was_paid(bonus, provider)
    except ProviderError:
        return False
    if paid:
        return move(bonus, Status.SENT, sent_at=now)
    move(bonus, Status.APPROVED)
    return False


def confirm_bonuses(*, now: datetime) -> int:
    """SENT is our word, CONFIRMED the provider's."""
    confirmed = 0
    for bonus, provider in _with_providers(Status.SENT):
        try:
            if _was_paid(bonus, provider):
                confirmed += move(bonus, Status.CONFIRMED, confirmed_at=now)
        except ProviderError as error:
            log.warning("bonus.confirm_failed", bonus=str(bonus.public_id), error=str(error))
    return confirmed


def _refused(bonus: Bonus, refusal: ProviderRefused, *, provider: Provider, now: datetime) -> bool:
    """A used token is refused too, so even a refusal is believed only after a look."""
    try:
        paid = _was_paid(bonus, provider)
    except ProviderError:
        move(bonus, Status.UNKNOWN)
        return False
    if paid:
        return move(bonus, Status.SENT, sent_at=now)
    move(bonus, Status.REFUSED, problem=str(refusal))
    log.warning("bonus.refused", bonus=str(bonus.public_id), code=refusal.code)
    return False


def _was_paid(bonus: Bonus, provider: Provider) -> bool:
    paid = provider.list_bonuses(hit_external_id=bonus.assignment.hit.external_id)
    return any(_matches(bonus, payment) for payment in paid)


def _matches(bonus: Bonus, payment: ProviderBonus) -> bool:
    return (
        str(bonus.token) in payment.reason
        and payment.amount == bonus.amount
        and payment.worker_external_id == bonus.assignment.worker.external_id
    )


def _in_flight(status: Status) -> QuerySet[Bonus]:
    return (
        Bonus.objects.filter(status=status)
        .select_related("assignment__worker", "assignment__account", "assignment__hit")
        .order_by("pk")
    )


def _with_providers(status: Status) -> Iterator[tuple[Bonus, Provider]]:
    """An account that cannot be used keeps its own bonuses waiting, and nobody else's."""
    for bonus in _in_flight(status):
        try:
            yield bonus, provider_for(bonus.assignment.account)
        except ProviderError as error:
            log.warning("bonus.no_provider", bonus=str(bonus.public_id), error=str(error))
