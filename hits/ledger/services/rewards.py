"""Rewards and fees of approved work in the ledger: each is booked once, whoever approved the work."""

from datetime import datetime

from django.db import transaction

from hits.ledger.services.transfers import Book, Kind, Transfer, post
from hits.work.models.assignments import Assignment

SLICE = 500


def book_rewards(*, now: datetime) -> int:
    """Book approved work that is not booked yet, in slices that a crash leaves whole. State is the queue."""
    booked = 0
    while done := _book_slice(now=now):
        booked += done
    return booked


def _book_slice(*, now: datetime) -> int:
    with transaction.atomic():
        due = Assignment.objects.filter(status=Assignment.Status.APPROVED, booked_at=None).order_by("pk")
        work = list(
            due.select_related("hit__batch__study", "hit__batch__account")
            .defer("answer")
            .select_for_update(of=("self",), no_key=True)[:SLICE]
        )
        post((transfer for row in work for transfer in _transfers(row)), by=None, now=now)
        Assignment.objects.filter(pk__in=[row.pk for row in work]).update(booked_at=now)
    return len(work)


def _transfers(work: Assignment) -> list[Transfer]:
    batch = work.hit.batch
    fee = batch.prices.fee(assignments_per_hit=work.hit.max_assignments)
    return [
        Transfer(
            kind=kind,
            source=Book.RESERVED,
            target=target,
            amount=amount,
            study=batch.study,
            batch=batch,
            assignment=work,
        )
        for kind, target, amount in (
            (Kind.REWARD, Book.CONFIRMED, batch.reward),
            (Kind.REWARD_FEE, Book.FEES, fee),
        )
    ]
