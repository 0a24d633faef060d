"""Races between recounts and workers who give work up: no process waits for ever."""

import pytest

from crowd.winoventi import domain
from crowd.winoventi.procedure.services.collected_answers import take_answers
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services.leasing import give_up, keep_out
from tests.crowd.winoventi.crowd import EXCEPTIONS, Crowd, states
from tests.factories import NOW, make_assignment, make_hit
from tests.races import meet

pytestmark = [pytest.mark.needs_postgres, pytest.mark.django_db(transaction=True)]


def test_a_recount_and_work_on_two_triplets_that_is_given_up() -> None:
    """The premise of the second triplet and the words of the first are recounted in one transaction."""
    crowd = Crowd()
    said = two_triplets(crowd)
    written = crowd.open(domain.PREMISES)
    both = Item.objects.filter(task=domain.PREMISES).order_by("pk")
    assert [lease.item for lease in written.leases.order_by("item")] == list(both)
    both.filter(pk=both[1].pk).update(recount=True)
    keep_out(said[0], now=NOW)

    meet(lambda: take_answers(now=NOW), lambda: give_up(written, now=NOW))

    assert states(crowd.project)["alternatives"] == ["withdrawn", "passed"]
    assert [item.pulled_at is None for item in both.all()] == [False, True]
    written.refresh_from_db()
    assert written.status == Assignment.Status.GONE


def two_triplets(crowd: Crowd) -> list[Assignment]:
    """Make two triplets that have passed, and a batch whose pages show two."""
    said = []
    for noun, word in (("lemon", "sour"), ("apple", "edible")):
        crowd.post(noun, word)
        said.append(crowd.answer(domain.EXCEPTIONS, EXCEPTIONS))
    crowd.batch(domain.PREMISES)
    crowd.batches[domain.PREMISES].items_per_assignment = 2
    crowd.batches[domain.PREMISES].save()
    crowd.score()
    return said


def test_a_word_that_gives_way_to_an_earlier_one_and_work_on_both_that_is_given_up() -> None:
    """The triplet of the later word has the higher id, and is released first, by its fourth statement."""
    crowd = Crowd()
    crowd.triplet()
    first = Assignment.objects.get()
    keep_out(first, now=NOW)
    crowd.answer(domain.EXCEPTIONS, EXCEPTIONS)
    crowd.score()
    work = make_assignment(hit=make_hit(batch=crowd.batch(domain.PREMISES)))
    for item in Item.objects.filter(task=domain.PREMISES).order_by("pk"):
        Lease.objects.create(item=item, assignment=work, worker=work.worker, leased_at=NOW)
    Assignment.objects.filter(pk=first.pk).update(kept_out=False)
    first.leases.update(status=Lease.Status.ANSWERED)
    Item.objects.filter(task=domain.EXCEPTIONS).update(recount=True)

    meet(lambda: take_answers(now=NOW), lambda: give_up(work, now=NOW), at=4)

    assert states(crowd.project)["alternatives"] == ["passed", "withdrawn"]
    assert list(work.leases.values_list("status", flat=True)) == [Lease.Status.RELEASED] * 2
