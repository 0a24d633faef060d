"""Steps that every change of a batch shares: lock its row, write its intents, keep its history."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from hits.batches.models import BatchEvent
from hits.identity.models.users import User
from hits.studies.models import Batch
from hits.studies.services import mark_stale
from hits.work.models.hits import HIT

CHUNK = 500


def lock_batch(batch_id: int) -> Batch:
    """Return the batch's current row, locked until the end of the caller's transaction."""
    rows = Batch.objects.select_related("account", "study")
    return rows.select_for_update(of=("self",)).get(pk=batch_id)


def write_intents(batch: Batch, *, numbers: range) -> None:
    """Write the HITs to send, in slices: a batch of any size is written in little memory."""
    intents = _intents(batch, numbers)
    while chunk := list(islice(intents, CHUNK)):
        HIT.objects.bulk_create(chunk)
    mark_stale(batch.pk)


def _intents(batch: Batch, numbers: range) -> Iterator[HIT]:
    """The HITs of these tasks. Where a batch is one study, one HIT has the places of all of them.

    A pilot is a study of its own, as it goes out before the rest.
    """
    if batch.account.can.many_hits:
        for number in numbers:
            for size in batch.sizes:
                yield HIT(batch=batch, number=number, max_assignments=size)
        return
    pilot = range(numbers.start, min(numbers.stop, batch.pilot_hits + 1))
    for part in (pilot, range(max(numbers.start, pilot.stop), numbers.stop)):
        if part:
            yield HIT(batch=batch, number=part[-1], max_assignments=sum(batch.sizes) * len(part))


def tell(batch: Batch, kind: str, words: str, *, by: User | None, now: datetime) -> None:
    BatchEvent.objects.create(batch=batch, kind=kind, words=words[:500], by=by, at=now)
