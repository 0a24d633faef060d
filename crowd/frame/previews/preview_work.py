"""Work that exists for one request: a family finds the rows it knows, and all of them are rolled back."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _

from crowd.frame.frame_verdicts import store_proposal
from crowd.frame.previews.preview_tokens import AGAIN, Preview
from crowd.frame.visit_problems import UnverifiedVisit
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.access import visible
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.queries.items import items_of_batch
from hits.work.services.leasing import items_open_to

# A preview shows items, and after an answer what would be reviewed.
PERMISSIONS = ("hits.view_batch", "hits.view_assignment")
# Far more than any batch is looked through by hand.
MOST_SKIPPED = 10_000


@dataclass(frozen=True, kw_only=True)
class PreviewWork:
    preview: Preview
    assignment: Assignment
    items: Sequence[Item]

    @property
    def batch(self) -> Batch:
        return self.assignment.hit.batch


@contextmanager
def thrown_away() -> Iterator[None]:
    """Undo every write inside, also those that a family makes for a worker who begins or asks."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def find_batch(preview: Preview) -> Batch:
    """Return the batch, if the one who opened the preview may still look at it."""
    user = User.objects.filter(pk=preview.user_id, is_active=True).first()
    batches = Batch.objects.select_related("account", "study")
    if user and user.has_perms(PERMISSIONS):
        batch = visible(batches, user).filter(pk=preview.batch_id).first()
        if batch:
            return batch
    raise UnverifiedVisit(_("You may not look at this batch any more."), AGAIN)


def begin_work(preview: Preview, batch: Batch, *, now: datetime) -> PreviewWork:
    """Make the rows of a worker who is at work; the caller throws them away."""
    worker = Worker.objects.known(account=batch.account, external_id=f"PREVIEW{preview.key.hex}")
    hit = HIT.objects.create(batch=batch, public_id=preview.key)
    assignment = Assignment.objects.create(
        public_id=preview.key,
        account=batch.account,
        hit=hit,
        worker=worker,
        external_id=f"PREVIEW{preview.key.hex}",
        attempt=1,
        deadline_at=now + timedelta(seconds=batch.duration_s),
        opened_at=now,
    )
    items = _items_of(preview, batch, worker=worker)
    Lease.objects.bulk_create(
        Lease(item=item, assignment=assignment, worker=worker, author_id=item.author_id, leased_at=now)
        for item in items
    )
    for form in preview.proposals:
        store_proposal(QueryDict(form), assignment=assignment, now=now)
    return PreviewWork(preview=preview, assignment=assignment, items=items)


def shown_items(batch: Batch) -> QuerySet[Item]:
    """Items that the batch asks or has asked, withdrawn ones left out."""
    return items_of_batch(batch).filter(pulled_at=None).order_by("pk")


def _items_of(preview: Preview, batch: Batch, *, worker: Worker) -> list[Item]:
    """Items of the page: those of its token, or the next that a new worker would be asked."""
    if preview.items:
        found = shown_items(batch).in_bulk(list(preview.items))
        return [found[key] for key in preview.items if key in found]
    first, last = preview.skipped, preview.skipped + batch.items_per_assignment
    return list(items_open_to(batch=batch, worker_id=worker.pk)[first:last]) or list(
        shown_items(batch)[first:last]
    )
