"""Attention items over the API: told, stated, taken over and removed."""

from typing import Any

import pytest

from crowd.plain.models import Project
from hits.identity.api_tokens import Scope
from hits.work.models.items import Item
from hits.work.models.known_answers import KnownAnswer
from hits.work.services.leasing import items_of
from tests.crowd.plain.making import asked_project, begin, hand_in, open_batch
from tests.factories import make_association, make_study, make_worker
from tests.hits.calling import Notebook, notebook

pytestmark = pytest.mark.django_db
YES, NO = {"q1": "1"}, {"q1": "2"}
KNOWN = {"question": "natural", "about": "", "label": "yes"}


@pytest.fixture
def project() -> Project:
    """Four rows that two people have answered: the first three alike."""
    project = asked_project(*(f"Sentence {number} was said." for number in range(4)), answers_wanted=2)
    batch = open_batch(project, items=4)
    first, second, third, last = Item.objects.order_by("pk")
    for odd in (YES, NO):
        said = {first: YES, second: NO, third: YES, last: odd}
        work = begin(batch, make_worker(account=batch.account))
        hand_in(work, *(said[item] for item in items_of(work)))
    return project


def keeper(project: Project) -> Notebook:
    return notebook("view_assignment", "change_batch", sees=[project.study], scopes=[Scope.READ, Scope.DRAFT])


def body(project: Project, item: Item, *choices: dict[str, str]) -> dict[str, Any]:
    return {
        "study": str(project.study.public_id),
        "item": str(item.public_id),
        "choices": list(choices or [KNOWN]),
    }


def test_an_answer_is_stated_told_and_stated_again_once(project: Project) -> None:
    held, item = keeper(project), Item.objects.order_by("pk")[3]

    made = held.post("attention-items/", body(project, item))
    again = held.post("attention-items/", body(project, item, {**KNOWN, "label": "no"}))
    asked = {"study": str(project.study.public_id), "task": "plain.ask"}
    [told] = held.get("attention-items/", **asked).json()["results"]

    assert (made.status_code, again.status_code) == (201, 201)
    assert made.json()["choices"] == [KNOWN]
    assert (told["item"], told["task"]) == (str(item.public_id), "plain.ask")
    assert told["choices"] == [{**KNOWN, "label": "no"}]
    assert told["number"] == made.json()["number"]


@pytest.mark.parametrize(
    "wrong", [{"label": "perhaps"}, {"question": "other"}, {"about": "x"}, {"label": ""}]
)
def test_an_answer_that_the_task_does_not_state_is_refused(project: Project, wrong: dict[str, str]) -> None:
    item = Item.objects.order_by("pk")[3]

    refused = keeper(project).post("attention-items/", body(project, item, {**KNOWN, **wrong}))

    assert refused.status_code == 400
    assert not KnownAnswer.objects.exists()


def test_what_people_answered_alike_is_taken_over_and_removed_again(project: Project) -> None:
    held, study = keeper(project), str(project.study.public_id)

    taken = held.post("attention-items/take/", {"study": study, "task": "plain.ask", "least": 2, "most": 9})
    known = {row.item_id: row.choices[0]["label"] for row in KnownAnswer.objects.all()}
    gone = held.post(f"attention-items/{KnownAnswer.objects.order_by('pk')[0].pk}/forget/", {})

    items = list(Item.objects.order_by("pk").values_list("pk", flat=True))
    assert taken.json() == {"message": "Attention items: 3 more.", "problems": []}
    assert known == dict(zip(items, ["yes", "no", "yes"], strict=False))
    assert gone.status_code == 200
    assert KnownAnswer.objects.count() == 2


def test_a_task_that_cannot_mix_them_is_refused(project: Project) -> None:
    study, item = make_study(), make_association(study=make_study()).item
    held = notebook(
        "view_assignment", "change_batch", sees=[study, item.study], scopes=[Scope.READ, Scope.DRAFT]
    )
    asked = {"study": str(study.public_id), "task": "winogavil.solve", "least": 2, "most": 9}
    stated = {"study": str(item.study.public_id), "item": str(item.public_id), "choices": [KNOWN]}

    answers = [held.post("attention-items/take/", asked), held.post("attention-items/", stated)]

    assert [answer.status_code for answer in answers] == [409, 409]
    assert {answer.json()["code"] for answer in answers} == {"no_attention_items"}


def test_who_may_only_look_changes_nothing_and_strangers_see_nothing(project: Project) -> None:
    item = Item.objects.order_by("pk")[0]
    looking = notebook("view_assignment", sees=[project.study], scopes=[Scope.READ, Scope.DRAFT])
    stranger = notebook("view_assignment", "change_batch", scopes=[Scope.READ, Scope.DRAFT])
    keeper(project).post("attention-items/", body(project, item))

    answers = [
        looking.post("attention-items/", body(project, item)),
        looking.post(f"attention-items/{KnownAnswer.objects.get().pk}/forget/", {}),
        stranger.post(f"attention-items/{KnownAnswer.objects.get().pk}/forget/", {}),
    ]

    assert [answer.status_code for answer in answers] == [403, 403, 404]
    assert stranger.post("attention-items/", body(project, item)).status_code in (400, 404)
    assert stranger.get("attention-items/").json()["results"] == []
    assert KnownAnswer.objects.count() == 1
