"""Payments that the operator made to workers outside the marketplace, marked here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from crowd.marketplace.database import atomic
from crowd.marketplace.domain import CENT
from crowd.marketplace.errors import RequestError, RuleBroken
from crowd.marketplace.models import Payout
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services import money
from hits.common.currencies import in_dollars
from hits.common.uploads import UploadedColumn
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import read_uploaded

MOST_AT_ONCE = 5_000
HEADER = ("worker id", "name", "amount")


def _refusal(problems: list[str]) -> RuleBroken:
    return RuleBroken(" ".join(problems))


def _skip(value: Any) -> None:
    """Ignore the column of names: only the worker id counts."""


def _read_amount(value: Any) -> Decimal:
    try:
        amount = Decimal(str(value).strip().removeprefix("$").strip())
    except InvalidOperation:
        raise ValueError("must be an amount such as 12.50.") from None
    if not (amount.is_finite() and CENT <= amount < 10**11 and amount == amount.quantize(CENT)):
        raise ValueError("must have whole cents and be at least 0.01.")
    return amount.quantize(CENT)


COLUMNS = (
    UploadedColumn(name=HEADER[0]),
    UploadedColumn(name=HEADER[1], read=_skip, needed=False),
    UploadedColumn(name=HEADER[2], read=_read_amount),
)


@dataclass(frozen=True, kw_only=True)
class Payment:
    worker: Worker
    amount: Decimal

    @property
    def fits(self) -> bool:
        return self.amount <= self.worker.owed


def owed_to(workers: Iterable[Worker]) -> list[Payment]:
    return [Payment(worker=worker, amount=worker.owed) for worker in workers]


def write_payments(payments: Iterable[Payment]) -> str:
    """Write payments in the format of `read_payments`."""
    return "\n".join(f"{payment.worker.external_id},{payment.amount}" for payment in payments)


def read_payments(text: str) -> list[Payment]:
    """Read a worker id and an amount from each line, or the exported file as it is. Raises RuleBroken."""
    problems = Problems(_refusal)
    amounts: dict[str, Decimal] = {}
    rows = read_uploaded(
        text.encode(), columns=COLUMNS, most=MOST_AT_ONCE, problems=problems, unknown=False, headed=False
    )
    for row in rows:
        external_id, _, amount = row.cells.values()
        if external_id in amounts:
            problems.say(f"{row.place}: {external_id} is in the list twice.")
        amounts[external_id] = amount
    problems.refuse()
    workers = Worker.objects.in_bulk(amounts, field_name="external_id")
    if unknown := [external_id for external_id in amounts if external_id not in workers]:
        raise RuleBroken(f"There is no worker {unknown[0]}.")
    return [Payment(worker=workers[key], amount=amount) for key, amount in amounts.items()]


def take_back(*, payout: Payout, now: datetime) -> None:
    """Owe a payout again that was marked as paid by mistake. Raises RuleBroken."""
    with atomic():
        if payout.worker.erased_at:
            raise RuleBroken("This worker was erased: nobody could be paid this money any more.")
        try:
            money.take_back_payout(payout=payout, now=now)
        except RequestError as refusal:
            raise RuleBroken(str(refusal)) from None


def add_reference(*, payout: Payout, reference: str) -> None:
    """Add the reference of a transfer, unknown when it was marked. Raises RuleBroken if there is one."""
    if not Payout.objects.filter(pk=payout.pk, reference="").update(reference=reference):
        raise RuleBroken("This payout has a reference already. Nothing was changed.")


def pay(*, payments: Sequence[Payment], reference: str, paid_by: str, now: datetime) -> None:
    """Mark all payments or none. Raises RuleBroken if one is more than is owed."""
    with atomic():
        for payment in sorted(payments, key=lambda payment: payment.worker.pk):
            try:
                money.pay_out(
                    worker_id=payment.worker.pk,
                    amount=payment.amount,
                    reference=reference,
                    paid_by=paid_by,
                    now=now,
                )
            except RequestError:
                owed = Worker.objects.get(pk=payment.worker.pk).owed
                raise RuleBroken(
                    f"{payment.worker.external_id} is owed {in_dollars(owed)}, and "
                    f"{in_dollars(payment.amount)} were to be marked. "
                    "Another operator may have marked it already. No payment was marked."
                ) from None
