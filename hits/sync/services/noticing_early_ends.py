"""HITs with free places that ended at the provider before their time, and not from here.

Whoever runs the marketplace may take a HIT down, and so may another program with the account's keys. The look
at the HIT finds it, and asks once for what the operator wrote of it. The batch's history says it some moments
later, once for all that were found meanwhile.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import Count, Q
from django.utils.text import Truncator

from hits import families
from hits.batches.services.batch_rows import lock_batch, tell
from hits.core import audit_trail
from hits.core.errors import ProviderError
from hits.providers.gateway.interface import Provider, ProviderHIT
from hits.providers.services.usable_accounts import earliest
from hits.studies.services import mark_stale
from hits.sync.services.lost_changes import ALIKE
from hits.work.models.assignments import Assignment
from hits.work.models.early_ends import LONGEST_REASON, EarlyEnd
from hits.work.models.hits import HIT, Change

# Kind of the row in a batch's history.
ENDED_EARLY = "ended_early"
# HITs that are found within this are told of together.
TOGETHER = timedelta(seconds=20)
# So much of a reason stands in the batch's history.
SHOWN_OF_REASON = 250
log = structlog.get_logger()


def keep_early_end(*, hit: HIT, found: ProviderHIT, provider: Provider, now: datetime) -> None:
    """Take over an end that came before its time. Clocks that differ, and ends from here, are none."""
    ended_at, due_at = found.expires_at, hit.expires_at
    if ended_at is None or due_at is None or ended_at > min(now, due_at - ALIKE):
        return
    if hit.batch.task in families.of_the_house() or _is_ended_from_here(hit):
        return
    with transaction.atomic():
        row = HIT.objects.select_for_update(no_key=True).get(pk=hit.pk)
        free = row.max_assignments - _taken(hit, found)
        is_full = row.max_assignments <= hit.assignments.exclude(submitted_at=None).count()
        if row.expires_at != due_at or is_full or _is_ended_from_here(hit):
            return
        HIT.objects.filter(pk=hit.pk).update(expires_at=ended_at)
        terms = {"due_at": due_at, "free_places": free, "found_at": now}
        end, is_new = EarlyEnd.objects.get_or_create(hit=hit, ended_at=ended_at, defaults=terms)
        mark_stale(hit.batch_id)
    hit.expires_at = ended_at
    log.warning("hit.ended_early", hit=str(hit.public_id), free=free)
    if is_new:
        _ask_why(end, hit=hit, provider=provider)


def _ask_why(end: EarlyEnd, *, hit: HIT, provider: Provider) -> None:
    """Ask once for what the operator wrote. Other providers know nothing of it, and the look goes on."""
    try:
        reason = provider.get_end_reason(hit.external_id)
    except ProviderError as error:
        log.info("hit.end_reason_unknown", hit=str(hit.public_id), error=str(error))
    else:
        EarlyEnd.objects.filter(pk=end.pk).update(reason=reason[:LONGEST_REASON])


def note_early_ends(*, now: datetime) -> int:
    """Write what was found into the history of each batch, and into the audit trail."""
    found = EarlyEnd.objects.filter(noted_at=None)
    if not found.filter(found_at__lte=now - TOGETHER).exists():
        return 0
    return sum(
        _note_batch(batch, now=now) for batch in sorted(set(found.values_list("hit__batch", flat=True)))
    )


def next_note(*, now: datetime) -> datetime | None:
    """Return when what was found is next to be told."""
    return earliest(EarlyEnd.objects.filter(noted_at=None), "found_at", after=TOGETHER)


def _is_ended_from_here(hit: HIT) -> bool:
    """Whether the last end that we asked for is that nobody starts any more, told or about to be."""
    ends = hit.changes.exclude(kind=Change.Kind.ADD).exclude(status=Change.Status.REFUSED)
    last = ends.order_by("-pk").values_list("kind", flat=True).first()
    return last == Change.Kind.EXPIRE


def _taken(hit: HIT, found: ProviderHIT) -> int:
    """Count the places that somebody has. Once a HIT is over, only handed in work has one."""
    given_back = Q(submitted_at=None) if found.is_over else Q(status=Assignment.Status.GONE)
    return hit.assignments.exclude(given_back).count()


def _note_batch(batch_id: int, *, now: datetime) -> bool:
    """Note the ends of one batch. The lock of the batch leaves a second run nothing to write."""
    with transaction.atomic():
        batch = lock_batch(batch_id)
        found = EarlyEnd.objects.filter(noted_at=None, hit__batch=batch_id)
        keys = list(found.values_list("pk", flat=True))
        count = EarlyEnd.objects.filter(pk__in=keys).aggregate(n=Count("hit", distinct=True))["n"]
        if not count:
            return False
        words = words_of_early_ends(count, EarlyEnd.objects.filter(pk__in=keys).reasons(most=1))
        tell(batch, ENDED_EARLY, words, by=None, now=now)
        about = {"study": batch.study, "account": batch.account}
        audit_trail.note("hit.ended_early", f"“{batch.title}”: {words}", by=None, now=now, **about)
        EarlyEnd.objects.filter(pk__in=keys).update(noted_at=now)
    return True


def words_of_early_ends(count: int, reasons: Sequence[str] = ()) -> str:
    """Say that so many HITs were ended, why if the operator wrote it, and what to do."""
    if count == 1:
        ended, them, others = "One HIT was ended at the marketplace before its time", "it", "another"
    else:
        ended = f"{count} HITs were ended at the marketplace before their time"
        them, others = "them", "others"
    said = f"{ended}, and not from here; workers can no longer take {them}."
    if not reasons:
        return f"{said} Ask those who run it why, or send {others}."
    # The history cuts long rows, and each HIT's page has all of it.
    short = Truncator(reasons[0]).chars(SHOWN_OF_REASON)
    return f"{said} {operator_writes([short])} Ask them, or send {others}."


def operator_writes(reasons: Sequence[str]) -> str:
    """Quote what the operator wrote, which may be a sentence with an end of its own."""
    quoted = "; ".join(f"“{one}”" for one in reasons)
    return f"The marketplace's operator writes: {quoted}{'' if reasons[-1][-1:] in '.!?…' else '.'}"
