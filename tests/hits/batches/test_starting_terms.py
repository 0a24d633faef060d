"""What a study's new drafts start with, where it says otherwise than the task."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError

from crowd.winogavil.domain import CREATE, SOLVE
from hits import families
from hits.batches.services.drafting import copy_batch, first_terms, start_draft
from hits.core.domain.requirements import LOCALE
from hits.core.errors import RuleBroken
from hits.studies.models import Batch, StartingTerms, Study
from tests.factories import make_account, make_study, make_user

pytestmark = pytest.mark.django_db
ROW = {"QualificationTypeId": "Q", "Comparator": "Exists"}
US = {"QualificationTypeId": LOCALE, "Comparator": "In", "LocaleValues": [{"Country": "US"}]}


def say(study: Study, **values: Any) -> StartingTerms:
    return StartingTerms.objects.create(study=study, **{"task": SOLVE, **values})


def draft(study: Study, **values: Any) -> Batch:
    return start_draft(study=study, by=make_user(), **{"account": make_account(), "task": SOLVE, **values})


def test_a_fresh_study_has_no_bonus_table() -> None:
    study = Study.objects.create(name="Fresh", lab="lab")

    assert (study.bonus_rules, draft(study, task=CREATE).bonus_table) == ([], [])


def test_a_draft_starts_with_the_studys_terms_and_else_the_tasks() -> None:
    study = make_study()
    say(study, reward=Decimal("0.11"), items_each=4, requirements=[ROW])

    made = draft(study)

    task = families.get(SOLVE).terms
    assert (made.reward, made.items_per_assignment, made.requirements) == (Decimal("0.11"), 4, [ROW])
    assert (made.assignments_per_hit, made.duration_s) == (task.workers_per_hit, task.duration_s)
    assert made.estimated_s == 4 * task.item_s


def test_terms_of_another_study_or_task_are_not_taken() -> None:
    study = make_study()
    say(make_study(), reward=Decimal("0.11"))
    say(study, task=CREATE, reward=Decimal("0.12"), requirements=[ROW])

    made = draft(study)

    assert (made.reward, made.requirements) == (families.get(SOLVE).terms.reward, [])


@pytest.mark.parametrize(("environment", "asked"), [("marketplace", [ROW]), ("sandbox", [US, ROW])])
def test_drafts_of_a_study_with_people_of_its_own_ask_them_for_no_country(
    environment: str, asked: list[dict[str, Any]]
) -> None:
    study = make_study(own_people=True)
    say(study, requirements=[US, ROW])

    made = draft(study, account=make_account(environment=environment))

    assert made.requirements == asked


def test_what_is_asked_for_goes_before_the_studys_terms() -> None:
    study = make_study()
    say(study, reward=Decimal("0.11"), requirements=[ROW])

    made = draft(study, reward=Decimal("0.20"), requirements=[])

    assert (made.reward, made.requirements) == (Decimal("0.20"), [])


def test_a_draft_that_exists_keeps_its_terms_and_so_does_its_copy() -> None:
    study = make_study()
    made = draft(study)

    say(study, reward=Decimal("0.11"))

    made.refresh_from_db()
    assert made.reward == copy_batch(batch=made, by=None).reward == families.get(SOLVE).terms.reward
    assert first_terms(SOLVE, study=study).reward == Decimal("0.11")


def test_more_items_than_a_page_has_are_refused() -> None:
    study = make_study()
    say(study, task=CREATE, items_each=2)

    with pytest.raises(RuleBroken, match="A page of this task has 1 item at most"):
        draft(study, task=CREATE)

    assert Batch.objects.count() == 0


@pytest.mark.parametrize("values", [{"reward": -1}, {"workers_per_hit": 0}, {"items_each": 0}], ids=str)
def test_terms_that_make_no_sense_are_not_kept(values: dict[str, Any]) -> None:
    study = make_study()

    with pytest.raises(IntegrityError):
        say(study, **values)


def test_a_study_says_it_once_for_each_task() -> None:
    study = make_study()
    say(study)

    with pytest.raises(IntegrityError):
        say(study)
