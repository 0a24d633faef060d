"""Only a task that has an ability is asked for it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from django.http import HttpRequest

from crowd.frame import question_pages
from hits import families
from hits.batches.services import drafting
from hits.families import TaskPage, Terms
from hits.families.registry import _task_types
from hits.studies.models import Batch, Study
from hits.work.models.items import Item
from tests.factories import make_account, make_batch, make_hit, make_study
from tests.qualifications.gates import WORK, ToyWork

pytestmark = pytest.mark.django_db


class OfItsStudy(ToyWork, families.SuggestsTerms, families.PreviewsBatches):
    def suggest_terms(self, *, study: Study) -> Terms:
        return replace(self.terms, title=f"Questions of {study.name}", item_s=77)

    def preview_page(self, *, batch: Batch) -> TaskPage:
        return TaskPage(template="frame/over.html", context={"asked": batch.title})


@pytest.fixture
def task() -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(_task_types, WORK, OfItsStudy())
        yield WORK


def test_draft_starts_from_what_the_task_says_of_this_study(task: str) -> None:
    study = make_study(name="Clouds")

    draft = drafting.start_draft(study=study, account=make_account(), task=task, by=None)
    asked = drafting.start_draft(study=study, account=make_account(), task=task, by=None, title="Own words")

    assert (draft.title, draft.description, draft.estimated_s) == ("Questions of Clouds", "Work.", 77)
    assert asked.title == "Own words"


def test_preview_is_of_the_batch_where_the_task_can_do_that(
    task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Mapping[str, Any]] = []
    monkeypatch.setattr(question_pages, "show", lambda _request, _template, context: shown.append(context))
    batch = make_batch(task=task, title="What do you see?", status=Batch.Status.OPEN)
    Item.objects.create(study=batch.study, task=task, wanted=1)
    hit = make_hit(batch=batch)

    question_pages._preview(HttpRequest(), hit)

    assert [context["asked"] for context in shown] == ["What do you see?"]


def test_task_that_promises_an_ability_without_having_it_cannot_be_made() -> None:
    class Boasting(ToyWork, families.UsesUp):
        pass

    with pytest.raises(TypeError, match="uses_up"):
        Boasting()  # type: ignore[abstract]
