"""HITs that hold nothing are closed to new workers, opened again when something is asked, and end at last."""

from datetime import timedelta

import pytest

from hits.batches.services import hit_changes, top_up
from hits.batches.services.hit_changes import SPARE
from hits.studies.models import Batch
from hits.work.models.hits import HIT, Change
from hits.work.models.items import Item
from tests.factories import NOW, make_account, make_assignment, make_association, make_batch, make_hit
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
LATER = NOW + timedelta(hours=1)


@pytest.fixture
def item() -> Item:
    return make_association().item


@pytest.fixture
def batch(item: Item) -> Batch:
    return make_batch(study=item.study, status="open")


def open_hits(turk: StubbedTurk, batch: Batch, *, count: int, places: int = 1) -> list[HIT]:
    """Make HITs here and at the provider."""
    hits = [make_hit(batch=batch, max_assignments=places, expires_at=NOW + DAY) for _ in range(count)]
    for hit in hits:
        turk.hits[hit.external_id] = {"HITId": hit.external_id, "Expiration": NOW + DAY, "expired": False}
    return hits


def want(item: Item, answers: int) -> None:
    Item.objects.filter(pk=item.pk).update(wanted=answers)


def look() -> None:
    """Run the sweep; the reconciler closes what has expired and nobody works on."""
    hit_changes.send_changes(now=LATER, clock=lambda: LATER)
    over = HIT.objects.filter(status=HIT.Status.OPEN, expires_at__lte=LATER)
    over.exclude(assignments__status="opened").update(status=HIT.Status.CLOSED)


def changes() -> list[str]:
    return list(Change.objects.order_by("pk").values_list("kind", flat=True))


def startable(batch: Batch) -> int:
    return batch.hits.filter(status=HIT.Status.OPEN, expires_at__gt=LATER).count()


def test_hits_without_an_item_are_closed_and_keep_their_time(
    turk: StubbedTurk, batch: Batch, item: Item
) -> None:
    hits = open_hits(turk, batch, count=2)
    make_assignment(hit=hits[0], status="submitted")
    want(item, 0)

    look()
    look()

    hits[1].refresh_from_db()
    assert changes() == ["expire"]
    assert (hits[1].status, hits[1].time_left) == (HIT.Status.CLOSED, DAY - timedelta(hours=1))
    assert turk.hits[hits[1].external_id]["expired"]


def test_hits_stay_open_while_anything_is_asked(turk: StubbedTurk, batch: Batch, item: Item) -> None:
    open_hits(turk, batch, count=3)
    want(item, 1)

    look()

    assert (changes(), startable(batch)) == ([], 3)


def test_what_is_asked_again_opens_as_many_as_it_needs_and_some_to_spare(
    turk: StubbedTurk, batch: Batch, item: Item
) -> None:
    open_hits(turk, batch, count=SPARE + 5)
    make_assignment(hit=batch.hits.first(), status="submitted")
    want(item, 0)
    look()
    want(item, 2)

    look()
    look()

    taken = 1  # whose place is taken was never closed
    assert startable(batch) == taken + 2 + SPARE
    assert not batch.hits.filter(status=HIT.Status.OPEN, time_left__isnull=False).exists()


def test_closed_hits_that_can_open_again_are_places_and_no_more_are_added(
    turk: StubbedTurk, batch: Batch, item: Item
) -> None:
    open_hits(turk, batch, count=2)
    make_assignment(hit=batch.hits.first(), status="submitted")
    want(item, 0)
    look()
    want(item, 1)

    assert top_up.hits_lacking(batch) == 0


def test_idle_batch_is_complete_once_its_work_is_decided_on(
    turk: StubbedTurk, batch: Batch, item: Item
) -> None:
    hits = open_hits(turk, batch, count=2)
    work = make_assignment(hit=hits[0], status="submitted")
    HIT.objects.filter(pk=hits[0].pk).update(status=HIT.Status.CLOSED)
    want(item, 0)
    look()
    look()
    batch.refresh_from_db()
    assert batch.status == Batch.Status.OPEN  # a rejection would ask again

    type(work).objects.update(status="approved")
    look()

    batch.refresh_from_db()
    assert batch.status == Batch.Status.COMPLETE
    assert not batch.hits.filter(time_left__isnull=False).exists()


def test_hit_that_pays_a_bonus_is_left_alone(turk: StubbedTurk, item: Item) -> None:
    batch = make_batch(study=item.study, account=make_account(), task="compensation", status="open")
    open_hits(turk, batch, count=1)

    look()

    assert changes() == []
