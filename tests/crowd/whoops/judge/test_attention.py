"""Attention items among questions about weird images: they bring no votes."""

import pytest

from crowd.whoops import domain
from crowd.whoops.judge.services.posting_questions import want_judges
from crowd.whoops.models import Project
from hits.work.models.items import Item
from hits.work.services.leasing import items_of
from tests.crowd import attention
from tests.crowd.whoops.judge.test_votes import IMPORTED
from tests.crowd.whoops.making_questions import Judges, bring_in, make_data, questions, votes
from tests.factories import make_worker

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("task", [domain.VERIFY, domain.RATE])
def test_votes_stay_and_what_was_missed_is_seen(task: str) -> None:
    project: Project = make_data(judges_wanted=2)
    bring_in(project, task, IMPORTED[task])
    asked, *others = [(row.item, row.image_id, row.text) for row in questions(project, task) if row.item]
    first = asked[0]
    Item.objects.exclude(pk=first.pk).update(wanted=0)
    # Nobody meets an attention item while the other side of its question, with another answer, is asked.
    unlike = [item.pk for item, *about in others if about != [*asked[1:]]]
    waiting = Item.objects.filter(pk__in=unlike)
    crowd = Judges(project, task, items=1)
    for _ in range(2):
        crowd.answer({"pick": "yes"})
    known = attention.take_over(crowd.batch)
    waiting.update(wanted=2)
    attention.mix(crowd.batch, items=2)
    before = attention.needs(known)

    work = attention.open_mixed(lambda: crowd.open(make_worker(account=crowd.account))[0])
    crowd.hand_in(work, {str(item.public_id): {"pick": "no"} for item in items_of(work)})
    want_judges(project=project)

    assert known == {first.pk} == attention.attention_of(work)
    assert votes(first) == {"option-1": [1, 1]}
    assert attention.needs(known) == before
    assert (attention.met(work).met, attention.met(work).right) == (1, 0)
    [counted] = [item for item in items_of(work) if item.pk != first.pk]
    assert votes(counted) == {"option-1": [0]}
