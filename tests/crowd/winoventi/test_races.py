"""Recounts and people who give work up at one instant: nobody waits for ever."""

import pytest

from crowd.winoventi import domain
from crowd.winoventi.services.taking import take_answers
from hits.models import Assignment, Item
from hits.services.working import give_up, keep_out
from tests.crowd.winoventi.crowd import EXCEPTIONS, Crowd, states
from tests.factories import NOW
from tests.races import meet

pytestmark = [pytest.mark.needs_postgres, pytest.mark.django_db(transaction=True)]


def test_a_recount_and_work_on_two_triplets_that_is_given_up() -> None:
    """The premise of the second triplet and the words of the first one are recounted in one transaction."""
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
    """Both have passed, and a page shows two of them."""
    said = []
    for noun, word in (("lemon", "sour"), ("apple", "edible")):
        crowd.post(noun, word)
        said.append(crowd.answer(domain.EXCEPTIONS, EXCEPTIONS))
    crowd.batch(domain.PREMISES)
    crowd.batches[domain.PREMISES].items_per_assignment = 2
    crowd.batches[domain.PREMISES].save()
    crowd.score()
    return said
