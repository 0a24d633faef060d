"""A bonus that no assignment can carry is paid by a HIT of its own: one place, for its worker alone.

Two people have approved the amount; the HIT pays it as its reward. While the HIT is out, the bonus is
COMPENSATING, a state in which no payment can be sent. `compensation_hits` follows the HIT to its end.
"""

from datetime import datetime
from decimal import Decimal

import structlog
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from hits.batches.services.batch_lifecycle import cancel_batch
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.blocks import Block
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.domain import bonus_refusals
from hits.payments.models.runs import Run
from hits.payments.queries.run_table import live_row
from hits.payments.services.bonus_states import move_bonus
from hits.payments.services.compensation_hits import next_compensation, send_compensations
from hits.studies.models import Batch
from hits.work.access import may_see
from hits.work.services.answers_needed import make_item

__all__ = ["TASK", "can_compensate", "next_compensation", "send_compensations", "start", "take_back"]
TASK = "compensation"
# Refusals where another request for the same assignment may not help. Others have another safe action.
SERVED = (bonus_refusals.WORK_GONE, bonus_refusals.TOO_EARLY)
MOST_REWARD = Decimal("9999.99")
LIFETIME_S = 30 * 86_400
DURATION_S = 86_400
# After this the provider approves by itself, in case this site is down.
AUTO_APPROVAL_S = 3600
PERMISSION = "hits.settle_bonus"
Status = Bonus.Status
log = structlog.get_logger()


def can_compensate(bonus: Bonus) -> bool:
    """Whether the row alone allows a HIT of its own, cheap enough for lists; `start` checks more."""
    return (
        bonus.status == Status.REFUSED
        and bonus.held_at is None
        and not bonus.before_runs
        and bonus.amount <= MOST_REWARD
        and bonus_refusals.explain(code=bonus.refusal_code, words=bonus.problem) in SERVED
    )


def start(*, bonus: Bonus, by: User, now: datetime) -> Batch:
    """Draft the batch of one HIT, which the next sweep sends. Raises RuleBroken, and then writes nothing."""
    _refuse_unless_allowed(bonus, by=by)
    with transaction.atomic():
        held = _lock(bonus)
        _check_start(held)
        batch = _draft(held, by=by)
        move_bonus(held, Status.COMPENSATING, now=now, by=by, since=[Status.REFUSED], compensation=batch)
        words = f"Pays {held.in_words} by a HIT of its own, after “{held.refusal_code}”."
        audit_trail.note("compensation.started", words, by=by, now=now, bonus=held, study=batch.study)
    bonus.refresh_from_db()
    log.info("compensation.started", bonus=str(bonus.public_id))
    return batch


def take_back(*, bonus: Bonus, by: User, now: datetime) -> None:
    """Cancel the HIT; the bonus is refused as before once no worker can take it. Raises RuleBroken."""
    _refuse_unless_allowed(bonus, by=by)
    bonus.refresh_from_db()
    batch = bonus.compensation
    if bonus.status != Status.COMPENSATING or batch is None:
        raise RuleBroken("not_compensating", "No HIT of its own is out for this bonus.")
    with transaction.atomic():
        cancel_batch(batch=batch, by=by, now=now)
        words = f"Takes back the HIT that pays {bonus.in_words}."
        audit_trail.note("compensation.taken_back", words, by=by, now=now, bonus=bonus, study=batch.study)


def _refuse_unless_allowed(bonus: Bonus, *, by: User) -> None:
    if not by.has_perm(PERMISSION):
        raise RuleBroken("not_allowed", "Your role does not include this. Ask the manager of the accounts.")
    if not may_see(bonus, by):
        raise RuleBroken("not_visible", "This bonus belongs to a study that you do not see.")


def _check_start(bonus: Bonus) -> None:
    if bonus.status != Status.REFUSED:
        state = bonus.get_status_display().lower()
        raise RuleBroken("not_refused", f"Somebody has acted on this bonus already: it is {state} by now.")
    if not can_compensate(bonus):
        advice = bonus_refusals.explain(code=bonus.refusal_code, words=bonus.problem).advice
        raise RuleBroken("other_action", f"A HIT of its own is not the way here. {advice}")
    row = live_row(bonus)
    if row is None or row.run_status != Run.Status.APPROVED or not row.is_as_frozen:
        raise RuleBroken(
            "changed", "This is no longer what two people approved. Take it back, and let them decide again."
        )
    if Block.objects.in_force().filter(worker=bonus.assignment.worker_id).exists():
        raise RuleBroken(
            "blocked", "The worker is blocked and could not take a HIT. Lift the block, then start again."
        )


def _draft(bonus: Bonus, *, by: User) -> Batch:
    """A draft batch in the worker's language. Its one item is leased when the HIT's only worker opens it."""
    original = bonus.assignment.hit.batch
    with translation.override(original.study.language):
        title = _("A bonus of %(amount)s is waiting for you") % {"amount": bonus.in_words}
        description = _(
            "We could not send you this bonus in the usual way, so you collect it here. "
            "Accept and submit: there is nothing else to do. What it is for: %(reason)s"
        ) % {"reason": bonus.reason}
    batch = Batch.objects.create(
        study=original.study,
        account=bonus.assignment.account,
        task=TASK,
        title=title,
        description=description,
        keywords="bonus",
        reward=bonus.amount,
        items_from=Batch.ItemsFrom.FILE,
        hits_wanted=1,
        assignments_per_hit=1,
        estimated_s=30,
        duration_s=DURATION_S,
        lifetime_s=LIFETIME_S,
        auto_approval_s=AUTO_APPROVAL_S,
        review_by=Batch.Review.AUTO,
        created_by=by,
    )
    make_item(study=batch.study, batch=batch, task=TASK, answers_needed=1)
    return batch


def _lock(bonus: Bonus) -> Bonus:
    rows = Bonus.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("assignment__account", "assignment__hit__batch__study").get(pk=bonus.pk)
