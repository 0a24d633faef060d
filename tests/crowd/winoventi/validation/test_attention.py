"""Attention items among pairs to validate: a pair stays as its validators have judged it."""

import pytest

from crowd.winoventi import domain
from crowd.winoventi.models import Premise
from hits.core.states import move
from hits.work.models.assignments import Assignment
from hits.work.services.counting_answers import answers_that_count
from hits.work.services.leasing import items_of, save_answer
from tests.crowd import attention
from tests.crowd.winoventi.crowd import BAD, EXCEPTIONS, FINE, PREMISE, Crowd
from tests.factories import NOW

pytestmark = pytest.mark.django_db


def test_a_valid_pair_stays_valid_and_what_was_missed_is_seen() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(FINE, FINE, FINE)
    known = attention.take_over(crowd.batch(domain.VALIDATE))
    crowd.post("apple", "edible")
    crowd.answer(domain.EXCEPTIONS, EXCEPTIONS)
    crowd.score()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.batches[domain.VALIDATE] = attention.mix(crowd.batch(domain.VALIDATE), items=2)
    first, second = Premise.objects.order_by("pk")
    before = attention.needs(known)

    work = attention.open_mixed(lambda: crowd.open(domain.VALIDATE))
    save_answer(assignment=work, answer={str(item.public_id): dict(BAD) for item in items_of(work)}, now=NOW)
    assert move(work, Assignment.Status.SUBMITTED, submitted_at=NOW)
    crowd.sweep()

    assert known == {first.item_id} == attention.attention_of(work)
    assert {row.state for row in Premise.objects.filter(pk=first.pk)} == {"valid"}
    assert attention.needs(known) == before
    assert (attention.met(work).met, attention.met(work).right) == (1, 0)
    assert first.item_id
    assert second.item_id
    counted = answers_that_count([first.item_id, second.item_id])
    assert [len(counted[first.item_id]), len(counted[second.item_id])] == [3, 1]
    assert first.judgements.count() == 3
