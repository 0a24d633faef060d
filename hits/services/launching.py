"""From a draft to HITs at the provider. Intents first, in one transaction; sending survives any crash."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import reverse

from hits import families
from hits.errors import ProviderRefused, ProviderUnavailable, RuleBroken
from hits.gateway import HITSpec, Provider, ProviderHIT, provider_for
from hits.models import HIT, Batch, User
from hits.states import move

# Two senders of one intent make one HIT, by its token; the claim only saves the second request.
CLAIM = timedelta(seconds=20)
# A little less than the day for which providers remember a token.
TOKEN_MEMORY = timedelta(hours=23)
Status = Batch.Status
log = structlog.get_logger()


def launch_batch(*, batch: Batch, by: User, now: datetime) -> None:
    """Writes one intent for each HIT, or resumes a pause. Raises RuleBroken, and then nothing is written."""
    wanted = families.get(batch.task).answers_wanted(study=batch.study)
    if not wanted:
        raise RuleBroken("nothing_wanted", "The study has no items that still want answers.")
    with transaction.atomic():
        first = {} if batch.launched_at else {"launched_at": now, "launched_by": by}
        if not move(batch, Status.LAUNCHING, problem="", **first):
            raise RuleBroken("already_launched", "This batch has been launched already.")
        if not batch.hits.exists():
            HIT.objects.bulk_create(HIT(batch=batch) for _ in range(batch.hits_wanted))
    log.info("batch.launched", batch=str(batch.public_id), hits=batch.hits_wanted)


def send_launching_batches(*, now: datetime) -> int:
    """Sends every unsent intent of every launching batch, and opens the batches that are through."""
    sent = 0
    for batch in Batch.objects.filter(status=Status.LAUNCHING).select_related("account"):
        try:
            provider = provider_for(batch.account)
        except ProviderRefused as refusal:
            move(batch, Status.PAUSED, problem=str(refusal))
            continue
        sent += send_intents(batch=batch, provider=provider, now=now)
        if not batch.hits.filter(status=HIT.Status.INTENDED).exists():
            move(batch, Status.OPEN)
    return sent


def send_intents(*, batch: Batch, provider: Provider, now: datetime) -> int:
    """Resumes at the first unsent intent. An unclear outcome leaves the intent: the same token asks again."""
    sent = 0
    for hit in _claimable(batch, now=now):
        try:
            created = _create(hit, batch=batch, provider=provider, now=now)
        except ProviderRefused as refusal:
            pause = Status.PAUSED_FUNDS if refusal.out_of_funds else Status.PAUSED
            move(batch, pause, problem=str(refusal))
            _unclaim(hit)
            log.warning("batch.paused", batch=str(batch.public_id), code=refusal.code)
            break
        except ProviderUnavailable:
            _unclaim(hit)
            log.warning("hit.send_unclear", hit=str(hit.public_id))
            break
        move(hit, HIT.Status.OPEN, external_id=created.external_id, sent_at=now)
        sent += 1
    return sent


def _create(hit: HIT, *, batch: Batch, provider: Provider, now: datetime) -> ProviderHIT:
    """After a day the token protects no more, so an intent asked about before is looked for first."""
    spec = spec_of(hit, batch=batch)
    if hit.asked_at is None:
        HIT.objects.filter(pk=hit.pk).update(asked_at=now)
    elif now - hit.asked_at > TOKEN_MEMORY:
        made = (found for found in provider.list_hits() if found.annotation == spec.annotation)
        if adopted := next(made, None):
            return adopted
    return provider.create_hit(spec, token=hit.token)


def spec_of(hit: HIT, *, batch: Batch) -> HITSpec:
    return HITSpec(
        title=batch.title,
        description=batch.description,
        keywords=batch.keywords,
        reward=batch.reward,
        question_url=settings.PUBLIC_URL + reverse("frame:question", args=[hit.public_id]),
        max_assignments=batch.assignments_per_hit,
        duration_s=batch.duration_s,
        lifetime_s=batch.lifetime_s,
        auto_approval_s=batch.auto_approval_s,
        annotation=f"crowd:{hit.public_id}",
        requirements=batch.requirements,
    )


def _claimable(batch: Batch, *, now: datetime) -> Iterator[HIT]:
    """Intents in order, each claimed just before it is sent; another sender skips it for a while."""
    while True:
        free = Q(claimed_at=None) | Q(claimed_at__lt=now - CLAIM)
        unsent = HIT.objects.filter(free, batch=batch, status=HIT.Status.INTENDED)
        hit = unsent.order_by("pk").first()
        if hit is None:
            return
        if unsent.filter(pk=hit.pk).update(claimed_at=now):
            yield hit


def _unclaim(hit: HIT) -> None:
    HIT.objects.filter(pk=hit.pk, status=HIT.Status.INTENDED).update(claimed_at=None)
