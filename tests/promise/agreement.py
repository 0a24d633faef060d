"""Differences between our rows and the marketplace's, both read whole. The promise is that none exists."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from datetime import datetime
from decimal import Decimal

from django.db.models import F

from crowd.marketplace import models as market
from crowd.marketplace.operations.hits import describe_hit
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.ledger.services.transfers import BOOK_OF
from hits.payments.models.runs import Run, RunRow
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.leases import Lease

SEEN = ("Submitted", "Approved", "Rejected")
SPENT = ("reward", "reward_fee", "sent", "bonus_fee")
OVER = ("Reviewable", "Reviewing", "Disposed")


def disagreements(account: Account, *, now: datetime, unknown: Collection[str] = ()) -> list[str]:
    """Every difference. `unknown` HITs there, forgotten by a restore and known as strangers, do not count."""
    theirs = market.HIT.objects.filter(requester__access_keys__access_key_id=account.access_key_id)
    theirs = theirs.exclude(external_id__in=unknown)
    return [
        *_hits(account, list(theirs), now=now),
        *_work(account, list(market.Assignment.objects.filter(hit__in=theirs, status__in=SEEN))),
        *_bonuses(account, list(market.BonusPayment.objects.filter(assignment__hit__in=theirs))),
        *_items(),
        *_budgets(),
        *book_disagreements(),
    ]


def payment_disagreements(account: Account) -> list[str]:
    """Differences of bonuses alone: books, provider's list, balance, and the two people behind each cent."""
    theirs = list(
        market.BonusPayment.objects.filter(
            assignment__hit__requester__access_keys__access_key_id=account.access_key_id
        ).select_related("assignment", "worker")
    )
    return [
        *_bonuses(account, theirs),
        *_to_whom(theirs),
        *_two_people(theirs),
        *book_disagreements(),
        *_spent(account),
    ]


def _hits(account: Account, theirs: list[market.HIT], *, now: datetime) -> Iterator[str]:
    """Every HIT was made once, is known by its id, and has the state that we record."""
    ours = {f"crowd:{hit.public_id}": hit for hit in HIT.objects.filter(batch__account=account)}
    made = Counter(row.annotation for row in theirs)
    yield from (f"{annotation} was made {count} times" for annotation, count in made.items() if count > 1)
    yield from (f"nobody knows {row.external_id}" for row in theirs if row.annotation not in ours)
    for annotation, hit in ours.items():
        found = next((row for row in theirs if row.annotation == annotation), None)
        if found is None:
            if hit.external_id:
                yield f"{annotation} is not at the marketplace and is {hit.status} here"
            continue
        if hit.external_id != found.external_id:
            yield f"{annotation} is {found.external_id} there and {hit.external_id or hit.status} here"
            continue
        said = describe_hit(found, now=now)
        if (hit.status == HIT.Status.CLOSED) != (said["HITStatus"] in OVER):
            yield f"{annotation} is {said['HITStatus']} there and {hit.status} here"
        if hit.max_assignments != said["MaxAssignments"]:
            yield f"{annotation} has {said['MaxAssignments']} places there and {hit.max_assignments} here"


def _work(account: Account, theirs: list[market.Assignment]) -> Iterator[str]:
    """Every submitted assignment is here once, in the same state, by the same worker."""
    ours = Counter(
        (row.external_id, row.worker.external_id, row.status)
        for row in Assignment.objects.filter(account=account, submitted_at__isnull=False).select_related(
            "worker"
        )
    )
    expected = Counter((row.external_id, row.worker.external_id, row.status.lower()) for row in theirs)
    yield from (f"missing or otherwise here: {row}" for row in expected - ours)
    yield from (f"only here: {row}" for row in ours - expected)


def _bonuses(account: Account, theirs: list[market.BonusPayment]) -> Iterator[str]:
    """Every cent was paid once, and for something owed."""
    ours = {str(bonus.token): bonus for bonus in Bonus.objects.filter(assignment__account=account)}
    paid: Counter[str] = Counter()
    for payment in theirs:
        token = next((token for token in ours if token in payment.reason), "")
        paid[token] += 1
        if not token or payment.amount != ours[token].amount:
            yield f"paid for nothing owed: {payment.amount} {payment.reason}"
    yield from (f"{token} was paid {count} times" for token, count in paid.items() if count > 1)
    for token, bonus in ours.items():
        if bonus.status in ("sent", "confirmed") and not paid[token]:
            yield f"{token} is {bonus.status} here and was not paid"


def _items() -> Iterator[str]:
    """An answer is wanted, leased or given: none is lost. A late one may be one more than needed."""
    for item in Item.objects.all():
        held = item.leases.exclude(status=Lease.Status.RELEASED).count()
        if item.wanted + held < item.answers_needed:
            yield f"item {item.pk}: {item.wanted} wanted and {held} held, and {item.answers_needed} needed"
    stranded = Lease.objects.filter(status=Lease.Status.LEASED, assignment__status=Assignment.Status.GONE)
    yield from (f"item {lease.item_id} is leased to work that is gone" for lease in stranded)


def _budgets() -> Iterator[str]:
    for study in Study.objects.all():
        rows = LedgerEntry.objects.filter(study=study, kind__in=("reserved", "released"))
        entries = [row.amount if row.kind == "reserved" else -row.amount for row in rows]
        batches = study.batches.values_list("reserved", flat=True)
        sums = {study.reserved, sum(entries, Decimal(0)), sum(batches, Decimal(0))}
        if len(sums) > 1:
            yield f"the budget of {study} does not add up: {sorted(sums)}"


def bookless_payments(account: Account) -> list[market.BonusPayment]:
    """Payments at the marketplace that no bonus of ours has made."""
    tokens = set(map(str, Bonus.objects.filter(assignment__account=account).values_list("token", flat=True)))
    keys = {"assignment__hit__requester__access_keys__access_key_id": account.access_key_id}
    return [paid for paid in market.BonusPayment.objects.filter(**keys) if _token(paid) not in tokens]


def _to_whom(theirs: list[market.BonusPayment]) -> Iterator[str]:
    for payment in theirs:
        bonus = Bonus.objects.select_related("assignment__worker").get(token=_token(payment))
        whom = (bonus.assignment.external_id, bonus.assignment.worker.external_id)
        if whom != (payment.assignment.external_id, payment.worker.external_id):
            yield f"{bonus.token} was paid to somebody else"


def _two_people(theirs: list[market.BonusPayment]) -> Iterator[str]:
    """Every payment is exactly what one person froze and another one approved before it was paid."""
    for payment in theirs:
        token = _token(payment)
        rows = RunRow.objects.filter(
            bonus__token=token, run__decided_at__lte=payment.granted_at, run__kind=Run.Kind.PAY
        ).exclude(run__decided_by=F("run__prepared_by"))
        approved = [json.loads(row.line) for row in rows if row.run.status != Run.Status.REFUSED]
        wanted = (f"{payment.amount:.2f}", payment.reason)
        if wanted not in [(line["amount"], f"{line['reason']} [ref {token}]") for line in approved]:
            yield f"{token} was paid as no two people had decided"


def book_disagreements() -> Iterator[str]:
    """Each book holds what the bonuses in its states are worth, and rewards; none is overdrawn."""
    for study in Study.objects.all():
        holds: defaultdict[str, Decimal] = defaultdict(Decimal)
        wanted: defaultdict[str, Decimal] = defaultdict(Decimal)
        for row in LedgerEntry.objects.filter(study=study):
            holds[row.source] -= row.amount
            holds[row.target] += row.amount
            if row.kind in ("reward", "reward_fee"):
                wanted[row.target] += row.amount
        bonuses = Bonus.objects.filter(assignment__hit__batch__study=study, compensation=None)
        for bonus in bonuses.select_related("assignment__hit__batch__account"):
            wanted[BOOK_OF[bonus.status]] += bonus.amount
            if bonus.status in ("sent", "confirmed"):
                wanted["fees"] += bonus.assignment.hit.batch.prices.fees.on_bonus(bonus.amount)
        for book in ("owed", "approved", "sent", "confirmed", "fees"):
            if holds[book] != wanted[book]:
                yield f"{book} of {study} is {holds[book]} in the ledger and {wanted[book]} in the rows"
        yield from (
            f"{book} of {study} is overdrawn: {amount}"
            for book, amount in holds.items()
            if amount < 0 and book != "grant"
        )
        if sum(holds.values()):
            yield f"the ledger of {study} does not sum to zero"


def _spent(account: Account) -> Iterator[str]:
    """The provider has taken for work, bonuses and fees exactly what our books record as spent."""
    requester = market.Requester.objects.get(access_keys__access_key_id=account.access_key_id)
    deposits = market.LedgerEntry.objects.filter(requester=requester, account="deposits")
    spent = -sum(deposits.values_list("amount", flat=True), Decimal(0)) - requester.available
    ours = Decimal(0)
    for row in LedgerEntry.objects.filter(batch__account=account, kind__in=SPENT):
        ours += row.amount
    if ours != spent - requester.on_hold:
        yield f"${ours} were spent by our books, and ${spent - requester.on_hold} by the provider's balance"


def _token(payment: market.BonusPayment) -> str:
    return payment.reason.rpartition("[ref ")[2].rstrip("]")
