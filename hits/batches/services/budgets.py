"""Reservations of a study's money, made and released in this one place and no other.

Rows are locked in the project's order: HITs, then their batch, then its study. Sums are made in Python's
Decimal: one of the databases adds floats.
"""

from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.db.models import F

from hits.batches.queries.tally import Tally, tally_of
from hits.common.currencies import in_money
from hits.core.domain.money import round_to_cents
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.transfers import LedgerEntry
from hits.ledger.services.transfers import Book, Kind, Transfer, post
from hits.providers.models.accounts import Account
from hits.studies.models import Batch, Study

SET_ASIDE = (Kind.RESERVED, Kind.RELEASED)


def grant_budget(*, study: Study, by: User | None, now: datetime) -> None:
    """Book the change of the study's budget since the last booking. Every change of a budget calls this."""
    with transaction.atomic():
        held = Study.objects.select_for_update().get(pk=study.pk)
        rows = LedgerEntry.objects.filter(study=held, kind=Kind.GRANTED).values_list("source", "amount")
        granted = sum((-amount if source == Book.BUDGET else amount for source, amount in rows), Decimal(0))
        more = (held.budget or Decimal(0)) - granted
        books = (Book.GRANT, Book.BUDGET) if more > 0 else (Book.BUDGET, Book.GRANT)
        transfer = Transfer(
            kind=Kind.GRANTED,
            source=books[0],
            target=books[1],
            amount=abs(more),
            study=held,
            words="Budget raised" if more > 0 else "Budget lowered",
        )
        post([transfer], by=by, now=now)


def reserve(*, batch: Batch, amount: Decimal, words: str, by: User | None, now: datetime) -> None:
    """Reserve money in the caller's transaction. Raises RuleBroken with the figure if less is left."""
    if amount and by:
        refuse_real_money(batch=batch, by=by)
    amount = round_to_cents(amount)
    if not amount:
        return
    Batch.objects.select_for_update(of=("self",)).get(pk=batch.pk)
    study = Study.objects.select_for_update().get(pk=batch.study_id)
    if study.purged_at:
        words = f"The personal data of “{study}” were erased: it takes no more work. Copy the study."
        raise RuleBroken("purged", words)
    if not batch.is_launched:
        refuse_other_currency(study=study, account=batch.account)
    left = study.budget_left
    if left is None:
        raise RuleBroken("no_budget", f"The study “{study}” has no budget yet. Give it one first.")
    if amount > left:
        raise RuleBroken(
            "over_budget",
            f"This needs {in_money(amount, study.currency)}, and "
            f"{in_money(max(left, Decimal(0)), study.currency)} of the "
            f"{in_money(study.budget or 0, study.currency)} of the study “{study}” are left. Raise the "
            "study's budget, or make this smaller.",
        )
    _book(batch, amount, words=words, by=by, now=now)
    # A count that runs at this moment has not seen what this money is for.
    Batch.objects.filter(pk=batch.pk).update(is_stale=True, marks=F("marks") + 1)


def refuse_real_money(*, batch: Batch, by: User) -> None:
    """Raise RuleBroken if the batch spends real money and this person may not."""
    if batch.account.is_real_money and not by.has_perm("hits.launch_production"):
        raise RuleBroken(
            "not_allowed",
            f"{batch.account} spends real money, and you may not spend more of it. Ask somebody who may.",
        )


def refuse_other_currency(*, study: Study, account: Account) -> None:
    """Raise RuleBroken if the account holds another currency than the study: nothing adds or converts two."""
    if study.currency != account.currency:
        raise RuleBroken(
            "other_currency",
            f"The money of the study “{study}” is in {study.currency}, and {account} pays in "
            f"{account.currency}. Choose an account in {study.currency}, or a study in {account.currency}.",
        )


def refuse_new_currency(study: Study) -> None:
    """Raise RuleBroken if the study is to have another currency and has launched: what is booked keeps it.

    The caller holds the transaction that writes it; a launch waits for the study's row, or was waited for.
    """
    held = Study.objects.select_for_update().get(pk=study.pk)
    if held.currency != study.currency and study.batches.filter(launched_at__isnull=False).exists():
        raise RuleBroken("launched", f"“{study}” was launched meanwhile: its currency is fixed.")


def settle(*, batch: Batch, now: datetime) -> Decimal:
    """Make the batch's reservation what it has cost and can still cost at most; returns the difference."""
    last = last_entry(batch)
    return settle_counted(batch=batch, tally=tally_of(batch), last=last, now=now)


def last_entry(batch: Batch) -> int:
    """Key of the batch's last reservation, read before a count, so that one made meanwhile is noticed."""
    return (
        LedgerEntry.objects.filter(batch=batch, kind__in=SET_ASIDE)
        .order_by("-pk")
        .values_list("pk", flat=True)
        .first()
        or 0
    )


def settle_counted(*, batch: Batch, tally: Tally, last: int, now: datetime) -> Decimal:
    """Book the counted difference, or nothing if money was reserved since: the batch is counted again."""
    with transaction.atomic():
        held = Batch.objects.select_for_update(of=("self",)).get(pk=batch.pk)
        if not held.is_launched or last_entry(held) != last:
            return Decimal(0)
        difference = round_to_cents(tally.at_most(held.prices)) - held.reserved
        words = "Counted again: less is needed" if difference < 0 else "Counted again: more is needed"
        _book(held, difference, words=words, by=None, now=now)
    return difference


def _book(batch: Batch, amount: Decimal, *, words: str, by: User | None, now: datetime) -> None:
    """Write an entry and update both sums with it. The caller has locked the batch."""
    if not amount:
        return
    study = Study.objects.select_for_update().get(pk=batch.study_id)
    held = Batch.objects.values_list("reserved", flat=True).get(pk=batch.pk)
    back = amount < 0
    transfer = Transfer(
        kind=Kind.RELEASED if back else Kind.RESERVED,
        source=Book.RESERVED if back else Book.BUDGET,
        target=Book.RELEASED if back else Book.RESERVED,
        amount=abs(amount),
        study=study,
        batch=batch,
        words=words,
    )
    post([transfer], by=by, now=now)
    Study.objects.filter(pk=study.pk).update(reserved=study.reserved + amount)
    Batch.objects.filter(pk=batch.pk).update(reserved=held + amount)
