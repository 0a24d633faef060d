"""Top-ups to a study's wage floor: proposed here, paid by a run that another person approves.

Lock order: the assignments, then the bonuses that are made, then their batch and its study.
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.utils import translation
from django.utils.translation import gettext as _

from hits.batches.queries.hourly_pay import TOP_UP, TopUp, top_ups_due
from hits.batches.services.budgets import reserve
from hits.common.currencies import in_money
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.services.bonus_states import owe
from hits.studies.models import Batch, Study
from hits.studies.services import mark_stale
from hits.work.models.assignments import Assignment

PROPOSE = "hits.prepare_run"
# Most top-ups in one transaction; more take several.
SLICE = 5000
CHANGED = "What is lacking has changed since you opened the page. Look at it again, then decide."
TWICE = "Somebody proposed top-ups at the same moment. Look again at what is lacking now."


def propose_top_ups(*, batch: Batch, seen: tuple[int, Decimal], by: User, now: datetime) -> list[Bonus]:
    """Owe what lifts each approved submission to the floor: all that was seen, or RuleBroken and nothing.

    `seen` is how many there were and what they came to. No submission is lifted to the same floor twice.
    """
    if not by.has_perm(PROPOSE):
        raise RuleBroken("not_allowed", "You may not propose top-ups. Ask somebody who prepares bonus runs.")
    with transaction.atomic():
        _lock(batch)
        due = top_ups_due(batch, most=SLICE)
        total = sum((top_up.amount for top_up in due), Decimal(0))
        if not due:
            raise RuleBroken("nothing_lacking", "No approved work is below the floor any more.")
        if seen != (len(due), total):
            raise RuleBroken("changed_meanwhile", CHANGED)
        return _owe(batch, due, total=total, by=by, now=now)


def _lock(batch: Batch) -> None:
    """Lock the batch's approved work: any other decision on it waits, or was waited for."""
    approved = Assignment.objects.filter(hit__batch=batch, status=Assignment.Status.APPROVED)
    list(approved.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))
    # The floor of this moment, whatever the caller had read.
    batch.study = Study.objects.get(pk=batch.study_id)


def _owe(batch: Batch, due: Sequence[TopUp], *, total: Decimal, by: User, now: datetime) -> list[Bonus]:
    floor = batch.study.wage_floor or Decimal(0)
    fees = sum((batch.prices.fees.on_bonus(top_up.amount) for top_up in due), Decimal(0))
    words = f"Top-ups of {len(due)} submissions to {in_money(floor, batch.currency)} an hour"
    # `by` is None: setting money aside spends none. Two people approve the run that pays it.
    reserve(batch=batch, amount=total + fees, words=words, by=None, now=now)
    with translation.override(batch.study.language):
        bonuses = [_bonus(top_up, floor=floor, by=by, now=now) for top_up in due]
    try:
        with transaction.atomic():
            owe(bonuses, by=by, now=now)
    except IntegrityError as error:
        raise RuleBroken("owed_meanwhile", TWICE) from error
    said = f"{words}: {in_money(total, batch.currency)}, of batch {batch.public_id}."
    note("wages.topped_up", said, by=by, now=now, study=batch.study, account=batch.account)
    mark_stale(batch.pk)
    return bonuses


def _bonus(top_up: TopUp, *, floor: Decimal, by: User, now: datetime) -> Bonus:
    each = in_money(floor, top_up.assignment.hit.batch.currency)
    return Bonus(
        assignment=top_up.assignment,
        rule=TOP_UP,
        revision=top_up.revision,
        why=f"Proposed by {by.get_username()[:150]}: below the study's floor of {each} an hour.",
        figures={
            "kind": TOP_UP,
            "hourly": str(floor),
            "floor_cents": int(floor * 100),
            "seconds": top_up.seconds,
            "is_active_time": top_up.is_active_time,
            "earned": str(top_up.earned),
            "amount": str(top_up.amount),
        },
        amount=top_up.amount,
        reason=reason_of(top_up, floor=floor),
        owed_at=now,
    )


def reason_of(top_up: TopUp, *, floor: Decimal) -> str:
    """The reason that the worker reads, in the study's language."""
    words = (
        _("Your work took %(time)s of active time; this lifts your pay to %(floor)s an hour.")
        if top_up.is_active_time
        else _(
            "Your work took %(time)s from accepting to submitting; this lifts your pay to %(floor)s an hour."
        )
    )
    currency = top_up.assignment.hit.batch.currency
    return words % {"time": _time(top_up.seconds), "floor": in_money(floor, currency)}


def _time(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    if not minutes:
        return _("%(s)d s") % {"s": rest}
    return _("%(min)d min %(s)d s") % {"min": minutes, "s": rest}
