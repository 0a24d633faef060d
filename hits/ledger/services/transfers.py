"""Writer of the ledger, and the only one. Callers hold the transaction in which the thing itself happens."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment

Book = LedgerEntry.Book
Kind = LedgerEntry.Kind
Status = Bonus.Status
# Book that holds the money of an obligation in each of its states.
BOOK_OF: dict[str, Book] = {
    Status.OWED: Book.OWED,
    Status.APPROVED: Book.APPROVED,
    Status.SENDING: Book.APPROVED,
    Status.UNKNOWN: Book.APPROVED,
    Status.REFUSED: Book.APPROVED,
    Status.SENT: Book.SENT,
    Status.CONFIRMED: Book.CONFIRMED,
    Status.COMPENSATING: Book.RESERVED,
    Status.WAIVED: Book.RESERVED,
}


@dataclass(frozen=True, kw_only=True)
class Transfer:
    kind: Kind
    source: Book
    target: Book
    amount: Decimal
    study: Study
    batch: Batch | None = None
    assignment: Assignment | None = None
    bonus: Bonus | None = None
    words: str = ""


def post(transfers: Iterable[Transfer], *, by: User | None, now: datetime) -> None:
    """Write the transfers to the ledger. One of zero moves no money and is not written."""
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            kind=transfer.kind,
            source=transfer.source,
            target=transfer.target,
            amount=transfer.amount,
            study=transfer.study,
            batch=transfer.batch,
            assignment=transfer.assignment,
            bonus=transfer.bonus,
            grant_code=transfer.study.grant_code,
            words=transfer.words,
            by=by,
            at=now,
        )
        for transfer in transfers
        if transfer.amount
    )
