"""What the provider says that it has paid, by our references.

Where its list shows the reasons that we gave, one list serves all bonuses of a HIT. Where it shows amounts
alone, each piece of work is asked for by itself, and its payments are attributed to its bonuses.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum

from cryptography.fernet import InvalidToken
from django.db.models import Exists, OuterRef, Q

from hits.core.errors import ProviderRefused
from hits.ledger.models.bonuses import Bonus
from hits.payments.domain.listed_payments import reference_of
from hits.payments.domain.unreferenced_payments import Payable, Standing, attribute
from hits.providers.gateway.interface import Provider, ProviderBonus
from hits.providers.models.accounts import Account
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

Status = Bonus.Status
Listed = Mapping[str, Sequence[ProviderBonus]]
STANDINGS: Mapping[str, Standing] = {
    Status.CONFIRMED: Standing.CONFIRMED,
    Status.SENT: Standing.SENT,
    Status.SENDING: Standing.ON_ITS_WAY,
    Status.UNKNOWN: Standing.UNCLEAR,
    Status.APPROVED: Standing.UNPAID,
    Status.REFUSED: Standing.UNPAID,
    Status.COMPENSATING: Standing.UNPAID,
}


class ListFinding(Enum):
    PAID = "paid"
    TWICE = "paid more than once"
    OTHERWISE = "otherwise"
    NOT_LISTED = "not listed"
    SEALED = "the worker's id cannot be unsealed"


def read_together(account: Account) -> str:
    """The lookup from a bonus to what is read at once with its payments: the whole HIT, or its work alone."""
    return "assignment__hit" if account.can.lists_reasons else "assignment"


def read_list(work: Assignment, provider: Provider) -> Listed:
    """The payments for this work, and for what is read together with it. Raises ProviderError."""
    listed = defaultdict(list)
    for payment in _payments_with(work, provider):
        listed[reference_of(payment.reason)].append(payment)
    return listed


def find(bonus: Bonus, listed: Listed) -> ListFinding:
    payments = listed.get(str(bonus.token), ())
    if not payments:
        return ListFinding.NOT_LISTED
    try:
        worker = bonus.assignment.worker.external_id
    except InvalidToken:
        return ListFinding.SEALED
    if len(payments) > 1:
        return ListFinding.TWICE
    is_ours = payments[0].amount == bonus.amount and payments[0].worker_external_id == worker
    return ListFinding.PAID if is_ours else ListFinding.OTHERWISE


def payments_of_hit(hit: HIT, provider: Provider, *, account: Account) -> list[ProviderBonus]:
    """Every payment for a HIT's work, each with our reference as far as it can be known.

    Raises ProviderError.
    """
    if account.can.lists_reasons:
        return list(provider.list_bonuses(hit_external_id=hit.external_id))
    owed = Exists(Bonus.objects.filter(assignment=OuterRef("pk")))
    works = Assignment.objects.filter(
        owed | Q(status=Assignment.Status.APPROVED), ~Q(external_id=""), hit=hit
    )
    return [payment for work in works.order_by("pk") for payment in _payments_or_none(work, provider)]


def _payments_with(work: Assignment, provider: Provider) -> Iterable[ProviderBonus]:
    """Yield the payments that one reading shows.

    A list that grows while it is read may show one payment on two pages: it counts once.
    """
    if work.account.can.lists_reasons:
        return dict.fromkeys(provider.list_bonuses(hit_external_id=work.hit.external_id))
    return _payments_of(work, provider)


def _payments_or_none(work: Assignment, provider: Provider) -> list[ProviderBonus]:
    """The payments for this work; none where the provider does not know it any more."""
    try:
        return _payments_of(work, provider)
    except ProviderRefused as refusal:
        if not refusal.hit_is_gone:
            raise
        return []


def _payments_of(work: Assignment, provider: Provider) -> list[ProviderBonus]:
    """The payments for one piece of work, with the references of the bonuses that they are attributed to.

    The bonuses are read after the payments. Whatever had paid one of these is SENDING or more by then, and
    so no payment of it is left over for a bonus that is unclear.
    """
    paid = _paid_for(work, provider)
    tokens = attribute([payment.amount for payment in paid], _payables(work))
    return [
        replace(payment, reason=f"[ref {token}]" if token else "")
        for payment, token in zip(paid, tokens, strict=True)
    ]


def _paid_for(work: Assignment, provider: Provider) -> Sequence[ProviderBonus]:
    """Read the payments for this work. Where it is gone, so is its list, like that of a HIT that is gone."""
    try:
        return provider.list_bonuses_of(work.external_id)
    except ProviderRefused as refusal:
        if refusal.code != "AssignmentDoesNotExist":
            raise
        only = refusal.is_only_answer
        raise ProviderRefused(str(refusal), code="HITDoesNotExist", is_only_answer=only) from refusal


def _payables(work: Assignment) -> list[Payable]:
    """The bonuses of this work that a payment may be of; those that a HIT of their own paid are none."""
    by_hit = Q(status=Status.CONFIRMED, compensation__isnull=False)
    bonuses = Bonus.objects.filter(~by_hit, assignment=work, status__in=STANDINGS)
    return [
        Payable(
            token=str(bonus.token),
            amount=bonus.amount,
            standing=STANDINGS[bonus.status],
            asked_at=bonus.sending_at,
        )
        for bonus in bonuses
    ]
