"""HITs that were launched at the stubbed provider, and the work of workers on them."""

from datetime import timedelta
from typing import Any

from hits.batches.services import launching, sending_hits
from hits.studies.models import Batch
from hits.sync.services import reconciling
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.services import leasing
from tests.factories import (
    NOW,
    make_assignment,
    make_association,
    make_batch,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.stubbed import StubbedTurk

DEADLINE = NOW + timedelta(minutes=15)


def post_batch(*, items: int = 1, **changes: Any) -> Batch:
    """Launch and send a batch with two places for each HIT; the first look at each HIT is due."""
    study = changes.pop("study", None) or make_study()
    for _ in range(items):
        make_association(study=study, chosen=2)
    batch = make_batch(**{"study": study, "assignments_per_hit": 2, **changes})
    launching.launch_batch(batch=batch, by=make_user(), now=NOW)
    sending_hits.send_launching_batches(now=NOW)
    HIT.objects.filter(batch=batch).update(look_at=NOW)
    batch.refresh_from_db()
    return batch


def post_hit(**changes: Any) -> HIT:
    return post_batch(**changes).hits.get()


def open_as(hit: HIT, *, assignment: str, worker: str) -> Assignment:
    opened = leasing.open_assignment(
        hit=hit,
        worker=make_worker(account=hit.batch.account, external_id=worker),
        external_id=assignment,
        accepted_at=NOW,
        deadline_at=DEADLINE,
        now=NOW,
    )
    leasing.lease_items(assignment=opened, now=NOW)
    return opened


def save_as(hit: HIT, *, assignment: str = "SAVED", worker: str = "ASAVES") -> Assignment:
    saved = open_as(hit, assignment=assignment, worker=worker)
    leasing.save_answer(assignment=saved, answer=right_answer(), now=NOW)
    return saved


def right_answer() -> dict[str, list[str]]:
    item = Item.objects.get()
    return {str(item.public_id): sorted(item.association.chosen_keys)}


def look_again(seconds: float = 0) -> None:
    """Reconcile so many seconds later, as if an event had made a look at each open HIT due."""
    now = NOW + timedelta(seconds=seconds)
    HIT.objects.filter(status=HIT.Status.OPEN).update(look_at=now)
    reconciling.reconcile(now=now)


def approved_work(turk: StubbedTurk) -> Assignment:
    """Make an assignment that is approved here and known to the provider."""
    hit = make_hit(external_id="HIT0")
    turk.hits["HIT0"] = {"HITId": "HIT0", "RequesterAnnotation": "", "MaxAssignments": 1, "expired": False}
    assignment, worker = turk.submit("HIT0", answer="x")
    return make_assignment(
        hit=hit,
        external_id=assignment,
        worker=make_worker(account=hit.batch.account, external_id=worker),
        status="approved",
    )
