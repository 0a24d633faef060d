"""The HITs that pay a bonus: sent by a sweep, and followed until the bonus is confirmed or refused again.

The provider is asked first, for the worker's qualification, and then the batch is launched like any other.
Lock order: account, bonus, the older batch, the younger, study.
"""

from datetime import datetime, timedelta
from typing import Any

import structlog
from cryptography.fernet import InvalidToken
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import translation
from django.utils.translation import gettext as _

from hits.batches.queries.tally import TAKEN
from hits.batches.services.batch_rows import lock_batch
from hits.batches.services.budgets import settle
from hits.batches.services.launching import launch_batch
from hits.core import audit_trail
from hits.core.errors import ProviderError, ProviderRefused, ProviderUnavailable, RuleBroken
from hits.core.states import move
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import kill_switch, payment_lists
from hits.payments.services.bonus_states import move_bonus
from hits.providers.gateway.interface import Provider
from hits.providers.services.usable_accounts import can_be_used, earliest, usable
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.services.leasing import UNSETTLED

# A HIT that the provider lost might show up again for this long after its end.
LOST_FOR = timedelta(days=2)
# The most HITs of each account that one sweep sends.
SLICE = 100
LAPSED = (
    "The HIT for this bonus is over, and the worker did not take it. "
    "Write to the worker and start another one, or let two people decide again."
)
LISTED = (
    "The provider's list of payments names this bonus by now. "
    "Send it again: the list is read first, and the payment is found there."
)
Status = Bonus.Status
log = structlog.get_logger()


def send_compensations(*, now: datetime) -> int:
    """Settle what is over, then send drafts: if it is killed anywhere, the next sweep goes on."""
    done = settle_compensations(now=now)
    drafts = _drafts()
    for account, provider in usable(drafts.values("assignment__account")):
        if not kill_switch.is_halted(account.pk):
            done += _send_turn(drafts.filter(assignment__account=account), provider, now=now)
    return done


def next_compensation(*, now: datetime) -> datetime | None:
    """When a HIT of its own can be sent, or a HIT that the provider lost counts as gone."""
    lost = HIT.objects.filter(_is_lost(now), batch__compensates__status=Status.COMPENSATING)
    return now if _any_sendable() else earliest(lost, "expires_at", after=LOST_FOR)


def settle_compensations(*, now: datetime) -> int:
    """Confirm bonuses whose worker's own work is approved; refuse those whose HIT can get no more work."""
    own = _work().filter(worker=OuterRef("assignment__worker"))
    paid = _compensating().filter(Exists(own.filter(status=Assignment.Status.APPROVED)))
    done = sum(_confirm(bonus, now=now) for bonus in paid)
    # A rejected submission keeps the bonus waiting: a rejection can be reversed, and would then pay it twice.
    over = ~Exists(_live_hits(now)) & ~Exists(own.filter(status__in=(*TAKEN, *UNSETTLED)))
    lapsed = _compensating().filter(over).exclude(compensation__status=Batch.Status.DRAFT)
    return done + sum(_return(bonus, LAPSED, now=now, is_over=True) for bonus in lapsed)


def _send_turn(drafts: QuerySet[Bonus], provider: Provider, *, now: datetime) -> int:
    sent = 0
    for bonus in drafts[:SLICE]:
        try:
            sent += _send(bonus, provider, now=now)
        except ProviderUnavailable as error:
            log.warning("compensation.waits", bonus=str(bonus.public_id), error=str(error))
            break
        except InvalidToken:  # this one waits for its key; the others do not wait for it
            log.warning("bonus.worker_id_sealed", bonus=str(bonus.public_id))
        except (ProviderError, RuleBroken) as refusal:
            sent += _return(bonus, _in_our_words(bonus, refusal), now=now)
    return sent


def _send(bonus: Bonus, provider: Provider, *, now: datetime) -> bool:
    """Send one bonus's HIT. Raises ProviderError, or RuleBroken if no money is left."""
    batch = _batch_of(bonus)
    if _is_listed(bonus, provider):
        return _return(bonus, LISTED, now=now)
    if not batch.requirements:
        required = [_qualify(bonus, provider)]
        Batch.objects.filter(pk=batch.pk, status=Batch.Status.DRAFT).update(requirements=required)
    return _launch(bonus, batch, now=now)


def _is_listed(bonus: Bonus, provider: Provider) -> bool:
    """Whether a late list shows the payment by now. A HIT that is gone has no list."""
    try:
        listed = payment_lists.read_list(bonus.assignment, provider)
    except ProviderRefused:
        return False
    return payment_lists.find(bonus, listed) != payment_lists.ListFinding.NOT_LISTED


def _qualify(bonus: Bonus, provider: Provider) -> dict[str, Any]:
    """Make the qualification that only this worker holds; made once, for its name has the bonus's token."""
    worker = bonus.assignment.worker.external_id
    with translation.override(bonus.assignment.hit.batch.study.language):
        name = _("A bonus to collect") + f" [{bonus.token}]"
        description = _("Whoever holds it can take the HIT that pays this bonus.")
    qualification = provider.create_qualification(name=name, description=description)
    provider.grant_qualification(qualification, worker_external_id=worker)
    return {
        "QualificationTypeId": qualification,
        "Comparator": "EqualTo",
        "IntegerValues": [1],
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    }


def _launch(bonus: Bonus, batch: Batch, *, now: datetime) -> bool:
    """Free the bonus's reservation and launch the HIT, which reserves it again, in one transaction."""
    with transaction.atomic():
        if not kill_switch.may_start(bonus.assignment.account_id) or not _still_waits(bonus, batch):
            return False
        original = lock_batch(bonus.assignment.hit.batch_id)
        if lock_batch(batch.pk).status != Batch.Status.DRAFT:
            return False
        settle(batch=original, now=now)
        launch_batch(batch=batch, by=None, now=now)
    return True


def _confirm(bonus: Bonus, *, now: datetime) -> bool:
    """Mark the bonus as paid. Its reward is booked separately, like that of any work."""
    paid = {"sent_at": now, "confirmed_at": now, "problem": ""}
    with transaction.atomic():
        if not _move(bonus, Status.CONFIRMED, now=now, **paid):
            return False
        words = f"Paid {bonus.in_words} by a HIT of its own."
        audit_trail.note("compensation.paid", words, by=None, now=now, bonus=bonus)
    log.info("compensation.paid", bonus=str(bonus.public_id))
    return True


def _return(bonus: Bonus, words: str, *, now: datetime, is_over: bool = False) -> bool:
    """Refuse the bonus as before, still approved. False, and no change, if another process was faster."""
    batch = _batch_of(bonus)
    with transaction.atomic():
        if not _still_waits(bonus, batch):
            return False
        lock_batch(bonus.assignment.hit.batch_id)
        draft = [Batch.Status.DRAFT]
        if not is_over and not move(batch, Batch.Status.CANCELLED, since=draft, cancelled_at=now):
            return False  # it was launched meanwhile and continues
        _move(bonus, Status.REFUSED, now=now, compensation=None, problem=words)
        audit_trail.note("compensation.returned", words, by=None, now=now, bonus=bonus)
    log.info("compensation.returned", bonus=str(bonus.public_id))
    return True


def _move(bonus: Bonus, to: str, *, now: datetime, **changes: Any) -> bool:
    """Move the bonus only while it is about this batch: another batch may have been started since."""
    return move_bonus(
        bonus,
        to,
        now=now,
        since=[Status.COMPENSATING],
        where={"compensation": bonus.compensation_id},
        **changes,
    )


def _still_waits(bonus: Bonus, batch: Batch) -> bool:
    """Lock the bonus and check that it still waits: of two sweeps, only one goes on."""
    rows = Bonus.objects.select_for_update(of=("self",), no_key=True)
    return rows.filter(pk=bonus.pk, status=Status.COMPENSATING, compensation=batch).exists()


def _compensating() -> QuerySet[Bonus]:
    rows = Bonus.objects.filter(status=Status.COMPENSATING).order_by("pk")
    return rows.select_related("compensation", "assignment__worker", "assignment__hit__batch__study")


def _drafts() -> QuerySet[Bonus]:
    return _compensating().filter(compensation__status=Batch.Status.DRAFT, held_at=None)


def _any_sendable() -> bool:
    """Whether a draft can be sent: halted accounts and missing keys wait for a person."""
    halted = Exists(kill_switch.halts_of(OuterRef("assignment__account")))
    drafts = _drafts().filter(~halted).select_related("assignment__account")
    return any(can_be_used(bonus.assignment.account) and _can_be_named(bonus) for bonus in drafts)


def _can_be_named(bonus: Bonus) -> bool:
    try:
        return bool(bonus.assignment.worker.external_id)
    except InvalidToken:
        return False


def _work() -> QuerySet[Assignment]:
    return Assignment.objects.filter(hit__batch=OuterRef("compensation"))


def _live_hits(now: datetime) -> QuerySet[HIT]:
    """HITs on which the worker may still start or submit, or that may show up again."""
    is_live = Q(status__in=(HIT.Status.INTENDED, HIT.Status.OPEN)) | Q(time_left__isnull=False)
    return HIT.objects.filter(is_live | _is_lost(now), batch=OuterRef("compensation"))


def _is_lost(now: datetime) -> Q:
    """HITs that the provider lost and that might show up again."""
    return ~Q(problem="") & ~Q(expires_at__lte=now - LOST_FOR)


def _batch_of(bonus: Bonus) -> Batch:
    assert bonus.compensation is not None  # noqa: S101 - every COMPENSATING bonus has one
    return bonus.compensation


def _in_our_words(bonus: Bonus, refusal: Exception) -> str:
    worker = bonus.assignment.worker
    words = str(refusal).replace(worker.external_id, worker.pseudonym)
    return f"The HIT of its own could not be sent. {words}"
