"""What a person can do about a bonus that the provider refused: one safe action for each kind of refusal."""

from datetime import datetime

from django.db import transaction

from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.domain.bonus_refusals import Refusal, Remedy, explain
from hits.payments.models.runs import RunRow
from hits.payments.services.bonus_states import move_bonus

Status = Bonus.Status


def refusal_of(bonus: Bonus) -> Refusal:
    return explain(code=bonus.refusal_code, words=bonus.problem)


def send_again(*, bonus: Bonus, by: User, now: datetime) -> None:
    """Send again under the same approval and token; the payer reads the list first. Raises RuleBroken."""
    _refuse_unless(by, bonus, Remedy.SEND_AGAIN, Remedy.DEPOSIT)
    with transaction.atomic():
        if not move_bonus(
            bonus, Status.APPROVED, now=now, by=by, since=[Status.REFUSED], look_at=None, looks=0
        ):
            raise _moved_on(bonus)
        audit_trail.note(
            "bonus.sent_again",
            f"Sends {bonus.in_words} again under the same approval, after “{bonus.refusal_code}”.",
            by=by,
            now=now,
            bonus=bonus,
        )


def decide_anew(*, bonus: Bonus, by: User, now: datetime) -> None:
    """Make the bonus owed again: it needs another run and two people. Raises RuleBroken."""
    _refuse_unless(by, bonus, Remedy.DECIDE_ANEW, Remedy.PAY_BY_HIT)
    with transaction.atomic():
        if not move_bonus(bonus, Status.OWED, now=now, by=by, since=[Status.REFUSED]):
            raise _moved_on(bonus)
        RunRow.objects.filter(bonus=bonus, is_live=True).update(is_live=False)
        audit_trail.note(
            "bonus.decided_anew",
            f"{bonus.in_words} is owed again and needs another run, after “{bonus.refusal_code}”.",
            by=by,
            now=now,
            bonus=bonus,
        )


def _refuse_unless(by: User, bonus: Bonus, *remedies: Remedy) -> None:
    if not by.has_perm("hits.settle_bonus"):
        raise RuleBroken("not_allowed", "Your role does not include this. Ask the manager of the accounts.")
    if bonus.status == Status.REFUSED and refusal_of(bonus).remedy not in remedies:
        raise RuleBroken("other_action", f"That does not help here. {refusal_of(bonus).advice}")


def _moved_on(bonus: Bonus) -> RuleBroken:
    return RuleBroken("not_refused", f"{bonus.in_words}: somebody has acted on this bonus already.")
