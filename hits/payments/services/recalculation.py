"""Scores have changed: what they add to a batch's work is shown first, then owed as it was seen.

Less changes nothing. Lock order: the assignments, then what hits.payments.services.accrual locks.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet

from hits.common.currencies import in_money
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import accrual
from hits.studies.models import Batch
from hits.work.access import may_see
from hits.work.models.assignments import Assignment

OWE = "hits.prepare_run"
# Most works in one look, and so in one transaction. More take several.
MOST = 1000
CHANGED = "What the scores add has changed since you opened the page. Look again, then decide."


@dataclass(frozen=True, kw_only=True)
class Look:
    """What so many works lack, unsaved. Where others follow, `last` is the key of the last work looked at."""

    bonuses: list[Bonus]
    works: int
    last: int | None


def look_at(*, batch: Batch, work: int | None = None, after: int = 0, now: datetime) -> Look:
    """Compare the first MOST works after this key; with `work`, that one alone."""
    held = list(_read(batch, work).filter(pk__gt=after)[: MOST + 1])
    looked = held[:MOST]
    return Look(
        bonuses=accrual.lacking(looked, now=now),
        works=len(looked),
        last=looked[-1].pk if len(held) > MOST else None,
    )


def owe_lacking(
    *,
    batch: Batch,
    seen: tuple[int, Decimal],
    why: str,
    by: User,
    now: datetime,
    work: int | None = None,
    after: int = 0,
) -> list[Bonus]:
    """Owe all of what was seen (how many, and what they came to), or raise RuleBroken and owe nothing."""
    if not by.has_perm(OWE) or not may_see(batch, by):
        raise RuleBroken("not_allowed", "You may not do this. Ask somebody who prepares bonus runs.")
    accrual.check_why(why)
    with transaction.atomic():
        look = look_at(batch=batch, work=work, after=after, now=now)
        lacks = {bonus.assignment_id for bonus in look.bonuses}
        held = list(_read(batch, work).filter(pk__in=lacks).select_for_update(of=("self",), no_key=True))
        made = accrual.lacking(held, why=why, now=now)
        if not made:
            raise RuleBroken("nothing_lacking", "Today's scores add nothing to what is owed now.")
        total = total_of(made)
        if seen != (len(made), total):
            raise RuleBroken("changed_meanwhile", CHANGED)
        accrual.set_aside_and_owe(batch, made, by=by, now=now)
        more = f"{in_money(total, batch.currency)} more ({len(made)})"
        words = f"Owed {more} in batch {batch.public_id}, by today's scores: {why}"
        audit_trail.note("bonus.owed_again", words, by=by, now=now, study=batch.study, account=batch.account)
    return made


def total_of(bonuses: list[Bonus]) -> Decimal:
    return sum((bonus.amount for bonus in bonuses), Decimal(0))


def _read(batch: Batch, work: int | None) -> QuerySet[Assignment]:
    """Approved work whose table has been read. Before that, the sweep owes what it earns."""
    rows = Assignment.objects.filter(
        hit__batch=batch, status=Assignment.Status.APPROVED, owed_at__isnull=False
    )
    rows = rows if work is None else rows.filter(pk=work)
    related = ("hit__batch__study", "hit__batch__account", "worker")
    return rows.select_related(*related).defer("answer", "worker__external_id").order_by("pk")
