"""Bonuses that the provider refused, made by the services that make them in production."""

from decimal import Decimal
from typing import Any

from django.db import transaction

from hits.batches.services.budgets import reserve
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.services import rewards
from hits.payments.services.bonus_states import move_bonus, owe
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from tests.factories import (
    NOW,
    approve,
    make_account,
    make_assignment,
    make_batch,
    make_hit,
    make_worker,
)
from tests.people import make_permitted

AMOUNT = Decimal("0.27")


def make_payer(study: Study) -> User:
    """Make a user who may settle bonuses of this study, and nothing else."""
    return make_permitted("settle_bonus", studies=[study])


def make_refused(
    study: Study, *, account: Account | None = None, worker: str = "", code: str = "AssignmentDoesNotExist"
) -> Bonus:
    """Make a bonus that was reserved, owed, approved by two people, sent and refused: its work is lost."""
    bonus = _make_approved(study, account=account or make_account(fee_schedule="amazon"), worker=worker)
    move_bonus(bonus, Bonus.Status.SENDING, now=NOW, sending_at=NOW)
    move_bonus(bonus, Bonus.Status.REFUSED, now=NOW, problem="It is gone.", refusal_code=code)
    return bonus


def _make_approved(study: Study, *, account: Account, worker: str) -> Bonus:
    batch = make_batch(
        study=study,
        account=account,
        status="open",
        terms={"bonus_rules": [], "fee_schedule": account.fee_schedule},
    )
    done: dict[str, Any] = {"status": "approved", "judged_at": NOW, "owed_at": NOW}
    work = make_assignment(
        hit=make_hit(batch=batch, max_assignments=1, status="closed"),
        worker=make_worker(account=account, external_id=worker),
        **done,
    )
    prices = batch.prices
    most = prices.place(assignments_per_hit=1) + AMOUNT + prices.fees.on_bonus(AMOUNT)
    bonus = Bonus(assignment=work, rule="tier", amount=AMOUNT, reason="Three of four.", owed_at=NOW)
    with transaction.atomic():
        reserve(batch=batch, amount=most, words="The work and its bonus", by=None, now=NOW)
        owe([bonus], by=None, now=NOW)
    rewards.book_rewards(now=NOW)
    approve([bonus])
    bonus.refresh_from_db()
    return bonus
