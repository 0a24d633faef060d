"""Money that moves through the services, as in production, so that the ledger has every step."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction

from hits.batches.services.budgets import reserve
from hits.ledger.models.bonuses import Bonus
from hits.ledger.services import rewards
from hits.payments.services.bonus_states import move_bonus, owe
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from tests.factories import NOW, approve, make_account, make_assignment, make_batch, make_hit, make_study

Status = Bonus.Status


def open_batch(
    *, study: Study | None = None, aside: str = "100", now: datetime = NOW, **changes: Any
) -> Batch:
    """Make an open batch with Amazon's fees and money set aside."""
    terms = {"bonus_rules": [], "fee_schedule": "amazon"}
    study = study or make_study()
    account = changes.pop("account", None) or make_account(fee_schedule="amazon", currency=study.currency)
    values = {"study": study, "reward": Decimal(1), "terms": terms, **changes}
    batch = make_batch(status="open", account=account, **values)
    with transaction.atomic():
        reserve(batch=batch, amount=Decimal(aside), words="Launch", by=None, now=now)
    return batch


def owed_bonus(batch: Batch, *, amount: str = "0.27", now: datetime = NOW, **changes: Any) -> Bonus:
    """Make a bonus that is owed for approved work, whose reward is not booked yet."""
    work: Assignment = make_assignment(hit=make_hit(batch=batch), status="approved", owed_at=now)
    values = {"rule": "all right", "reason": "All right.", **changes}
    bonus = Bonus(assignment=work, amount=Decimal(amount), owed_at=now, **values)
    owe([bonus], by=None, now=now)
    return bonus


def paid_bonus(batch: Batch, *, now: datetime = NOW, **changes: Any) -> Bonus:
    """Make a bonus that two people approved, sent and confirmed; the reward is booked too."""
    bonus = owed_bonus(batch, now=now, **changes)
    approve([bonus], now=now)
    bonus.refresh_from_db()
    move_bonus(bonus, Status.SENDING, now=now, sending_at=now)
    move_bonus(bonus, Status.SENT, now=now, sent_at=now)
    move_bonus(bonus, Status.CONFIRMED, now=now, confirmed_at=now)
    rewards.book_rewards(now=now)
    return bonus
