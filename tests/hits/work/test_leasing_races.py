"""A page is opened and given up at one instant: no item stays with work that is gone."""

from threading import Thread
from time import sleep
from typing import Any

import pytest
from django.db import connections

from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services import leasing
from tests.factories import NOW, make_assignment, make_association, make_batch, make_hit, make_study
from tests.races import meet

# SQLite has one writer at a time.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.needs_postgres]


def test_what_is_leased_while_it_is_given_up_is_wanted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study()
    work = make_assignment(hit=make_hit(batch=make_batch(study=study)), status="opened")
    make_association(study=study)
    item = Item.objects.get()
    choose = leasing._choose
    other = Thread(target=give_up, args=(work.pk,))

    def choose_slowly(*given: Any, **named: Any) -> list[Item]:
        other.start()
        sleep(0.5)
        return choose(*given, **named)

    monkeypatch.setattr(leasing, "_choose", choose_slowly)
    leased = leasing.lease_items(assignment=work, now=NOW)
    other.join()

    item.refresh_from_db()
    assert leased == [item]
    assert Assignment.objects.get().status == Assignment.Status.GONE
    assert [lease.status for lease in Lease.objects.all()] == [Lease.Status.RELEASED]
    assert item.wanted == 3


def give_up(key: int) -> None:
    try:
        leasing.give_up(Assignment.objects.get(pk=key), now=NOW)
    finally:
        connections.close_all()


def test_whoever_refers_to_an_item_need_not_wait_until_it_is_leased() -> None:
    study = make_study()
    work, other = (make_assignment(hit=make_hit(batch=make_batch(study=study))) for _ in range(2))
    make_association(study=study)
    item = Item.objects.get()

    has_waited = meet(
        lambda: leasing.lease_items(assignment=work, now=NOW),
        lambda: Lease.objects.create(
            item=item, assignment=other, worker=other.worker, author_id=item.author_id, leased_at=NOW
        ),
    )

    assert not has_waited
