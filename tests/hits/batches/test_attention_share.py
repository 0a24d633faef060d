"""The share of attention items: what it does to the plan, and which tasks refuse it."""

from typing import Any

import pytest
from django.test import Client

from crowd.plain.models import Project
from crowd.winogavil.domain import SOLVE
from hits.batches.services import drafting
from hits.batches.services.drafting import NO_ATTENTION
from hits.batches.services.top_up import hits_lacking
from hits.core.errors import RuleBroken
from hits.identity.roles import RESEARCHER
from hits.studies.models import Batch
from hits.work.queries.items import answers_wanted, room_of
from tests.crowd.plain.making import asked_project, open_batch
from tests.factories import make_association, make_batch, make_hit
from tests.hits.batches.test_guide import launch_url, step_url, terms, what
from tests.hits.calling import notebook
from tests.pages import text_of
from tests.people import sign_in

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


def draft_of(project: Project, client: Client, **changes: Any) -> Batch:
    sign_in(client, RESEARCHER, project.study)
    return make_batch(study=project.study, task="plain.ask", **changes)


def test_the_guide_saves_the_share_and_the_plan_follows(client: Client, project: Project) -> None:
    draft = draft_of(project, client, hits_wanted=2)
    sent = terms(draft, attention_rate="40", items_per_assignment="1", hits_wanted="2")

    client.post(step_url(draft, "terms"), sent)
    page = text_of(client.get(launch_url(draft)))
    shown = text_of(client.get(step_url(draft, "terms")))

    draft.refresh_from_db()
    assert (draft.attention_rate, room_of(draft)) == (40, 3)
    assert "40 of a hundred places" in page
    assert "there are none yet" in page
    assert "They are paid as the others are" in shown


@pytest.mark.parametrize("rate", ["51", "-1", "x", ""])
def test_a_share_out_of_bounds_is_refused_in_place(client: Client, project: Project, rate: str) -> None:
    draft = draft_of(project, client)

    page = client.post(step_url(draft, "terms"), terms(draft, attention_rate=rate))

    draft.refresh_from_db()
    assert draft.attention_rate == 0
    assert "attention_rate" in page.context["form"].errors


def test_a_task_that_cannot_mix_them_is_not_asked_for_a_share(client: Client) -> None:
    draft = make_batch()
    make_association(study=draft.study)
    sign_in(client, RESEARCHER, draft.study)

    page = text_of(client.get(step_url(draft, "terms")))
    client.post(step_url(draft, "terms"), terms(draft, attention_rate="10", title="Saved"))

    draft.refresh_from_db()
    assert "Attention items" not in page
    assert (draft.title, draft.attention_rate) == ("Saved", 0)


def test_another_task_is_chosen_once_the_share_is_none(client: Client, project: Project) -> None:
    draft = draft_of(project, client, attention_rate=20)
    make_association(study=draft.study)

    refused = text_of(client.post(step_url(draft, "what"), what(draft)))
    client.post(step_url(draft, "terms"), terms(draft, attention_rate="0"))
    draft.refresh_from_db()
    client.post(step_url(draft, "what"), what(draft))

    assert NO_ATTENTION in refused
    draft.refresh_from_db()
    assert (draft.task, draft.attention_rate) == (SOLVE, 0)


def test_a_copy_has_the_share_and_a_launched_batch_says_it(client: Client, project: Project) -> None:
    batch = draft_of(project, client, attention_rate=20, status="open")

    copy = drafting.copy_batch(batch=batch, by=None)
    page = text_of(client.get(step_url(batch, "terms"), follow=True))

    assert copy.attention_rate == 20
    assert "20 of a hundred places" in page


@pytest.mark.parametrize(("task", "rate", "status"), [("plain.ask", 51, 400), (SOLVE, 10, 409)])
def test_the_api_refuses_a_share_as_the_guide_does(task: str, rate: int, status: int) -> None:
    draft = make_batch(task=task)
    held = notebook("view_batch", "change_batch", sees=[draft.study])

    answers = [
        held.patch(f"batches/{draft.public_id}/", {"attention_rate": rate}),
        held.get(f"batches/{draft.public_id}/"),
    ]

    assert [answer.status_code for answer in answers] == [status, 200]
    assert answers[1].json()["attention_rate"] == 0
