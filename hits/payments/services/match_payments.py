"""A page of HITs compared with the provider's own lists of payments: each bonus is listed once."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from hits.common.currencies import in_money
from hits.core import crypto
from hits.core.domain.money import FeeSchedule
from hits.core.errors import ProviderRefused
from hits.ledger.models.bonuses import Bonus
from hits.payments.domain.listed_payments import (
    BookedBonus,
    Gap,
    ListedPayment,
    compare_bonus,
    reference_of,
    with_fee,
)
from hits.payments.models.matches import Difference
from hits.payments.queries.match_rows import GRACE, TOO_LONG
from hits.payments.services.differences import FoundGap
from hits.payments.services.payment_lists import payments_of_hit
from hits.providers.gateway.interface import Provider, ProviderBonus
from hits.providers.models.accounts import Account
from hits.work.models.hits import HIT

Status = Bonus.Status
Cause = Difference.Cause
ON_THE_WAY = (Status.SENDING, Status.UNKNOWN)
ZERO = Decimal(0)


@dataclass(kw_only=True)
class Comparison:
    """The result of comparing a page of HITs."""

    ours: Decimal = ZERO
    theirs: Decimal = ZERO
    found: list[FoundGap] = field(default_factory=list)
    # HITs whose list was read. The provider forgets HITs after some months.
    read: list[HIT] = field(default_factory=list)


def compare_hits(hits: Sequence[HIT], *, account: Account, provider: Provider, now: datetime) -> Comparison:
    """Compare a page of HITs, with two queries and one call for each HIT's list."""
    result = Comparison()
    lists = {hit.pk: paid for hit in hits if (paid := _list(hit, provider, account)) is not None}
    bonuses = _bonuses_of(hits, lists)
    for hit in hits:
        if hit.pk in lists:
            _compare(hit, lists[hit.pk], bonuses, account=account, result=result, now=now)
            result.read.append(hit)
    return result


def _list(hit: HIT, provider: Provider, account: Account) -> list[ProviderBonus] | None:
    try:
        return payments_of_hit(hit, provider, account=account)
    except ProviderRefused as refusal:
        if not refusal.hit_is_gone:
            raise
        return None


def _bonuses_of(hits: Sequence[HIT], lists: dict[int, list[ProviderBonus]]) -> dict[str, Bonus]:
    """Bonuses by reference: those of the HITs, and any other that one of their payments names."""
    rows = Bonus.objects.select_related("assignment__worker").defer("assignment__answer")
    bonuses = {str(row.token): row for row in rows.filter(assignment__hit__in=hits)}
    named = {reference_of(paid.reason) for listed in lists.values() for paid in listed}
    elsewhere = named - bonuses.keys() - {""}
    bonuses |= {str(row.token): row for row in rows.filter(token__in=elsewhere)} if elsewhere else {}
    return bonuses


def _compare(
    hit: HIT,
    listed: Sequence[ProviderBonus],
    bonuses: dict[str, Bonus],
    *,
    account: Account,
    result: Comparison,
    now: datetime,
) -> None:
    fees = hit.batch.prices.fees
    paid: dict[str, list[ListedPayment]] = defaultdict(list)
    strange: list[ProviderBonus] = []
    for payment in listed:
        result.theirs += payment.amount
        bonus = bonuses.get(reference_of(payment.reason))
        if bonus is None or bonus.assignment.account_id != account.pk:
            strange.append(payment)
        else:
            paid[str(bonus.token)].append(_listed(payment, account))
    own = {token: row for token, row in bonuses.items() if row.assignment.hit_id == hit.pk}
    for token, bonus in own.items():
        due = _due(bonus, now=now)
        result.ours += due.amount if due.is_sent else ZERO
        if gap := compare_bonus(due, paid.get(token, []), fees=fees):
            result.found.append(_of_bonus(gap, bonus, hit))
    for token in paid.keys() - own.keys():
        result.found.append(_of_other_work(paid[token], bonuses[token], hit, fees=fees))
    result.found.extend(_of_strangers(strange, hit, account=account, fees=fees))


def _due(bonus: Bonus, *, now: datetime) -> BookedBonus:
    is_sent = bonus.status in (Status.SENT, Status.CONFIRMED) and bonus.compensation_id is None
    asked_at = bonus.sending_at or bonus.sent_at
    fresh = is_sent and bonus.sent_at is not None and bonus.sent_at > now - GRACE
    on_the_way = bonus.status in ON_THE_WAY
    too_long = asked_at is not None and asked_at <= now - TOO_LONG
    return BookedBonus(
        amount=bonus.amount,
        work=bonus.assignment.external_id,
        worker="" if bonus.assignment.worker.erased_at else bonus.assignment.worker.external_id_index,
        is_sent=is_sent,
        is_moving=fresh or (on_the_way and not too_long),
        is_unclear=on_the_way and too_long,
        is_paid_by_hit=_is_paid_by_hit(bonus),
    )


def _is_paid_by_hit(bonus: Bonus) -> bool:
    return bonus.status == Status.CONFIRMED and bonus.compensation_id is not None


def _listed(payment: ProviderBonus, account: Account) -> ListedPayment:
    worker = crypto.blind_index(str(account.public_id), payment.worker_external_id)
    return ListedPayment(amount=payment.amount, work=payment.assignment_external_id, worker=worker)


def _of_bonus(gap: Gap, bonus: Bonus, hit: HIT) -> FoundGap:
    what = f"the bonus “{bonus.rule}” of {bonus.in_words} for {bonus.assignment.worker.pseudonym}"
    theirs = in_money(gap.theirs, bonus.currency)
    words = {
        Cause.TWICE: f"The list shows {theirs} in several payments for {what}.",
        Cause.OTHER_AMOUNT: f"The list shows {theirs} for {what}.",
        Cause.OTHER_WORKER: f"The list shows another worker or other work for {what}.",
        Cause.NOT_LISTED: f"The list does not show {what}, which was sent.",
        Cause.UNCLEAR: f"Nobody knows whether {what} was paid; it "
        + ("is on the list." if gap.theirs else "is not on the list."),
        Cause.NOT_OURS: f"The list shows {what}, which is not recorded as sent here: it is "
        f"{bonus.get_status_display().lower()}.",
    }[Cause(gap.cause)]
    if _is_paid_by_hit(bonus):
        words = f"The list shows {theirs} for {what}, which a HIT of its own has paid already."
    return FoundGap(gap=gap, subject=f"bonus:{bonus.public_id}", words=words, hit=hit, bonus=bonus)


def _of_other_work(paid: Sequence[ListedPayment], bonus: Bonus, hit: HIT, *, fees: FeeSchedule) -> FoundGap:
    amount, effect = _sums((one.amount for one in paid), fees)
    gap = Gap(cause=Cause.OTHER_WORKER, ours=ZERO, theirs=amount, effect=effect)
    words = (
        f"{in_money(amount, bonus.currency)} was paid for work of this HIT with the reference of a bonus of "
        f"another HIT: “{bonus.rule}” for {bonus.assignment.worker.pseudonym}."
    )
    subject = f"bonus:{bonus.public_id}:{hit.public_id}"
    return FoundGap(gap=gap, subject=subject, words=words, hit=hit, bonus=bonus)


def _of_strangers(
    payments: Sequence[ProviderBonus], hit: HIT, *, account: Account, fees: FeeSchedule
) -> list[FoundGap]:
    """One finding for payments that are alike, under a key that hides which worker got them."""
    alike: dict[str, list[ProviderBonus]] = defaultdict(list)
    for payment in payments:
        parts = (payment.assignment_external_id, payment.worker_external_id, str(payment.amount))
        alike[crypto.blind_index(str(account.public_id), *parts, payment.reason)[:32]].append(payment)
    return [_of_stranger(key, same, hit, account=account, fees=fees) for key, same in alike.items()]


def _of_stranger(
    key: str, same: Sequence[ProviderBonus], hit: HIT, *, account: Account, fees: FeeSchedule
) -> FoundGap:
    amount, effect = _sums((payment.amount for payment in same), fees)
    who = crypto.pseudonym(str(account.public_id), same[0].worker_external_id)
    count = "A payment" if len(same) == 1 else f"{len(same)} payments"
    whose = "without a reference of ours" if account.can.lists_reasons else "that no bonus of ours explains"
    words = f"{count} of {in_money(same[0].amount, account.currency)} to {who} {whose}."
    gap = Gap(cause=Cause.NOT_OURS, ours=ZERO, theirs=amount, effect=effect)
    return FoundGap(gap=gap, subject=f"payment:{hit.public_id}:{key}", words=words, hit=hit)


def _sums(amounts: Iterable[Decimal], fees: FeeSchedule) -> tuple[Decimal, Decimal]:
    paid = list(amounts)
    return sum(paid, ZERO), -sum((with_fee(amount, fees=fees) for amount in paid), ZERO)
