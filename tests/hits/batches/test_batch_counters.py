from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hits.batches.queries import tally
from hits.batches.queries.tally import Progress, batches_with_counts, progress_of
from hits.batches.services import batch_counters
from hits.studies.models import Batch, Study
from hits.studies.services import mark_stale
from tests.factories import NOW, make_assignment, make_batch, make_bonus, make_hit, make_study, set_aside

pytestmark = pytest.mark.django_db


def make_open(*, hits: int = 1) -> Batch:
    batch = make_batch(
        status="open", study=make_study(budget=Decimal(100)), reward=Decimal("0.60"), hits_wanted=hits
    )
    for number in range(1, hits + 1):
        make_hit(batch=batch, number=number)
    return batch


def test_refresh_counts_everything_of_a_batch() -> None:
    batch = make_open(hits=2)
    first = batch.hits.order_by("pk")[0]
    make_hit(batch=batch, status="withdrawn", external_id="")
    make_assignment(hit=first)
    make_assignment(hit=first, status="gone")
    make_assignment(hit=first, status="submitted", worked_s=30)
    make_assignment(hit=first, status="rejected", worked_s=40)
    make_assignment(hit=first, status="approved", worked_s=60, kept_out=True)
    paid = make_assignment(hit=first, status="approved", worked_s=20, owed_at=NOW)
    make_bonus(assignment=paid, amount=Decimal("0.25"), status="sent")
    make_bonus(assignment=paid, rule="another", amount=Decimal("0.10"), status="owed")
    mark_stale(batch.pk)

    counted = batch_counters.refresh_stale(now=NOW)

    batch.refresh_from_db()
    assert (counted, batch.is_stale) == (1, False)
    assert batch.figures == {
        "hits": 2,
        "hits_sent": 2,
        "hits_open": 2,
        "hits_withdrawn": 1,
        "places": 6,
        "in_progress": 1,
        "submitted": 4,
        "waiting": 1,
        "approved": 2,
        "rejected": 1,
        "kept_out": 1,
        "gone": 1,
        "bonuses_owed": "0.35",
        "bonuses_paid": "0.25",
        "spent": "1.45",
        "median_s": 35,
        "median_hourly": "61.71",
        "p10_hourly": "40.00",
        "p10_paid": "171.00",
        "below_floor": 0,
        "is_below_floor": False,
        "counted_at": NOW.isoformat(),
    }


def test_refresh_settles_the_budget() -> None:
    batch = make_open(hits=2)
    mark_stale(batch.pk)

    batch_counters.refresh_stale(now=NOW)

    batch.refresh_from_db()
    assert Study.objects.get().reserved == batch.reserved == batch.cost.total
    assert set_aside().count() == 1


def test_refresh_leaves_what_is_not_stale() -> None:
    make_open()

    assert batch_counters.refresh_stale(now=NOW) == 0
    assert Batch.objects.get().figures == {}


def test_a_batch_that_is_marked_while_it_is_counted_is_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = make_open()
    mark_stale(batch.pk)

    def count_late(batch: Batch) -> tally.Tally:
        counted = tally.tally_of(batch)
        make_assignment(hit=batch.hits.get(), status="submitted")
        mark_stale(batch.pk)
        return counted

    with monkeypatch.context() as patch:
        patch.setattr(batch_counters, "tally_of", count_late)
        batch_counters.refresh_stale(now=NOW)
    missed = Batch.objects.get().figures["submitted"]
    batch_counters.refresh_stale(now=NOW)

    batch.refresh_from_db()
    assert (missed, batch.figures["submitted"], batch.is_stale) == (0, 1, False)


def test_a_process_that_dies_while_it_counts_leaves_the_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = make_open()
    mark_stale(batch.pk)

    def die(_: Batch) -> tally.Tally:
        raise KeyboardInterrupt

    monkeypatch.setattr(batch_counters, "tally_of", die)

    with pytest.raises(KeyboardInterrupt):
        batch_counters.refresh_stale(now=NOW)

    assert Batch.objects.get().is_stale


def test_a_large_batch_is_not_counted_all_the_time() -> None:
    batch = make_open()
    mark_stale(batch.pk)
    Batch.objects.update(figures={"hits": 10_000, "counted_at": NOW.isoformat()})

    soon = batch_counters.refresh_stale(now=NOW + timedelta(seconds=9))
    late = batch_counters.refresh_stale(now=NOW + timedelta(seconds=10))

    assert (soon, late) == (0, 1)


def test_refresh_takes_the_same_queries_whatever_the_size() -> None:
    def cost(hits: int) -> int:
        batch = make_open(hits=hits)
        for hit in batch.hits.all():
            work = make_assignment(hit=hit, status="approved", worked_s=hit.pk, owed_at=NOW)
            make_bonus(assignment=work)
        batch_counters.refresh(batch=batch, now=NOW)
        make_bonus(assignment=work, rule="another")
        with CaptureQueriesContext(connection) as queries_made:
            batch_counters.refresh(batch=batch, now=NOW)
        return len(queries_made)

    assert cost(3) == cost(30) <= 17


def test_lists_show_what_was_counted_and_of_a_draft_what_is_planned() -> None:
    draft = make_batch(hits_wanted=4, assignments_per_hit=3)
    batch = make_open(hits=2)
    make_assignment(hit=batch.hits.all()[0], status="submitted")
    mark_stale(batch.pk)
    batch_counters.refresh_stale(now=NOW)

    listed = batches_with_counts().order_by("pk")

    assert [(row.pk, row.places, row.submitted) for row in listed] == [  # type: ignore[attr-defined]
        (draft.pk, 12, 0),
        (batch.pk, 6, 1),
    ]


def test_progress_is_counted_live() -> None:
    batch = make_open(hits=2)
    work = make_assignment(hit=batch.hits.all()[0], status="approved")
    make_bonus(assignment=work, amount=Decimal("0.25"), status="sent")
    make_bonus(assignment=work, rule="another", amount=Decimal("0.10"), status="waived")
    make_hit(batch=batch, status="intended", external_id="")

    assert progress_of(batch) == Progress(
        hits=3,
        hits_sent=2,
        places=9,
        submitted=1,
        approved=1,
        bonuses_owed=Decimal("0.25"),
        bonuses_paid=Decimal("0.25"),
    )
