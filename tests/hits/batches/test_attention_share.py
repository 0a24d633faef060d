"""The share of attention items: what it does to the plan, and which tasks refuse it."""

import pytest

from crowd.plain.models import Project
from hits.batches.services import drafting
from hits.batches.services.top_up import hits_lacking
from hits.core.errors import RuleBroken
from hits.work.queries.items import answers_wanted, room_of
from tests.crowd.plain.making import asked_project, open_batch
from tests.factories import make_association, make_batch, make_hit

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return asked_project(*(f"Sentence {number} is new." for number in range(6)), answers_wanted=1)


def test_the_plan_grows_with_the_share(project: Project) -> None:
    plain = open_batch(project, items=3, hits_wanted=4, assignments_per_hit=2)
    mixed = open_batch(project, items=3, hits_wanted=4, assignments_per_hit=2, attention_rate=25)

    assert (room_of(plain), room_of(mixed)) == (24, 18)
    assert answers_wanted(plain) == 6
    assert [drafting.hits_for(one, answers=18) for one in (plain, mixed)] == [3, 4]
    assert [hits_lacking(one) for one in (plain, mixed)] == [1, 2]


def test_a_task_that_cannot_mix_them_refuses_the_share() -> None:
    draft = make_batch()
    make_association(study=draft.study)

    with pytest.raises(RuleBroken, match="cannot mix attention items"):
        drafting.save_step(batch=draft, step="terms", values={"attention_rate": 10})

    draft.refresh_from_db()
    assert draft.attention_rate == 0


def test_hits_hold_no_more_than_before(project: Project) -> None:
    """The reward is that of a page, whatever is on it: what is reserved does not depend on the share."""
    costs = [open_batch(project, items=3, attention_rate=rate).cost for rate in (0, 50)]
    hit = make_hit(batch=open_batch(project, attention_rate=50))

    assert costs[0] == costs[1]
    assert hit.batch.prices.items == 1
