"""What the operator paid to workers outside the marketplace, marked here."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation

from crowd.marketplace.database import atomic
from crowd.marketplace.domain import CENT
from crowd.marketplace.errors import RequestError, RuleBroken
from crowd.marketplace.models import Worker
from crowd.marketplace.services import money

MOST_AT_ONCE = 5_000
HEADER = ("worker id", "name", "amount")


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
    """As `read_payments` reads it."""
    return "\n".join(f"{payment.worker.external_id},{payment.amount}" for payment in payments)


def read_payments(text: str) -> list[Payment]:
    """A worker id and an amount on each line, or the exported file as it is. Raises RuleBroken."""
    amounts: dict[str, Decimal] = {}
    for number, cells in _read_lines(text):
        if not any(cells) or cells[0].lower() == HEADER[0]:
            continue
        if len(cells) not in (2, len(HEADER)):
            raise RuleBroken(f"Line {number}: a worker id and an amount, with or without a name between.")
        if cells[0] in amounts:
            raise RuleBroken(f"Line {number}: {cells[0]} stands in the list twice.")
        amounts[cells[0]] = _read_amount(cells[-1], number=number)
    if not amounts or len(amounts) > MOST_AT_ONCE:
        raise RuleBroken(f"Name at least one payment, and at most {MOST_AT_ONCE:,} at once.")
    workers = Worker.objects.in_bulk(amounts, field_name="external_id")
    if unknown := [external_id for external_id in amounts if external_id not in workers]:
        raise RuleBroken(f"There is no worker {unknown[0]}.")
    return [Payment(worker=workers[key], amount=amount) for key, amount in amounts.items()]


def pay(*, payments: Sequence[Payment], reference: str, paid_by: str, now: datetime) -> None:
    """All of them or none. Raises RuleBroken if one is more than is owed."""
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
                    f"{payment.worker.external_id} is owed ${owed}, and ${payment.amount} were to be marked. "
                    "Somebody may have marked it before. Nothing was changed for anybody."
                ) from None


def _read_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Lines as spreadsheets end them; a name may hold any other character that looks like an end."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for cells in reader:
            yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise RuleBroken(f"Line {reader.line_num}: this is no line of a CSV file ({error}).") from None


def _read_amount(text: str, *, number: int) -> Decimal:
    try:
        amount = Decimal(text.removeprefix("$").strip())
    except InvalidOperation:
        raise RuleBroken(f"Line {number}: there must be an amount such as 12.50 at its end.") from None
    if not (amount.is_finite() and CENT <= amount < 10**11 and amount == amount.quantize(CENT)):
        raise RuleBroken(f"Line {number}: an amount has whole cents and is at least 0.01.")
    return amount.quantize(CENT)
